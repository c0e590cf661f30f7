import { describe, expect, it } from 'vitest'
import { createMetrics } from '../../../../src/base/metrics.js'
import type { Gather, LazyBatch, RunContext } from '../../../../src/engine/execute/batches/lazy-batch.js'
import { createPartialCache, Key } from '../../../../src/engine/execute/caches/partial-cache.js'
import { range } from '../../../../src/engine/execute/columns/selection.js'
import { cacheMetrics } from '../../../../src/engine/execute/fields/cache-metrics.js'
import type { GroupSink } from '../../../../src/engine/execute/grouping/sink.js'
import { group } from '../../../../src/engine/execute/operators/group.js'
import { atLeast, count, countWhere, max, mean, min, quantile } from '../../../../src/plan/builder.js'
import { call, column, type Expression, literal } from '../../../../src/plan/expression.js'
import { type Scalar, Timestamp } from '../../../../src/plan/values/values.js'
import { below, mulberry32, type Random } from '../../../support/random.js'
import { invocation, numberAt, type TestRecord } from '../../../support/records.js'
import { runs } from '../../../support/runs.js'
import { testSeed } from '../../../support/seed.js'
import { frameOf, lazyBatch, openBatch, partOf, runContext, sealedBatch, valuesOf } from '../../store/support.js'

const SECOND_US = 1e6
const KEY = new Key(() => 'the project')

/** A batch, and the number of reads of the batch. */
interface CountedBatch extends LazyBatch {
  reads(): number
}

/** The rows of records in a sealed part, found by the project alone, or in an open head. */
async function batchOf(records: readonly TestRecord[], isSealed = true, key = KEY): Promise<CountedBatch> {
  const batch = isSealed && records.length > 0 ? await sealedBatch(records) : openBatch([...records, OTHER])
  const selection = records.length > 0 ? batch.projectRows('a') : range(0, 0, true)
  const part = partOf(batch, isSealed)
  const { minUs, maxUs, read } = lazyBatch(frameOf(batch, 'function_edge_logs', selection))
  let reads = 0
  const gather: Gather = (add) => {
    const isAdded = add({ batch, selection })
    if (isAdded) reads++
    return reads % 2 === 0 ? Promise.resolve(isAdded) : isAdded
  }
  return {
    minUs,
    maxUs,
    ...(isSealed && { cached: { part, key, gather } }),
    read(use) {
      reads++
      return read(use)
    },
    reads: () => reads,
  }
}

const OTHER = invocation({ project: 'other' })

const BUCKET = { name: 'bucket', value: call('timestamp_trunc', column('timestamp'), literal('second')) }
const SINK: GroupSink = {
  op: 'group',
  keys: [BUCKET],
  aggregates: Object.entries({
    n: count(),
    least: min('execution_time_ms'),
    most: max('execution_time_ms'),
    mean: mean('execution_time_ms'),
    median: quantile('execution_time_ms', 50),
    failed: countWhere(atLeast('status_code', 400)),
  }).map(([name, value]) => ({ name, value })),
}

const NUMBERS = new Set(['execution_time_ms', 'status_code'])
const isNumber = (expression: Expression) => expression.kind === 'column' && NUMBERS.has(expression.name)

async function grouped(input: readonly LazyBatch[], context: RunContext, sink = SINK): Promise<Scalar[][]> {
  return valuesOf(
    await group(input, sink, isNumber, context),
    [...sink.keys, ...sink.aggregates].map(({ name }) => name),
  )
}

