import { ensureCapacity } from '../../../base/memory/growable.js'
import { narrow, range, type Selection } from '../columns/selection.js'

/**
 * Index of an open batch's rows by project: each row links to the previous row of the same project. The index is
 * updated when a query needs the index, so that appends cost nothing.
 */
export interface ProjectRows {
  /** Number of rows that are indexed. */
  rows: number
  /** By row: the previous row of the same project, counted from 1, or 0 if there is none. */
  before: Uint32Array
  /** By the project's code: the last row of the project, counted from 1, or 0 if there is none. */
  last: Uint32Array
}

/** The codes of the column of projects, and the number of distinct codes. */
interface Codes {
  codes: Uint32Array
  interner: { readonly count: number }
}

/** Returns an index without rows. */
export function createProjectRows(): ProjectRows {
  return { rows: 0, before: new Uint32Array(0), last: new Uint32Array(0) }
}

/** Returns an empty index in the memory of another, which must not be used any more. */
export function clearedProjectRows({ before, last }: ProjectRows): ProjectRows {
  return { rows: 0, before, last: last.fill(0) }
}

/** Bytes of memory of the index, unused room included. */
export function projectRowsBytes({ before, last }: ProjectRows): number {
  return before.byteLength + last.byteLength
}

/**
 * Returns the rows of a project in [from, to), ascending. Costs a pass over the rows that are not indexed yet.
 */
export function rowsOfProject(all: ProjectRows, codes: Codes, code: number, from: number, to: number): Selection {
  indexRows(all, codes, to)
  const { before, last } = all
  return narrow(range(from, to, false), (out) => {
    let count = 0
    for (let next = last[code]; next > from; next = before[next - 1]) if (next <= to) out[count++] = next - 1
    out.subarray(0, count).reverse()
    return count
  })
}

function indexRows(all: ProjectRows, { codes, interner }: Codes, rows: number): void {
  if (rows <= all.rows) return
  all.before = ensureCapacity(all.before, all.rows, rows)
  all.last = ensureCapacity(all.last, all.last.length, interner.count)
  const { before, last } = all
  for (let row = all.rows; row < rows; row++) {
    const code = codes[row]
    before[row] = last[code]
    last[code] = row + 1
  }
  all.rows = rows
}
