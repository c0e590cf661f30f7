import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { blocksOf } from '../../../../src/engine/execute/batches/blocks.js'
import type { LazyBatch } from '../../../../src/engine/execute/batches/lazy-batch.js'
import { range } from '../../../../src/engine/execute/columns/selection.js'
import { createEvaluate } from '../../../../src/engine/execute/expressions/evaluate.js'
import type { Frame } from '../../../../src/engine/execute/expressions/frame.js'
import { storedFrame } from '../../../../src/engine/execute/expressions/stored-frame.js'
import { isCold } from '../../../../src/engine/execute/expressions/vector.js'
import { createFieldReader } from '../../../../src/engine/execute/fields/read-fields.js'
import { filter } from '../../../../src/engine/execute/operators/filter.js'
import { unnest } from '../../../../src/engine/execute/operators/unnest.js'
import { kindsOf } from '../../../../src/engine/execute/stages/source-kinds.js'
import { call, column, type Expression, literal } from '../../../../src/plan/expression.js'
import { RawJson, type Scalar, Timestamp } from '../../../../src/plan/values/values.js'
import { edge } from '../../../support/records.js'
import {
  computed,
  frameOf,
  lazyBatch,
  noYield,
  openBatch,
  partOf,
  runContext,
  sealedBatch,
} from '../../store/support.js'

const step = (list: Expression, isOuter = false) => ({ op: 'unnest', list, name: 'm', isOuter }) as const
const KINDS = kindsOf('edge_logs')
const json = (text: string) => new RawJson(text)

/** The values of columns, and how many rows more than before were counted as scanned. */
async function rowsOf(input: LazyBatch, operator: ReturnType<typeof step>, ...names: readonly string[]) {
  const { context, told } = runContext()
  const [batch] = unnest([input], operator, [], context)
  const rows = await batch!.read(async (frame) => {
    const vectors = names.map((name) => frame.column(name)!)
    const values: Scalar[][] = []
    for await (const { from, to } of blocksOf(frame, vectors, noYield)) {
      for (let position = from; position < to; position++) values.push(vectors.map(({ at }) => at(position)))
    }
    return values
  })
  return { rows, scanned: told.scanned }
}

describe('an unnest', () => {
  const input = computed({
    x: [
      json('[1,"a",null,{"b":1.0}]'),
      json('{"c": 2}'),
      json('[]'),
      null,
      5,
      'text',
      true,
      new Timestamp(1),
      ['p', 'q'],
    ],
    n: [0, 1, 2, 3, 4, 5, 6, 7, 8],
  })
  const elements: Scalar[][] = [
    [0, 1],
    [0, 'a'],
    [0, null],
    [0, json('{"b":1.0}')],
    [1, json('{"c": 2}')],
    [8, 'p'],
    [8, 'q'],
  ]

  it('has a row for each element of a list, one for an object, and none for any other value', async () => {
    expect((await rowsOf(input, step(column('x')), 'n', 'm')).rows).toEqual(elements)
  })

  it('has a row of null for these if it is outer', async () => {
    const nulls = [2, 3, 4, 5, 6, 7].map((n) => [n, null])
    const expected = [...elements.slice(0, 5), ...nulls, ...elements.slice(5)]
    expect((await rowsOf(input, step(column('x'), true), 'n', 'm')).rows).toEqual(expected)
  })

  it('counts the rows that it makes beyond those it was given', async () => {
    expect((await rowsOf(computed({ x: [json('[1,2,3]'), null] }), step(column('x')), 'm')).scanned).toBe(1)
    expect((await rowsOf(computed({ x: [null, null] }), step(column('x')), 'm')).scanned).toBe(0)
  })

  it('makes as many rows of a batch as fit into memory', async () => {
    const made = (rows: number) => {
      const lists = computed({ x: Array(rows).fill(json('[1,2,3,4,5,6,7,8,9,10]')) })
      const [batch] = unnest([lists], step(column('x')), [], runContext({ bytes: 16_000 }).context)
      return batch!.read((frame) => frame.rows)
    }
    expect(await made(100)).toBe(1_000)
    await expect(made(101)).rejects.toMatchObject({ code: 'too_much_memory' })
  })

  it('reads lists of cold columns, and cold columns behind it, of any rows that are kept', async () => {
    const records = Array.from({ length: 700 }, (_, i) =>
      edge({ id: `${i}`, timestampUs: i, metadata: { a: [i, i + 0.5] } }),
    )
    for (const batch of [openBatch(records), await sealedBatch(records)]) {
      const frame = frameOf(batch, 'edge_logs', batch.projectRows('a'))
      const { rows } = await rowsOf(lazyBatch(frame), step(column('metadata')), 'id', 'm')
      expect(rows).toEqual(records.map(({ id, metadata }) => [id, json(metadata)]))
    }
  })

  it('evaluates its list in rows that reach it alone', async () => {
    const failing = call('split', call('cast_string', call('div', literal(1), column('n'))), literal('.'))
    await expect(rowsOf(computed({ n: [1, 0] }), step(failing), 'm')).rejects.toMatchObject({ code: 'invalid_sql' })
    expect((await rowsOf(computed({ n: [2] }), step(failing), 'm')).rows).toEqual([['0'], ['5']])
  })

  it('gives results that may be kept another key for another list', () => {
    const batch = openBatch([edge()])
    const cached = lazyBatch(frameOf(batch, 'edge_logs'), partOf(batch, true))
    const keyOf = (operator: ReturnType<typeof step>) =>
      unnest([cached], operator, [], runContext().context)[0]!.cached!.key.hash
    const keys = [step(column('metadata')), step(column('metadata'), true), step(column('url'))].map(keyOf)
    expect(new Set([...keys, cached.cached!.key.hash]).size).toBe(4)
    expect(keyOf(step(column('metadata')))).toBe(keys[0])
  })
})