/** The answer by a look at each record, buckets in order of first appearance. */
function expected(records: readonly TestRecord[]): Scalar[][] {
  const buckets = new Map<number, TestRecord[]>()
  for (const record of records) {
    const bucketUs = Math.floor(record.timestampUs / SECOND_US) * SECOND_US
    buckets.set(bucketUs, [...(buckets.get(bucketUs) ?? []), record])
  }
  return [...buckets].map(([bucketUs, found]) => {
    const times = found.flatMap(({ metadata }) => numberAt(metadata, ['execution_time_ms']) ?? []).sort((a, b) => a - b)
    const codes = found.flatMap(({ metadata }) => numberAt(metadata, ['response', 'status_code']) ?? [])
    return [
      new Timestamp(bucketUs),
      found.length,
      times[0] ?? null,
      times.at(-1) ?? null,
      times.length === 0 ? null : times.reduce((sum, time) => sum + time, 0) / times.length,
      times[Math.max(0, Math.ceil(times.length / 2) - 1)] ?? null,
      codes.filter((code) => code >= 400).length,
    ]
  })
}

/** Records of one part in order of time: whole milliseconds, some absent, some large. */
function randomRecords(random: Random, rows: number): TestRecord[] {
  const times = Array.from({ length: rows }, () => below(random, 4 * SECOND_US)).sort((a, b) => a - b)
  return times.map((timestampUs, i) => {
    const time = [below(random, 300), below(random, 9) + 70_000, null][below(random, 3)]
    const metadata = { execution_time_ms: time, response: { status_code: [200, 404, 500, null][below(random, 4)] } }
    return invocation({ id: `${i}`, timestampUs, metadata })
  })
}

const recordsAt = (...seconds: number[]): TestRecord[] =>
  seconds.map((second) => invocation({ timestampUs: second * SECOND_US, metadata: { execution_time_ms: second } }))

const reads = (batches: readonly CountedBatch[]) => batches.map((batch) => batch.reads())

