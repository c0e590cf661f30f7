import { describe, expect, it } from 'vitest'
import { countFields } from '../../src/endpoints/field-values.js'
import type { Row } from '../../src/plan/answer.js'
import { RawJson } from '../../src/plan/values/values.js'
import { oracle } from '../oracle/oracle.js'
import { appendAll, ask, openEngine } from '../support/engine.js'
import { mulberry32, oneOf } from '../support/random.js'
import { edge } from '../support/records.js'
import { runs } from '../support/runs.js'
import { testSeed } from '../support/seed.js'
import { allRowsOf, randomAsked, randomRecord, searchOf } from './random-filters.js'

const RUNS = runs(200)
const LIMITS = { rows: 100, characters: 1e6, nodes: 100, depth: 8 }

async function* rowsOf(texts: readonly string[]): AsyncGenerator<Row> {
  for (const text of texts) yield { metadata: new RawJson(text) }
}

describe('logs.fields', () => {
  it('has the fields and values that obvious code counts, of any filter, field and engine state', async () => {
    const seed = testSeed()
    let compared = 0
    for (let run = 0; run < 2; run++) {
      const random = mulberry32(seed + run)
      const records = Array.from({ length: 120 }, (_, i) => randomRecord(random, i))
      const engine = openEngine({ sealRows: 30 })
      await appendAll(engine, records, 40)
      for (let i = 0; i < RUNS / 2; i++) {
        const fields = [
          '',
          '',
          'request.method',
          'response.status_code',
          'metadata.tags',
          '["deep","er"]',
          'id',
          'status',
        ]
        const [asked, field] = i === 0 ? [allRowsOf('edge_logs'), ''] : [randomAsked(random), oneOf(random, fields)]
        const params = { ...Object.fromEntries(searchOf(asked)), field }
        const expected = oracle('logs.fields', records, params, 0)
        expect(await ask(engine, 'logs.fields', params, 0), `seed ${seed + run}, ${JSON.stringify(params)}`).toEqual(
          expected,
        )
        compared += expected.length
      }
      await engine.close()
    }
    expect(compared).toBeGreaterThan(0)
  })

  it('has integers beyond 2^53 with all their digits', async () => {
    const engine = openEngine()
    const numbers = ['9007199254740993', '9007199254740992', '9007199254740993', '1e400', '"9007199254740993"']
    await appendAll(
      engine,
      numbers.map((n) => edge({ metadata: `{"a":[{"n":${n}}]}` })),
    )
    const params = { project: 'a', source: 'edge_logs', start: '1970-01-01' }
    const values =
      '[{"value":9007199254740993,"count":2},{"value":"9007199254740993","count":1},' +
      '{"value":9007199254740992,"count":1}]'
    for (const field of ['', 'a.n']) {
      expect(await ask(engine, 'logs.fields', { ...params, field }, 0)).toEqual([
        { field: 'a.n', count: 4, values: { json: values }, distinct: 3, rows: 5, is_sample: false },
      ])
    }
  })

  describe('counts the rows of a field as the filter `exists` finds them', () => {
    const START = { project: 'a', source: 'edge_logs', start: '1970-01-01' }
    it.each([
      ['a value, or an object', ['{"a":1}', '{"a":{"b":1}}', '{"a":{"b":{"c":1}}}'], { a: 3, 'a.b': 2, 'a.b.c': 1 }],
      ['a value, or a list of objects', ['{"a":"x"}', '{"a":[{"k":1}]}', '{"a":[{"k":2},3]}'], { a: 3, 'a.k': 2 }],
      ['a value, or an empty object', ['{"a":1}', '{"a":{}}', '{"a":[{}]}'], { a: 3 }],
      ['an empty list, or an object', ['{"a":[]}', '{"a":{"b":null}}', '{"a":null}', '{"b":1}'], { a: 2, b: 1 }],
      ['a list, or a list with an object second', ['{"a":[1,{"b":1}]}', '{"a":[{"b":1},1]}'], { a: 2, 'a.b': 1 }],
      ['a number with no double, or an object', ['{"a":1e999}', '{"a":{"b":1e999}}', '{"a":0}'], { a: 2 }],
      [
        'a column of its own that is an object, and of a wrong type',
        [
          '{"response":{"status_code":500}}',
          '{"response":{"status_code":{"x":1}}}',
          '{"response":{"status_code":"500"}}',
          '{"response":7}',
          '{"request":[{"method":["GET"]}]}',
          '{"request":[{"method":{"name":"GET"}}]}',
        ],
        {
          'response.status_code': 3,
          'response.status_code.x': 1,
          response: 4,
          'request.method': 2,
          'request.method.name': 1,
        },
      ],
      ['an object in the list of the metadata', ['[{"a":1}]', '[{"a":{"b":2}},{"c":3}]'], { a: 2, 'a.b': 1 }],
      [
        'names with dots',
        ['{"a.b":1}', '{"a.b":{"c":1}}', '{"a":{"b":2}}'],
        { '["a.b"]': 2, '["a.b","c"]': 1, 'a.b': 1 },
      ],
    ] as [string, string[], Record<string, number>][])('%s', async (_, texts, counts) => {
      for (const isSealed of [false, true]) {
        const engine = openEngine(isSealed ? { sealRows: 1 } : {})
        await appendAll(
          engine,
          texts.map((metadata) => edge({ metadata })),
        )
        const listed = await ask(engine, 'logs.fields', START, 0)
        expect(Object.fromEntries(listed.map(({ field, count }) => [field, count]))).toEqual(counts)
        for (const row of listed) {
          const field = String(row.field)
          const filter = JSON.stringify([{ field, op: 'exists' }])
          expect([field, (await ask(engine, 'logs.explore', { ...START, filter }, 0)).length]).toEqual([
            field,
            row.count,
          ])
          const [alone] = await ask(engine, 'logs.fields', { ...START, field }, 0)
          expect(alone).toEqual(row)
        }
        await engine.close()
      }
    })
  })

  it('refuses a name that is no field', async () => {
    const params = { project: 'a', source: 'edge_logs', field: 'a..b' }
    await expect(ask(openEngine(), 'logs.fields', params, 0)).rejects.toThrow(
      'The parameter "field" is invalid: "a..b" has an empty key. Name id, timestamp, ',
    )
  })
})

