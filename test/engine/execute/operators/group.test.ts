import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LazyBatch, RunContext } from '../../../../src/engine/execute/batches/lazy-batch.js'
import { Key } from '../../../../src/engine/execute/caches/partial-cache.js'
import type { Frame } from '../../../../src/engine/execute/expressions/frame.js'
import { group } from '../../../../src/engine/execute/operators/group.js'
import type { Aggregate } from '../../../../src/plan/aggregates.js'
import { count, max } from '../../../../src/plan/builder.js'
import { call, column, type Expression, literal } from '../../../../src/plan/expression.js'
import { RawJson, type Scalar, Timestamp } from '../../../../src/plan/values/values.js'
import { edge } from '../../../support/records.js'
import {
  computed,
  frameOf,
  lazyBatch,
  openBatch,
  partOf,
  runContext,
  sealedBatch,
  valuesOf,
} from '../../store/support.js'

const COUNT = { n: count() }

/** Groups the rows of batches, and gives their keys and aggregates. */
async function grouped(
  input: readonly LazyBatch[],
  keys: Readonly<Record<string, Expression>>,
  aggregates: Readonly<Record<string, Aggregate>> = COUNT,
  context: RunContext = runContext().context,
): Promise<Scalar[][]> {
  const sink = {
    op: 'group',
    keys: Object.entries(keys).map(([name, value]) => ({ name, value })),
    aggregates: Object.entries(aggregates).map(([name, value]) => ({ name, value })),
  } as const
  const frame = await group(input, sink, () => false, context)
  return valuesOf(frame, [...Object.keys(keys), ...Object.keys(aggregates)])
}

const [x, y] = [column('x'), column('y')]