describe('parts with few rows', () => {
  it('give the groups of their rows, whatever their sizes, how many are open, and what is kept', async () => {
    const seed = testSeed()
    console.log(`parts with few rows: seed ${seed}`)
    const random = mulberry32(seed)
    for (let run = 0; run < runs(60); run++) {
      const lists = Array.from({ length: 1 + below(random, 8) }, () => {
        const most = [1, 5, 40, 700][below(random, 4)]!
        return randomRecords(random, below(random, most))
      })
      const areSealed = lists.map(() => below(random, 4) > 0)
      const batches = await Promise.all(lists.map((records, i) => batchOf(records, areSealed[i])))
      const { context } = runContext()
      for (let asked = 0; asked < 12; asked++) {
        const from = below(random, Math.min(2, batches.length))
        const to = from + 1 + below(random, batches.length - from)
        const [sealed, open] = [true, false].map((isSealed) =>
          lists.slice(from, to).filter((_, i) => areSealed[from + i] === isSealed),
        )
        const answer = await grouped(batches.slice(from, to), context)
        expect(answer).toEqual(expected([...sealed!, ...open!].flat()))
      }
    }
  })

  it('are read once together: their groups are kept, those of a later part beside them', async () => {
    const lists = [recordsAt(5, 6), [], recordsAt(6), recordsAt(2)]
    const batches = await Promise.all(lists.map((records) => batchOf(records)))
    const { context } = runContext()
    const first = batches.slice(0, 3)
    for (let asked = 0; asked < 3; asked++)
      expect(await grouped(first, context)).toEqual(expected(lists.slice(0, 3).flat()))
    expect(reads(batches)).toEqual([1, 1, 1, 0])
    const alone = runContext().context
    await grouped([await batchOf(lists[0]!)], alone)
    expect(context.partialCache.bytes()).toBeLessThan(1.5 * alone.partialCache.bytes())
    for (let asked = 0; asked < 3; asked++) expect(await grouped(batches, context)).toEqual(expected(lists.flat()))
    expect(reads(batches)).toEqual([1, 1, 1, 1])
  })

  it('are read again if the first of them is no longer read, and if only some of them are', async () => {
    const lists = [recordsAt(5, 6), recordsAt(6), recordsAt(2)]
    const batches = await Promise.all(lists.map((records) => batchOf(records)))
    const { context } = runContext()
    await grouped(batches, context)
    for (let asked = 0; asked < 2; asked++)
      expect(await grouped(batches.slice(1), context)).toEqual(expected(lists.slice(1).flat()))
    expect(reads(batches)).toEqual([1, 2, 2])
    for (let asked = 0; asked < 2; asked++)
      expect(await grouped(batches.slice(0, 2), context)).toEqual(expected(lists.slice(0, 2).flat()))
    expect(reads(batches)).toEqual([2, 3, 2])
  })

  it('are at most 32 together, so that few are read again when a window has moved on', async () => {
    const lists = Array.from({ length: 40 }, (_, i) => recordsAt(i % 3))
    const batches = await Promise.all(lists.map((records) => batchOf(records)))
    const { context } = runContext()
    await grouped(batches, context)
    for (let asked = 0; asked < 2; asked++)
      expect(await grouped(batches.slice(1), context)).toEqual(expected(lists.slice(1).flat()))
    expect(reads(batches)).toEqual([1, ...Array(31).fill(2), ...Array(8).fill(1)])
  })

  it('are not taken for parts that other filters have found', async () => {
    const [first, second] = [recordsAt(5), recordsAt(6)]
    const [one, two] = [await batchOf(first), await batchOf(second)]
    const nothing = await batchOf([], true, new Key(() => 'another'))
    const filtered = { ...nothing, cached: { ...nothing.cached!, part: two.cached!.part } }
    const { context } = runContext()
    for (let asked = 0; asked < 2; asked++) {
      expect(await grouped([one, two], context)).toEqual(expected([...first, ...second]))
      expect(await grouped([one, filtered], context)).toEqual(expected(first))
    }
  })

  it('keep their place before parts whose groups are kept', async () => {
    const [first, second] = [recordsAt(9), recordsAt(7)]
    const [one, two] = [await batchOf(first), await batchOf(second)]
    const { context } = runContext()
    await grouped([two], context)
    for (let asked = 0; asked < 2; asked++)
      expect(await grouped([one, two], context)).toEqual(expected([...first, ...second]))
    expect(reads([one, two])).toEqual([1, 1])
  })

  it('keep their place before and after parts with many rows', async () => {
    const lists = [recordsAt(9), randomRecords(mulberry32(1), 2_000), recordsAt(7), recordsAt(8, 9)]
    const batches = await Promise.all(lists.map((records) => batchOf(records)))
    const { context } = runContext()
    for (let asked = 0; asked < 2; asked++) expect(await grouped(batches, context)).toEqual(expected(lists.flat()))
    expect(reads(batches)).toEqual([1, 1, 1, 1])
  })

  it('are grouped one by one by texts, whose codes differ between parts', async () => {
    const records = (...ids: string[]) => ids.map((id) => invocation({ metadata: { function_id: id } }))
    const batches = [await batchOf(records('f', 'g')), await batchOf(records('g', 'h', 'h'))]
    const sink = {
      ...SINK,
      keys: [{ name: 'f', value: column('function_id') }],
      aggregates: SINK.aggregates.slice(0, 1),
    }
    const { context } = runContext()
    for (let asked = 0; asked < 2; asked++) {
      expect(await grouped(batches, context, sink)).toEqual([
        ['f', 1],
        ['g', 2],
        ['h', 2],
      ])
    }
    expect(reads(batches)).toEqual([1, 1])
    expect(await grouped(batches.slice(1), context, sink)).toHaveLength(2)
    expect(reads(batches)).toEqual([1, 1])
  })

  it('are grouped one by one by what is stored cold', async () => {
    const batches = [await batchOf([invocation({ event_message: 'm' })]), await batchOf([invocation()])]
    const sink = {
      ...SINK,
      keys: [{ name: 'm', value: column('event_message') }],
      aggregates: SINK.aggregates.slice(0, 1),
    }
    expect(await grouped(batches, runContext().context, sink)).toEqual([
      ['m', 1],
      ['', 1],
    ])
  })
})

