import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rowAt, type Selection, sizeOf } from '../../../../src/engine/execute/columns/selection.js'
import {
  clearedProjectRows,
  createProjectRows,
  projectRowsBytes,
  rowsOfProject,
} from '../../../../src/engine/execute/open-batch/project-rows.js'

const columnOf = (codes: readonly number[]) => ({
  codes: Uint32Array.from(codes),
  interner: { count: Math.max(0, ...codes) + 1 },
})
const listOf = (rows: Selection) => Array.from({ length: sizeOf(rows) }, (_, i) => rowAt(rows, i))

/** The oracle: checks every row. */
const wanted = (codes: readonly number[], code: number, from: number, to: number) =>
  codes.flatMap((one, row) => (one === code && row >= from && row < to ? [row] : []))

const arbitraryCodes = fc.array(fc.nat(6), { minLength: 1, maxLength: 300 })

describe('the rows of a project', () => {
  it('are those of its code, ascending, among the rows that are asked for, in whatever order one asks', () => {
    const asks = fc.array(fc.tuple(fc.nat(6), fc.nat(300), fc.nat(300)), { maxLength: 20 })
    fc.assert(
      fc.property(arbitraryCodes, asks, (codes, asked) => {
        const column = columnOf(codes)
        const all = createProjectRows()
        for (const [code, one, other] of asked.filter(([code]) => code < column.interner.count)) {
          const [from, to] = [Math.min(one, other, codes.length), Math.min(Math.max(one, other), codes.length)]
          expect(listOf(rowsOfProject(all, column, code, from, to))).toEqual(wanted(codes, code, from, to))
        }
      }),
    )
  })

  it('are found in codes and projects that have come since', () => {
    const all = createProjectRows()
    expect(listOf(rowsOfProject(all, columnOf([1, 1, 2]), 1, 0, 3))).toEqual([0, 1])
    const more = [1, 1, 2, 9, 1, 9]
    expect(listOf(rowsOfProject(all, columnOf(more), 9, 0, 6))).toEqual([3, 5])
    expect(listOf(rowsOfProject(all, columnOf(more), 1, 0, 3))).toEqual([0, 1])
    expect(listOf(rowsOfProject(all, columnOf(more), 1, 0, 6))).toEqual([0, 1, 4])
  })

  it('are forgotten with their head, whose memory is kept and counted', () => {
    const all = createProjectRows()
    rowsOfProject(all, columnOf([3, 1, 3]), 3, 0, 3)
    const next = clearedProjectRows(all)
    expect(projectRowsBytes(next)).toBe(projectRowsBytes(all))
    expect(projectRowsBytes(next)).toBe(4 * (3 + 4))
    expect(listOf(rowsOfProject(next, columnOf([1, 2]), 3, 0, 2))).toEqual([])
    expect(listOf(rowsOfProject(next, columnOf([1, 2]), 2, 0, 2))).toEqual([1])
  })
})
