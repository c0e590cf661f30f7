import { describe, expect, it } from 'vitest'
import { LogweirError } from '../../src/base/errors.js'
import { endpoint } from '../../src/endpoints/endpoint.js'
import { EXPLORE_PARAMS, exploredRows } from '../../src/endpoints/explore-params.js'
import { nameOfPath, readFieldName } from '../../src/endpoints/field-name.js'
import { readFilter } from '../../src/endpoints/filter.js'
import { field } from '../../src/plan/expression.js'
import { matching } from '../oracle/explore.js'
import { appendAll, openEngine, readAll } from '../support/engine.js'
import { mulberry32 } from '../support/random.js'
import { edge } from '../support/records.js'
import { runs } from '../support/runs.js'
import { testSeed } from '../support/seed.js'
import { allRowsOf, randomAsked, randomRecord, searchOf } from './random-filters.js'

/** Requests of each random test. */
const RUNS = runs(600)

/** The ids of the rows that a request asks for. */
const ids = endpoint({
  id: '8b0c1c7e-5b57-4d0a-9a55-6f0e5a3a1dff',
  name: 'test.ids',
  maxRows: 10_000,
  cache: 'disabled',
  params: EXPLORE_PARAMS,
  query: 'select id',
  plan: (args, nowUs) => exploredRows(args, nowUs).select('id').limit(10_000),
})

const conditions = (...given: unknown[]) => JSON.stringify(given)

/** The code and the message of the error that a filter gets. */
function refusal(text: string): [code: string, message: string] {
  try {
    readFilter(text)
  } catch (error) {
    expect(error).toBeInstanceOf(LogweirError)
    return [(error as LogweirError).code, (error as LogweirError).message]
  }
  throw new Error(`accepted: ${text}`)
}