describe('grouping', () => {
  it('numbers groups in order of first appearance, over all batches', async () => {
    const input = [computed({ x: [5, 0] }), computed({ x: [5, -1, 0] })]
    expect(await grouped(input, { x })).toEqual([
      [5, 2],
      [0, 2],
      [-1, 1],
    ])
  })

  it('gives each row the group of its keys, whatever their types', async () => {
    const value = fc.constantFrom<Scalar>(null, true, 1, '1', '', new Timestamp(1), new RawJson('{"a":1.0}'), 2n ** 60n)
    const rows = fc.array(fc.tuple(value, fc.constantFrom<Scalar>('a', null)), { maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(fc.array(rows, { maxLength: 4 }), async (lists) => {
        const input = lists.map((list) => computed({ x: list.map(([one]) => one), y: list.map(([, other]) => other) }))
        const counts = new Map<string, Scalar[]>()
        for (const [one, other] of lists.flat()) {
          const key = JSON.stringify([typeof one, typeof one === 'bigint' ? `${one}` : one, other])
          const known = counts.get(key) ?? [one, other, 0]
          counts.set(key, [one, other, (known[2] as number) + 1])
        }
        expect(await grouped(input, { x, y })).toEqual([...counts.values()])
      }),
    )
  })

  it('is one row without keys, also of nothing', async () => {
    expect(await grouped([computed({ x: [1, 2] }), computed({ x: [3] })], {}, { n: count(), most: max(x) })).toEqual([
      [3, 3],
    ])
    expect(await grouped([], {}, { n: count(), most: max(x) })).toEqual([[0, null]])
    expect(await grouped([computed({ x: [] })], {})).toEqual([[0]])
    expect(await grouped([computed({ x: [] })], { x })).toEqual([])
  })

  it('puts entries of one value together, and absent ones', async () => {
    const urls = ['http://h/a?1', 'http://h/a?2', undefined, '/b', undefined, 'http://h/a?1']
    const records = urls.map((url, timestampUs) => edge({ timestampUs, metadata: { request: { url } } }))
    for (const batch of [openBatch(records), await sealedBatch(records)]) {
      const input = [lazyBatch(frameOf(batch, 'edge_logs', batch.projectRows('a')))]
      for (const path of [
        call('url_path', column('url')),
        call('substr', call('url_path', column('url')), literal(1)),
      ]) {
        expect(await grouped(input, { path })).toEqual([
          ['/a', 3],
          [null, 2],
          ['/b', 1],
        ])
      }
    }
  })

  it('raises the error of a key in a row, and of none that is not there', async () => {
    const failing = call('div', literal(1), x)
    await expect(grouped([computed({ x: [1, 0] })], { failing })).rejects.toMatchObject({ code: 'invalid_sql' })
    expect(await grouped([computed({ x: [1, 2] })], { failing })).toHaveLength(2)
  })

  it('reads cold columns', async () => {
    const records = Array.from({ length: 1_300 }, (_, i) => edge({ id: `${i % 3}`, timestampUs: i }))
    for (const batch of [openBatch(records), await sealedBatch(records)]) {
      const input = [lazyBatch(frameOf(batch, 'edge_logs', batch.projectRows('a')))]
      expect(await grouped(input, { id: column('id') })).toEqual([
        ['0', 434],
        ['1', 433],
        ['2', 433],
      ])
    }
  })
})

describe('groups', () => {
  const many = (rows: number) => computed({ x: Array.from({ length: rows }, (_, i) => `${i}`) })

  it('may be as many as their limit, and not one more', async () => {
    expect(await grouped([many(50)], { x }, COUNT, runContext({ groups: 50 }).context)).toHaveLength(50)
    await expect(grouped([many(51)], { x }, COUNT, runContext({ groups: 50 }).context)).rejects.toMatchObject({
      code: 'too_many_groups',
    })
  })

  it('may take so much memory and no more, what their aggregates collect included', async () => {
    const lists = { list: { fn: 'array_agg', args: [x] } } as const
    await expect(grouped([many(5_000)], {}, lists, runContext({ bytes: 50_000 }).context)).rejects.toMatchObject({
      code: 'too_many_groups',
    })
    expect(await grouped([many(5_000)], {}, COUNT, runContext({ bytes: 50_000 }).context)).toEqual([[5_000]])
  })

  it('stop and yield while they are made', async () => {
    const context = runContext({}, () => {
      throw new Error('unwanted')
    }).context
    await expect(grouped([many(3)], { x }, COUNT, context)).rejects.toThrow('unwanted')
  })
})

describe('the groups of a sealed part', () => {
  it('are kept by keys and aggregates, and read once', async () => {
    const batch = openBatch([edge({ project: 'a' }), edge({ project: 'b' })])
    let reads = 0
    const input = lazyBatch(frameOf(batch, 'edge_logs'), partOf(batch, true))
    const counted: LazyBatch = {
      ...input,
      read(use) {
        reads++
        return input.read(use)
      },
    }
    const { context } = runContext()
    const project = { project: column('project') }
    const sequence: Record<string, Expression>[] = [project, project, {}, project, { other: column('project') }]
    for (const keys of sequence) await grouped([counted], keys, COUNT, context)
    expect(reads).toBe(2)
    await grouped([counted], project, { n: max('status_code') }, context)
    expect(reads).toBe(3)
    const other = { ...counted, cached: { ...counted.cached!, key: new Key(() => 'filtered') } }
    await grouped([other], project, COUNT, context)
    expect(reads).toBe(4)
  })

  it('are not kept if they are many: a limit of memory is for all parts together', async () => {
    const records = Array.from({ length: 2_000 }, (_, i) => edge({ project: `${i}` }))
    const batch = openBatch(records)
    const part = partOf(batch, true)
    const { context } = runContext({ bytes: 2_000_000 })
    const project = { project: column('project') }
    expect(await grouped([lazyBatch(frameOf(batch, 'edge_logs'), part)], project, COUNT, context)).toHaveLength(2_000)
    expect(context.partialCache.bytes()).toBe(0)
  })

  it('are kept of all parts together if there are almost as many as rows', async () => {
    const input = [0, 1, 2, 3].map((part) => {
      const batch = openBatch(Array.from({ length: 200 }, (_, i) => edge({ project: `${(i + 50 * part) % 199}` })))
      return lazyBatch(frameOf(batch, 'edge_logs'), partOf(batch, true))
    })
    const { context } = runContext()
    const reads = input.map(() => 0)
    const counting = input.map((batch, i) => ({
      ...batch,
      read: <T>(use: (frame: Frame) => T | Promise<T>) => {
        reads[i]!++
        return batch.read(use)
      },
    }))
    const countsOf = async (batches: readonly LazyBatch[]) => {
      const rows = await grouped(batches, { project: column('project') }, COUNT, context)
      const counts = new Map<unknown, unknown>(rows.map(([project, n]) => [project, n]))
      return [rows.length, counts.get('0'), counts.get('50'), counts.get('7'), counts.get('150')]
    }
    for (let run = 0; run < 3; run++) expect(await countsOf(counting.slice(0, 3))).toEqual([199, 4, 4, 3, 3])
    expect(reads).toEqual([1, 1, 1, 0])
    for (let run = 0; run < 2; run++) expect(await countsOf(counting)).toEqual([199, 5, 5, 4, 5])
    expect(reads).toEqual([1, 1, 1, 1])
  })
})