describe('a sample of fields', () => {
  it('ends after its rows or its characters, and says if there are more', async () => {
    const texts = ['{"a":1}', '{"a":2}', '{"a":3}']
    const read = async (limits: Partial<typeof LIMITS>) => {
      const { fields, rows, isCut } = await countFields(rowsOf(texts), { ...LIMITS, ...limits })
      return [fields[0]!.count, rows, isCut]
    }
    expect(await read({})).toEqual([3, 3, false])
    expect(await read({ rows: 3 })).toEqual([3, 3, false])
    expect(await read({ rows: 2 })).toEqual([2, 2, true])
    expect(await read({ characters: 8 })).toEqual([2, 2, true])
    expect(await read({ characters: 15 })).toEqual([3, 3, false])
  })

  it('closes the rows that it does not read', async () => {
    let isClosed = false
    async function* endless(): AsyncGenerator<Row> {
      try {
        for (;;) yield { metadata: new RawJson('{}') }
      } finally {
        isClosed = true
      }
    }
    await countFields(endless(), LIMITS)
    expect(isClosed).toBe(true)
  })

  it('counts no more fields than its limit, those that it saw first', async () => {
    const texts = ['{"a":1,"b":{"c":1},"d":1}', '{"d":2,"a":2,"e":1}']
    const { fields } = await countFields(rowsOf(texts), { ...LIMITS, nodes: 3 })
    expect(fields.map(({ keys, count }) => [keys.join('.'), count])).toEqual([
      ['a', 2],
      ['b.c', 1],
    ])
  })

  it('stops if it is cancelled', async () => {
    const cancelled = new AbortController()
    cancelled.abort(new Error('gone'))
    await expect(countFields(rowsOf(['{}']), LIMITS, cancelled.signal)).rejects.toThrow('gone')
  })
})