describe('the elements of a long frame', () => {
  it('are read again when they are needed, with the same rows', async () => {
    const element = fc.oneof(fc.integer(), fc.string({ maxLength: 5 }), fc.constant(null))
    const lists = fc.sample(fc.array(element, { maxLength: 4 }), { numRuns: 60, seed: 1 })
    const long = `"${'x'.repeat(400_000)}"`
    const texts = lists.map((list) => `[${[...list.map((one) => JSON.stringify(one)), long].join(',')}]`)
    const shorts = computed({ x: lists.map((list) => json(JSON.stringify([...list, 'long']))), n: [...lists.keys()] })
    const longs = computed({ x: texts.map(json), n: [...lists.keys()] })
    const shown = (rows: readonly Scalar[][]) =>
      rows.map(([n, m]) => [n, typeof m === 'string' && m.length === 400_000 ? 'long' : m])
    const [kept, read] = [
      await rowsOf(shorts, step(column('x'), true), 'n', 'm'),
      await rowsOf(longs, step(column('x'), true), 'n', 'm'),
    ]
    expect(shown(read.rows)).toEqual(kept.rows)
    expect(read.scanned).toBe(kept.scanned)
  })

  it('need their cold columns then, also behind a filter', async () => {
    const pad = 'x'.repeat(90_000)
    const records = Array.from({ length: 200 }, (_, i) => edge({ timestampUs: i, metadata: { n: i, pad } }))
    const { context } = runContext()
    const [batch] = unnest([lazyBatch(frameOf(openBatch(records), 'edge_logs'))], step(column('metadata')), [], context)
    const n = call('json_value', column('m'), literal('$.n'))
    const [kept] = filter([batch!], [call('ends_with', n, literal('7'))], context)
    const found = await kept!.read(async (frame) => {
      expect(isCold(frame.column('m')!)).toBe(true)
      await frame.load(Uint32Array.of(0, 1, 2), noYield)
      return [0, 1, 2].map((position) => (frame.column('m')!.at(position) as RawJson).text.slice(0, 8))
    })
    expect(found).toEqual(['{"n":7,"', '{"n":17,', '{"n":27,'])
  })
})

describe('lists of one object each', () => {
  const request = call('field', column('metadata'), literal('request'))
  const method = call('field', column('m'), literal('method'))
  const GET = { request: { method: 'GET' } }

  /** Calls `use` with the rows that an unnest makes of the requests of records. */
  async function ofRequests<T>(requests: readonly object[], isOuter: boolean, use: (frame: Frame) => T): Promise<T> {
    const { context } = runContext()
    const batch = await sealedBatch(requests.map((metadata, i) => edge({ id: `${i}`, timestampUs: i, metadata })))
    const fields = createFieldReader(batch, {}, context.fieldCache)
    const input = lazyBatch(storedFrame(batch, range(0, batch.rows, true), KINDS, fields))
    const [made] = unnest([input], step(request, isOuter), [], context)
    return made!.read(use)
  }

  const methodsOf = (frame: Frame) => {
    const { at } = createEvaluate(frame)(method)
    return Array.from({ length: frame.rows }, (_, i) => at(i))
  }

  it('are not copied: fields of the element are those of the record, by the entries of their dictionary', async () => {
    const lists = [GET, { request: [{ method: 'PUT' }] }, { request: {} }]
    await ofRequests(lists, false, (frame) => {
      expect(createEvaluate(frame)(method).kind).toBe('entries')
      expect(methodsOf(frame)).toEqual(['GET', 'PUT', null])
    })
  })

  it('leave out records without one, unless the join is an outer one', async () => {
    const lists = [GET, {}, { request: 'x' }, { request: [] }, { request: null }, GET]
    expect(await ofRequests(lists, false, methodsOf)).toEqual(['GET', 'GET'])
    expect(await ofRequests(lists, true, methodsOf)).toEqual(['GET', null, null, null, null, 'GET'])
  })

  it('are read together with those of the unnests behind them', async () => {
    const { context } = runContext()
    const metadata = { request: { headers: [{ host: 'a' }] } }
    const batch = await sealedBatch([edge({ id: '1', timestampUs: 1, metadata }), edge({ id: '2', timestampUs: 2 })])
    let reads = 0
    const counted: typeof batch = {
      ...batch,
      readColdTexts(...args) {
        reads++
        return batch.readColdTexts(...args)
      },
    }
    const fields = createFieldReader(counted, {}, context.fieldCache)
    const input = lazyBatch(storedFrame(counted, range(0, batch.rows, true), KINDS, fields))
    const [first, second] = [step(request), { ...step(call('field', column('m'), literal('headers'))), name: 'h' }]
    const made = unnest(unnest([input], first, [second], context), second, [], context)
    await made[0]!.read((frame) => {
      expect(frame.rows).toBe(1)
      expect(frame.elements!.get('h')!.keys).toEqual(['request', 'headers'])
    })
    expect(reads).toBe(1)
  })

  it('are copied if one record has another list', async () => {
    const several = { request: [{ method: 'POST' }, { method: 'PUT' }, 'x'] }
    await ofRequests([GET, several], false, (frame) => {
      expect(createEvaluate(frame)(method).kind).toBe('computed')
      expect(frame.rows).toBe(4)
    })
  })
})