describe('a filter', () => {
  it('passes the rows that obvious code does, in heads and in segments', async () => {
    const seed = testSeed()
    let found = 0
    for (let run = 0; run < 3; run++) {
      const random = mulberry32(seed + run)
      const records = Array.from({ length: 150 }, (_, i) => randomRecord(random, i))
      const engine = openEngine(run === 0 ? {} : { sealRows: 20 })
      await appendAll(engine, records, 40)
      if (run === 2) await engine.seal()
      for (let i = 0; i < RUNS / 3; i++) {
        const asked = i === 0 ? allRowsOf('edge_logs') : randomAsked(random)
        const rows = await readAll(await engine.run(ids.call(searchOf(asked)).plan(0)))
        const expected = matching(records, asked).map(({ id }) => id)
        expect(rows.map(({ id }) => id).sort(), `seed ${seed + run}, ${JSON.stringify(asked)}`).toEqual(expected.sort())
        found += expected.length
      }
      await engine.close()
    }
    expect(found).toBeGreaterThan(0)
  })

  it('compares integers beyond 2^53 with all their digits', async () => {
    const engine = openEngine()
    const numbers = ['9007199254740993', '9007199254740992', '"9007199254740993"', '9.007199254740993e15']
    await appendAll(
      engine,
      numbers.map((n, i) => edge({ id: `${i}`, metadata: `{"n":${n}}` })),
    )
    const found = async (filter: string) => {
      const given = new URLSearchParams({ project: 'a', source: 'edge_logs', start: '1970-01-01', filter })
      return (await readAll(await engine.run(ids.call(given).plan(0)))).map(({ id }) => id).sort()
    }
    expect(await found('[{"field":"n","op":"=","value":9007199254740993}]')).toEqual(['0', '2', '3'])
    expect(await found('[{"value": [1, 9007199254740992 ],"field":"n","op":"in"}]')).toEqual(['1', '3'])
    expect(await found('[{"field":"n","op":">","value":9007199254740992}]')).toEqual(['0', '2'])
  })

  it('keeps rows without the field where a value is excluded, unless null is excluded', async () => {
    const engine = openEngine()
    await appendAll(
      engine,
      ['{"a":1}', '{"a":null}', '{}', '{"a":2}'].map((metadata, i) => edge({ id: `${i}`, metadata })),
    )
    const found = async (...given: unknown[]) => {
      const params = { project: 'a', source: 'edge_logs', start: '1970-01-01', filter: conditions(...given) }
      const rows = await readAll(await engine.run(ids.call(new URLSearchParams(params)).plan(0)))
      return rows.map(({ id }) => Number(id)).sort()
    }
    expect(await found({ field: 'a', op: '!=', value: 1 })).toEqual([1, 2, 3])
    expect(await found({ field: 'a', op: 'not_in', value: ['1', 3] })).toEqual([1, 2, 3])
    expect(await found({ field: 'a', op: 'not_in', value: [1, null] })).toEqual([3])
    expect(await found({ field: 'a', op: '=', value: null })).toEqual([1, 2])
    expect(await found({ field: 'a', op: '!=', value: null })).toEqual([0, 3])
    expect(await found({ field: 'a', op: 'missing' }, { field: 'b', op: 'missing', value: null })).toEqual([1, 2])
    expect(await found({ field: 'a', op: 'exists' })).toEqual([0, 3])
  })

  it('has alternatives, of which one must hold, in a list within the list', async () => {
    const engine = openEngine()
    const records = ['{"status":500}', '{"level":"error"}', '{"status":200,"level":"info"}', '{"n":9007199254740993}']
    await appendAll(
      engine,
      records.map((metadata, i) => edge({ id: `${i}`, metadata })),
    )
    const found = async (filter: string) => {
      const given = new URLSearchParams({ project: 'a', source: 'edge_logs', start: '1970-01-01', filter })
      return (await readAll(await engine.run(ids.call(given).plan(0)))).map(({ id }) => Number(id)).sort()
    }
    const [failed, error] = [
      { field: 'status', op: '>=', value: 400 },
      { field: 'level', op: '=', value: 'error' },
    ]
    expect(await found(conditions([failed, error]))).toEqual([0, 1])
    expect(await found(conditions([failed]))).toEqual([0])
    expect(await found(conditions([failed, error], { field: 'status', op: 'missing' }))).toEqual([1])
    expect(await found(conditions([failed, { field: 'level', op: '!=', value: 'error' }], [error, failed]))).toEqual([
      0,
    ])
    // The digits are read from the text, at the place of the condition in the list.
    expect(await found('[[{"field":"n","op":"=","value":1},{"field":"n","op":"=","value":9007199254740993}]]')).toEqual(
      [3],
    )
    expect(await found('[[{"field":"n","op":"=","value":1},{"field":"n","op":"=","value":9007199254740992}]]')).toEqual(
      [],
    )
  })

  const AT = 'The parameter "filter" is invalid at filter'
  const LIST = 'Write a list of conditions: [{"field":"response.status_code","op":">=","value":500}].'
  const FIELDS =
    'Name id, timestamp, event_message, project, or a path in the metadata: response.status_code, ' +
    'or its keys as a list.'
  const ops = 'Use one of =, !=, <, <=, >, >=, in, not_in, exists, missing, contains, matches.'
  const ONE = 'Give a text, a number, true or false, or null for a missing field.'
  const SOME = 'Give a list of 1 to 1000 texts, numbers, true, false or null.'
  const ok = { field: 'a', op: 'exists' }

  it.each([
    ['{}', `The parameter "filter" is invalid: it is no list. ${LIST}`],
    ['null', `The parameter "filter" is invalid: it is no list. ${LIST}`],
    [conditions(...Array(51).fill(ok)), 'The parameter "filter" is invalid: it has 51 conditions. Give at most 50.'],
    [
      conditions(...Array(25).fill([ok, ok]), ok),
      'The parameter "filter" is invalid: it has 51 conditions. Give at most 50.',
    ],
    [conditions(ok, [ok, { op: '=' }]), `${AT}[1][1].field: it is missing. ${FIELDS}`],
    [
      conditions([ok, [ok]]),
      expect.stringContaining('at filter[0][1]: [{"field":"a","op":"exists"}] is no condition.'),
    ],
    [
      conditions(ok, 'a'),
      `${AT}[1]: "a" is no condition. Write an object, as in [{"field":"response.status_code","op":">=","value":500}].`,
    ],
    [conditions([]), expect.stringContaining('at filter[0]: [] is no condition.')],
    [conditions(ok, ok, { ...ok, not: 1 }), `${AT}[2]: it has the key "not". A condition has field, op, value.`],
    ['[{"__proto__":1}]', `${AT}[0]: it has the key "__proto__". A condition has field, op, value.`],
    [conditions({ op: '=' }), `${AT}[0].field: it is missing. ${FIELDS}`],
    [conditions({ field: 1 }), `${AT}[0].field: 1 names no field. ${FIELDS}`],
    [conditions({ field: [] }), `${AT}[0].field: [] names no field. ${FIELDS}`],
    [conditions({ field: ['a', 1] }), `${AT}[0].field: ["a",1] names no field. ${FIELDS}`],
    [conditions({ field: '' }), `${AT}[0].field: "" has an empty key. ${FIELDS}`],
    [conditions({ field: 'a..b' }), `${AT}[0].field: "a..b" has an empty key. ${FIELDS}`],
    [conditions({ field: 'metadata' }), `${AT}[0].field: all of the metadata is no field. ${FIELDS}`],
    [conditions({ field: `${'a.'.repeat(128)}a` }), `${AT}[0].field: it has more than 128 keys. ${FIELDS}`],
    [conditions({ field: ['a'.repeat(1_001)] }), `${AT}[0].field: it has more than 1000 characters. ${FIELDS}`],
    [conditions({ field: 'a' }), `${AT}[0].op: it is missing. ${ops}`],
    [conditions({ field: 'a', op: 'like' }), `${AT}[0].op: "like" is no operator. ${ops}`],
    [conditions({ field: 'a', op: ['='] }), `${AT}[0].op: ["="] is no operator. ${ops}`],
    [conditions({ field: 'a', op: 'toString' }), `${AT}[0].op: "toString" is no operator. ${ops}`],
    [conditions({ field: 'a', op: '=' }), `${AT}[0].value: it is missing. ${ONE}`],
    [conditions({ field: 'a', op: '!=', value: {} }), `${AT}[0].value: {} is a list or an object. ${ONE}`],
    ['[{"field":"a","op":"=","value":1e999}]', `${AT}[0].value: it is beyond the range of doubles. ${ONE}`],
    [
      conditions({ field: 'a', op: '<', value: null }),
      `${AT}[0].value: it is null, which has no order. Give a text, a number, true or false.`,
    ],
    [
      conditions({ field: 'timestamp', op: '>', value: 'now' }),
      `${AT}[0].value: "now" is no time, as 2026-11-20T10:00:00Z or an epoch are. ${ONE}`,
    ],
    [
      '[{"field":"timestamp","op":">","value":-9007199254740993}]',
      `${AT}[0].value: -9007199254740993 is no time, as 2026-11-20T10:00:00Z or an epoch are. ${ONE}`,
    ],
    [conditions({ field: 'a', op: 'in' }), `${AT}[0].value: it is missing. ${SOME}`],
    [conditions({ field: 'a', op: 'in', value: 'x' }), `${AT}[0].value: "x" is no list. ${SOME}`],
    [conditions({ field: 'a', op: 'in', value: [] }), `${AT}[0].value: the list has 0 values. ${SOME}`],
    [
      conditions({ field: 'a', op: 'not_in', value: Array(1_001).fill(1) }),
      `${AT}[0].value: the list has 1001 values. ${SOME}`,
    ],
    [conditions({ field: 'a', op: 'in', value: [[]] }), `${AT}[0].value: [] is a list or an object. ${SOME}`],
    [conditions({ field: 'a', op: 'exists', value: 0 }), `${AT}[0].value: 0 is not used. Leave the value out.`],
    [conditions({ field: 'a', op: 'contains' }), `${AT}[0].value: it is missing. Give a text.`],
    [conditions({ field: 'a', op: 'matches', value: 1 }), `${AT}[0].value: 1 is no text. Give a text.`],
    [
      conditions({ field: 'a', op: 'contains', value: ['x'.repeat(100)] }),
      expect.stringMatching(/^.{40,60}\["x{58}… is no text\. Give a text\.$/),
    ],
  ])('is refused with its place: %s', (text, message) => {
    expect(refusal(text)).toEqual(['invalid_parameter', message])
  })

  it('is refused if it is no JSON', () => {
    const [code, message] = refusal('[{"field"')
    expect(code).toBe('invalid_parameter')
    expect(message).toMatch(/^The parameter "filter" is invalid: it is no JSON \(.+\)\. Write a list of conditions: /)
  })

  it('is refused with invalid_pattern if a pattern is no RE2', () => {
    const [code, message] = refusal(conditions(ok, { field: 'a', op: 'matches', value: '(' }))
    expect(code).toBe('invalid_pattern')
    expect(message).toBe(
      `${AT}[1].value: the pattern is not valid RE2: missing ): (. Give a pattern in the syntax of RE2.`,
    )
  })

  it('may be empty, and may have as many conditions, values and keys as the limits say', () => {
    expect(readFilter('[]')).toBeUndefined()
    const most = { field: Array(128).fill('a'), op: 'in', value: Array(1_000).fill('x') }
    expect(readFilter(conditions(...Array(49).fill(ok), most))).toBeDefined()
    expect(readFilter(conditions(Array(50).fill(ok)))).toBeDefined()
  })
})

describe('the name of a field', () => {
  const keysOf = (name: unknown) => readFieldName(name, 'filter', 'filter[0].field').expression

  it('is that of a column, or a path with or without the metadata, or a list of keys', () => {
    expect(readFieldName('id', '', '').place).toBe('id')
    expect(readFieldName('metadata.id', '', '')).toEqual({ place: ['id'], expression: field(['id']) })
    for (const name of ['a.b', 'metadata.a.b', ['a', 'b'], '["a","b"]']) expect(keysOf(name)).toEqual(field(['a', 'b']))
    expect(keysOf(['a.b', ''])).toEqual(field(['a.b', '']))
    expect(keysOf(['id'])).toEqual(field(['id']))
    expect(keysOf('["a')).toEqual(field(['["a']))
  })

  it('is read back from every path', () => {
    const paths = [
      ['a'],
      ['a', 'b'],
      ['a.b'],
      [''],
      ['id'],
      ['project', 'x'],
      ['metadata'],
      ['metadata', 'a'],
      ['["a"]'],
    ]
    for (const keys of paths) expect(keysOf(nameOfPath(keys)), nameOfPath(keys)).toEqual(field(keys))
    expect(['a.b', 'metadata.id', '["a.b"]', 'metadata.metadata']).toEqual(
      [['a', 'b'], ['id'], ['a.b'], ['metadata']].map(nameOfPath),
    )
  })
})
