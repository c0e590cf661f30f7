import { describe, expect, it } from 'vitest'
import { Interner } from '../../../../src/base/memory/interner.js'
import { createMetrics } from '../../../../src/base/metrics.js'
import type { Batch } from '../../../../src/engine/execute/columns/batch.js'
import type { FieldPath, StoredField } from '../../../../src/engine/execute/columns/field-path.js'
import { none, range, type Selection } from '../../../../src/engine/execute/columns/selection.js'
import { cacheMetrics } from '../../../../src/engine/execute/fields/cache-metrics.js'
import { createFieldCache } from '../../../../src/engine/execute/fields/field-cache.js'
import {
  FIRST_VALUE,
  type FieldColumn,
  RESERVED,
  valueOfCode,
} from '../../../../src/engine/execute/fields/field-column.js'
import { createFieldReader } from '../../../../src/engine/execute/fields/read-fields.js'
import type { Scalar } from '../../../../src/plan/values/values.js'
import { createFakeClock } from '../../../support/clock.js'
import { edge } from '../../../support/records.js'
import { noYield, openBatch, sealedBatch } from '../../store/support.js'

const RECORDS = Array.from({ length: 2_000 }, (_, i) =>
  edge({
    id: `${i}`,
    timestampUs: i,
    project: 'a',
    metadata: { n: i, even: i % 2 === 0, sub: [{ text: `t${i % 7}` }] },
  }),
)
const valueAt = (...keys: readonly string[]): FieldPath => ({ keys, isCount: false })
const N = valueAt('n')
const TEXT = valueAt('sub', 'text')
/** The stored column of the path `sub.text`, with the values in another order than the rows have these. */
function storedTexts(): StoredField {
  const dictionary = new Interner()
  for (const entry of [RESERVED.subarray(0, 1), RESERVED.subarray(1, 2), RESERVED.subarray(2)])
    dictionary.intern(entry, 0, entry.length)
  for (let i = 6; i >= 0; i--) dictionary.intern(Buffer.from(`"t${i}`), 0, 3)
  const codes = Uint8Array.from(RECORDS, (_, row) => FIRST_VALUE + 6 - (row % 7))
  return { codes, dictionary, hasOnlyTexts: true }
}

const all = range(0, RECORDS.length, true)
const rows = (...indices: number[]): Selection => ({
  kind: 'indices',
  indices: Uint32Array.from(indices),
  timeOrdered: true,
})

const cacheOf = (bytes = 1e7) => createFieldCache(bytes, cacheMetrics(createMetrics(), 'fields'), createFakeClock())

/** A batch, and the first row of each read of texts. With `delay` the texts arrive later, as from a disk. */
function watched(batch: Batch, delay?: () => Promise<void>): { batch: Batch; reads: number[] } {
  const reads: number[] = []
  const readColdTexts: Batch['readColdTexts'] = (column, row, memory) => {
    const read = () => {
      const texts = batch.readColdTexts(column, row, memory)
      if (texts instanceof Promise) throw new Error('The batch is in memory.')
      reads.push(texts.from)
      return texts
    }
    return delay === undefined ? read() : delay().then(read)
  }
  return { batch: { ...batch, readColdTexts }, reads }
}

function valuesOf(column: FieldColumn, wanted: readonly number[]): Scalar[] {
  const { codes, dictionary } = column.snapshot()
  return wanted.map((row) => valueOfCode(dictionary, codes[row]!, false))
}