describe('many parts', () => {
  /** Parts with rows that are not found at once: the groups of each are cached. */
  async function partsOf(lists: readonly TestRecord[][]): Promise<CountedBatch[]> {
    const batches = await Promise.all(lists.map((records) => batchOf(records)))
    return batches.map((batch) => ({ ...batch, cached: { part: batch.cached!.part, key: KEY } }))
  }

  it('are merged in a few runs by a window that moves on', async () => {
    const lists = Array.from({ length: 300 }, (_, i) => recordsAt(i % 3, 5))
    const batches = await partsOf(lists)
    const { context } = runContext()
    const { partialCache } = context
    let found = 0
    context.partialCache = {
      ...partialCache,
      get<T extends object>(part: object, key: string) {
        const entry = partialCache.get<T>(part, key)
        if (entry !== undefined) found++
        return entry
      },
    }
    const counts: number[] = []
    for (let from = 0; from < 100; from++) {
      found = 0
      const window = batches.slice(from, from + 200)
      expect(await grouped(window, context)).toEqual(expected(lists.slice(from, from + 200).flat()))
      counts.push(found)
    }
    expect(reads(batches).every((count) => count <= 1)).toBe(true)
    // Which parts begin a run is left to chance: about 60 look-ups a window, and at most 80 in a thousand simulations.
    expect(counts.slice(50).reduce((sum, count) => sum + count, 0) / 50).toBeLessThan(100)
  })

  it('give the groups of their rows for any range, whatever parts are dropped and what is evicted', async () => {
    const seed = testSeed()
    console.log(`many parts: seed ${seed}`)
    const random = mulberry32(seed)
    for (let run = 0; run < runs(20); run++) {
      let lists = Array.from({ length: 80 }, () => recordsAt(below(random, 2), 2 + below(random, 2)))
      let batches = await partsOf(lists)
      const { context } = runContext()
      context.partialCache = createPartialCache(
        [20_000, 1e6][below(random, 2)]!,
        cacheMetrics(createMetrics(), 'partials'),
      )
      for (let asked = 0; asked < 30; asked++) {
        const from = below(random, batches.length)
        const to = from + 1 + below(random, batches.length - from)
        expect(await grouped(batches.slice(from, to), context)).toEqual(expected(lists.slice(from, to).flat()))
        const dropped = below(random, batches.length)
        if (random() < 0.7) continue
        context.partialCache.drop([batches[dropped]!.cached!.part.owner])
        batches = batches.filter((_, i) => i !== dropped)
        lists = lists.filter((_, i) => i !== dropped)
      }
    }
  })

  it('of groups that have little in common keep the groups of each part alone', async () => {
    const lists = Array.from({ length: 40 }, (_, i) => recordsAt(2 * i, 2 * i + 1))
    const batches = await partsOf(lists)
    const { context } = runContext()
    const { partialCache } = context
    let puts = 0
    context.partialCache = {
      ...partialCache,
      put(...entry) {
        puts++
        partialCache.put(...entry)
      },
    }
    await grouped(batches, context)
    await grouped(batches.slice(1), context)
    puts = 0
    for (let from = 2; from < 10; from++)
      expect(await grouped(batches.slice(from), context)).toEqual(expected(lists.slice(from).flat()))
    // The groups of all parts that are read.
    expect(puts).toBe(8)
  })
})

describe('parts that are read again', () => {
  it('are looked up together, once their groups were merged', async () => {
    const random = mulberry32(2)
    const lists = Array.from({ length: 4 }, () => randomRecords(random, 600))
    const batches = await Promise.all(lists.map((records) => batchOf(records)))
    const { context } = runContext()
    const { partialCache } = context
    let lookups = 0
    context.partialCache = {
      ...partialCache,
      get(part, key) {
        lookups++
        return partialCache.get(part, key)
      },
    }
    const counts: number[] = []
    for (const parts of [3, 3, 3, 4, 4, 4, 2, 2, 2, 4]) {
      lookups = 0
      expect(await grouped(batches.slice(0, parts), context)).toEqual(expected(lists.slice(0, parts).flat()))
      counts.push(lookups)
    }
    expect(counts).toEqual([4, 4, 1, 2, 2, 1, 3, 1, 1, 3])
    expect(reads(batches)).toEqual([1, 1, 1, 1])
  })
})
