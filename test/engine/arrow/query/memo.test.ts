import { describe, expect, it } from 'vitest'
import { createMetrics } from '../../../../src/base/metrics.js'
import type { Part } from '../../../../src/engine/arrow/columns/batch.js'
import { createMemo, memoKey } from '../../../../src/engine/arrow/query/memo.js'

const part = { isSealed: true, rows: 1, minUs: 0, maxUs: 0 } as Part
const other = { ...part }
const value = { n: 1 }

async function memoOf(limitBytes: number) {
  const metrics = createMetrics()
  const recalls = async () =>
    Object.fromEntries((await metrics.memoRecalls.get()).values.map(({ labels, value }) => [labels.outcome, value]))
  return {
    memo: createMemo(limitBytes, metrics),
    recalls,
    bytes: async () => (await metrics.memoBytes.get()).values[0]?.value,
  }
}

describe('what is kept of sealed parts', () => {
  it('is had again by part and key', async () => {
    const { memo, recalls } = await memoOf(10_000)
    expect(memo.get(part, 'k')).toBeUndefined()
    memo.keep(part, 'k', value, 100)
    expect(memo.get(part, 'k')).toBe(value)
    expect(memo.get(part, 'l')).toBeUndefined()
    expect(memo.get(other, 'k')).toBeUndefined()
    expect(await recalls()).toEqual({ kept: 1, none: 3 })
  })

  it('stays what it was first', async () => {
    const { memo } = await memoOf(10_000)
    memo.keep(part, 'k', value, 100)
    const bytes = memo.bytes()
    memo.keep(part, 'k', { n: 2 }, 200)
    expect([memo.get(part, 'k'), memo.bytes()]).toEqual([{ n: 1 }, bytes])
  })

  it('takes no more bytes than it may: what was not asked for the longest goes', async () => {
    const { memo, bytes } = await memoOf(10_000)
    for (const key of ['a', 'b', 'c']) memo.keep(part, key, value, 2_000)
    memo.get(part, 'a')
    for (const key of ['d', 'e']) memo.keep(part, key, value, 2_000)
    expect(['a', 'b', 'c', 'd', 'e'].filter((key) => memo.get(part, key) !== undefined)).toEqual(['a', 'c', 'd', 'e'])
    expect(memo.bytes()).toBeLessThanOrEqual(10_000)
    expect(await bytes()).toBe(memo.bytes())
    memo.keep(part, 'b', value, 10)
    expect(memo.get(part, 'b')).toBe(value)
  })

  it('is nothing that would take more than all of it', async () => {
    const { memo } = await memoOf(10_000)
    memo.keep(part, 'a', value, 20)
    memo.keep(part, 'k', value, 20_000)
    expect([memo.get(part, 'a'), memo.get(part, 'k')]).toEqual([value, undefined])
    const none = createMemo(0, createMetrics())
    none.keep(part, 'k', value, 0)
    expect([none.get(part, 'k'), none.bytes()]).toEqual([undefined, 0])
  })

  it('has a key that equal values have in common alone, and that is short however long they are', () => {
    const predicates = [{ test: 'matches', column: 'url', pattern: 'x'.repeat(5_000) }]
    const key = memoKey(predicates, 'day')
    expect(key).toHaveLength(43)
    expect(memoKey(structuredClone(predicates), 'day')).toBe(key)
    for (const other of [memoKey(predicates, 'hour'), memoKey(predicates), memoKey([...predicates, 'day'])]) {
      expect(other).not.toBe(key)
    }
  })

  it('goes with its part', async () => {
    const { memo, bytes } = await memoOf(10_000)
    for (const key of ['a', 'b']) memo.keep(part, key, value, 100)
    const ofOnePart = memo.bytes()
    for (const key of ['a', 'b']) memo.keep(other, key, value, 100)
    memo.forget([part])
    expect(['a', 'b'].map((key) => memo.get(part, key))).toEqual([undefined, undefined])
    expect(['a', 'b'].map((key) => memo.get(other, key))).toEqual([value, value])
    expect([memo.bytes(), await bytes()]).toEqual([ofOnePart, ofOnePart])
    memo.keep(part, 'late', value, 100)
    expect([memo.get(part, 'late'), memo.bytes()]).toEqual([undefined, ofOnePart])
    memo.clear()
    expect([memo.bytes(), await bytes(), memo.get(other, 'a')]).toEqual([0, 0, undefined])
  })
})