describe.each([
  ['an open head', async () => openBatch(RECORDS)],
  ['a sealed batch', () => sealedBatch(RECORDS)],
] as const)('the fields of %s', (_, make) => {
  it('are read of the selected rows, with their neighbours untouched', async () => {
    const { batch, reads } = watched(await make())
    const reader = createFieldReader(batch, {}, cacheOf())
    const [n, text] = await reader.read([N, TEXT], rows(3, 5, 1_999), noYield)
    expect(valuesOf(n!, [3, 5, 1_999])).toEqual([3, 5, 1_999])
    expect(valuesOf(text!, [3, 5, 1_999])).toEqual(['t3', 't5', 't4'])
    expect([n!.isRead(3), n!.isRead(4), n!.isRead(1_998)]).toEqual([true, false, false])
    expect(reads).toHaveLength(2)
    await reader.read([N], none, noYield)
    expect(reads).toHaveLength(2)
  })

  it('are read once, and later only in rows that are missing', async () => {
    const { batch, reads } = watched(await make())
    const owner = {}
    const cache = cacheOf()
    await createFieldReader(batch, owner, cache).read([N], all, noYield)
    const whole = reads.length
    const [n] = await createFieldReader(batch, owner, cache).read([N], all, noYield)
    expect(reads).toHaveLength(whole)
    expect(valuesOf(n!, [0, 1_999])).toEqual([0, 1_999])
    const [, text] = await createFieldReader(batch, owner, cache).read([N, TEXT], rows(10), noYield)
    expect([reads.length, valuesOf(text!, [10])]).toEqual([whole + 1, ['t3']])
    await createFieldReader(batch, {}, cache).read([N], rows(10), noYield)
    expect(reads).toHaveLength(whole + 2)
  })

  it('are more than one walk can extract', async () => {
    const paths = Array.from({ length: 150 }, (_, i) => (i % 2 === 0 ? valueAt(`none${i}`) : i === 149 ? N : TEXT))
    const columns = await createFieldReader(await make(), {}, cacheOf()).read(paths, rows(0, 8), noYield)
    expect(columns.slice(147).map((column) => valuesOf(column, [8]))).toEqual([['t1'], [null], [8]])
  })

  it('are those of their rows while others are read at the same time', async () => {
    const { batch } = watched(await make(), () => new Promise((resolve) => setImmediate(resolve)))
    const cache = cacheOf()
    const owner = {}
    const read = (paths: readonly FieldPath[], selection: Selection) =>
      createFieldReader(batch, owner, cache).read(paths, selection, noYield)
    const [[first], [second, third], [fourth]] = await Promise.all([
      read([N], all),
      read([TEXT, N], all),
      read([valueAt('even')], range(100, 1_500, true)),
    ] as const)
    expect(second).not.toBe(first)
    expect(third).toBe(first)
    const wanted = RECORDS.map((_, i) => i)
    expect(valuesOf(first!, wanted)).toEqual(wanted)
    expect(valuesOf(second!, wanted)).toEqual(wanted.map((i) => `t${i % 7}`))
    expect(valuesOf(fourth!, [100, 101])).toEqual([true, false])
  })

  it('can be read again after texts could not be read', async () => {
    const whole = await make()
    let isDamaged = true
    const readColdTexts: Batch['readColdTexts'] = async (...args) => {
      if (isDamaged) throw new Error('damaged')
      return whole.readColdTexts(...args)
    }
    const reader = createFieldReader({ ...whole, readColdTexts }, {}, cacheOf())
    await expect(reader.read([N], all, noYield)).rejects.toThrow('damaged')
    isDamaged = false
    const [n] = await reader.read([N], all, noYield)
    expect(valuesOf(n!, [0, 1_999])).toEqual([0, 1_999])
  })

  it('keep the values of columns that are stored, whichever rows other columns are read in first', async () => {
    const stored = storedTexts()
    const readStoredFields: Batch['readStoredFields'] = async (paths) =>
      paths.map((path) => (path === TEXT ? stored : undefined))
    for (const selection of [all, rows(5, 1_990), rows(3, 5, 1_999)]) {
      const reader = createFieldReader({ ...(await make()), readStoredFields }, {}, cacheOf())
      const [text, n] = await reader.read([TEXT, N], selection, noYield)
      expect(valuesOf(text!, [0, 3, 5, 1_990, 1_999])).toEqual(['t0', 't3', 't5', 't2', 't4'])
      expect(valuesOf(n!, [5])).toEqual([5])
    }
  })

  it('keep the values of columns that another reader finds stored meanwhile', async () => {
    const stored = storedTexts()
    const whole = await make()
    const { batch } = watched(whole, () => new Promise((resolve) => setImmediate(resolve)))
    const cache = cacheOf()
    const owner = {}
    const readStoredFields: Batch['readStoredFields'] = async (paths) => paths.map(() => stored)
    const [[text]] = await Promise.all([
      createFieldReader(batch, owner, cache).read([TEXT, N], rows(5, 1_990), noYield),
      createFieldReader({ ...whole, readStoredFields }, owner, cache).read([TEXT], all, noYield),
    ])
    expect(valuesOf(text!, [0, 5, 1_990])).toEqual(['t0', 't5', 't2'])
  })

  it('are right without room in the cache', async () => {
    const [n, text] = await createFieldReader(await make(), {}, cacheOf(1)).read([N, TEXT], all, noYield)
    expect([n!.hasUncached, text!.hasUncached]).toEqual([true, true])
  })

  it('are read in steps that let others run', async () => {
    let steps = 0
    await createFieldReader(await make(), {}, cacheOf()).read([N], all, () => {
      steps++
      return undefined
    })
    expect(steps).toBeGreaterThan(2)
  })
})
