import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chunksByTime } from '../../../../src/engine/execute/batches/time-chunks.js'
import type { TimeColumn } from '../../../../src/engine/execute/columns/batch.js'
import { range, type Selection } from '../../../../src/engine/execute/columns/selection.js'
import { rowsOf } from '../../store/support.js'
import { uniform } from '../accumulators/distributions.js'

const timesOf = (us: readonly number[]): TimeColumn => ({ baseUs: 5, unitUs: 1, offsets: Float64Array.from(us) })

/** Returns the rows of each chunk. Expects chunks in order of time, within their bounds, and each row once. */
function chunks(us: readonly number[], selection: Selection, direction: 'asc' | 'desc'): number[][] {
  const found = [...chunksByTime(timesOf(us), selection, direction)]
  const sign = direction === 'desc' ? 1 : -1
  let lastUs = Number.POSITIVE_INFINITY
  for (const { selection: chunk, boundUs } of found) {
    const signed = rowsOf(chunk).map((row) => sign * (us[row]! + 5))
    expect(Math.max(...signed)).toBeLessThanOrEqual(Math.min(sign * boundUs, lastUs))
    expect(chunk.timeOrdered).toBe(selection.timeOrdered)
    lastUs = Math.min(...signed)
  }
  const rows = found.map(({ selection: chunk }) => rowsOf(chunk))
  for (const of of rows) expect(of).toEqual([...of].sort((a, b) => a - b))
  expect(rows.flat().sort((a, b) => a - b)).toEqual(rowsOf(selection))
  return rows
}

describe('chunks in order of time', () => {
  it('have every selected row once, from the wanted end on', () => {
    const given = fc.array(fc.nat(300), { minLength: 1, maxLength: 900 })
    fc.assert(
      fc.property(given, fc.boolean(), fc.constantFrom('asc', 'desc'), (any, isOrdered, direction) => {
        const us = isOrdered ? any.toSorted((a, b) => a - b) : any
        chunks(us, range(0, us.length, isOrdered), direction)
        const indices = Uint32Array.from([...us.keys()].filter((row) => row % 3 > 0))
        chunks(us, { kind: 'indices', indices, timeOrdered: isOrdered }, direction)
        chunks(us, range(1, us.length - 1, isOrdered), direction)
      }),
    )
  })

  it('start with some hundred rows, and grow', () => {
    const next = uniform(1)
    const ordered = Array.from({ length: 100_000 }, (_, i) => i)
    const sizes = (us: readonly number[], isOrdered: boolean) =>
      chunks(us, range(0, us.length, isOrdered), 'desc').map(({ length }) => length)
    expect(sizes(ordered.slice(0, 2_000), true)).toEqual([256, 512, 1024, 208])
    const mixed = sizes(
      ordered.map(() => next()),
      false,
    )
    expect(mixed[0]).toBeGreaterThan(100)
    expect(mixed[0]).toBeLessThan(500)
    expect(mixed.length).toBeLessThan(12)
  })

  it('are one if all rows have one time, and none without rows', () => {
    expect(chunks(Array(5_000).fill(3), range(0, 5_000, false), 'desc').length).toBe(1)
    expect(chunks([], range(0, 0, false), 'asc')).toEqual([])
    expect(chunks([], range(0, 0, true), 'desc')).toEqual([])
  })
})
