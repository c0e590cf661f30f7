import { ensureCapacity } from '../../../../base/growable.js'
import { narrow, range, type Selection } from '../../columns/selection.js'

/**
 * Which rows of a head are of which project, though they stand in order of arrival: each knows the one before it of the same
 * project. It is brought up to date when a query asks, so that a flood costs nothing while nobody does.
 */
export interface ProjectRows {
  /** So many rows are taken note of. */
  rows: number
  /** By row: the row before it of the same project, counted from 1; 0 where there is none. */
  before: Uint32Array
  /** By the project's code: its last row, counted from 1; 0 where there is none. */
  last: Uint32Array
}

/** The codes of the column of projects, and how many there are. */
interface Codes {
  codes: Uint32Array
  interner: { readonly count: number }
}

export function createProjectRows(): ProjectRows {
  return { rows: 0, before: new Uint32Array(0), last: new Uint32Array(0) }
}

/** The same without rows; it keeps its memory. */
export function clearedProjectRows({ before, last }: ProjectRows): ProjectRows {
  return { rows: 0, before, last: last.fill(0) }
}

export function projectRowsBytes({ before, last }: ProjectRows): number {
  return before.byteLength + last.byteLength
}

/** The rows of a project among the first `rows`. */
export function rowsOfProject(all: ProjectRows, codes: Codes, code: number, rows: number): Selection {
  takeNote(all, codes, rows)
  const { before, last } = all
  return narrow(range(0, rows, false), (out) => {
    let count = 0
    for (let next = last[code]!; next > 0; next = before[next - 1]!) if (next <= rows) out[count++] = next - 1
    out.subarray(0, count).reverse()
    return count
  })
}

function takeNote(all: ProjectRows, { codes, interner }: Codes, rows: number): void {
  if (rows <= all.rows) return
  all.before = ensureCapacity(all.before, all.rows, rows)
  all.last = ensureCapacity(all.last, all.last.length, interner.count)
  const { before, last } = all
  for (let row = all.rows; row < rows; row++) {
    const code = codes[row]!
    before[row] = last[code]!
    last[code] = row + 1
  }
  all.rows = rows
}
