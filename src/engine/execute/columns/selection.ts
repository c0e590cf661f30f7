/**
 * The selected rows of a batch, ascending. Filters narrow the selection. No column is copied before output. If
 * `timeOrdered`, the selected rows also ascend in time.
 */
export type Selection = RangeSelection | IndexSelection

/** Adjacent rows: [start, end). */
export interface RangeSelection {
  kind: 'range'
  start: number
  /** Exclusive. */
  end: number
  timeOrdered: boolean
}

/** Any rows, by number. */
interface IndexSelection {
  kind: 'indices'
  /** The numbers of the selected rows, ascending. */
  indices: Uint32Array
  timeOrdered: boolean
}

/** Returns the selection of the rows [start, end), an empty selection if `end` is below `start`. */
export function range(start: number, end: number, timeOrdered: boolean): RangeSelection {
  return { kind: 'range', start, end: Math.max(start, end), timeOrdered }
}

/** The empty selection. */
export const none: RangeSelection = range(0, 0, true)

/** Returns the number of selected rows. */
export function sizeOf(selection: Selection): number {
  return selection.kind === 'range' ? selection.end - selection.start : selection.indices.length
}

/** Returns the bytes of a selection's buffers: 0 for a range. */
export function bytesOfSelection(selection: Selection): number {
  return selection.kind === 'range' ? 0 : selection.indices.byteLength
}

/** Returns the row number at a position of the selection. */
export function rowAt(selection: Selection, position: number): number {
  return selection.kind === 'range' ? selection.start + position : selection.indices[position]
}

/** Returns the rows at the positions [from, to) of a selection. */
export function slice(selection: Selection, from: number, to: number): Selection {
  const { timeOrdered } = selection
  if (selection.kind === 'range') return range(selection.start + from, selection.start + to, timeOrdered)
  return { kind: 'indices', indices: selection.indices.subarray(from, to), timeOrdered }
}

/**
 * Returns the rows of a selection that pass: the selection itself if all pass, {@link none} if none pass, a range if
 * the passing rows are adjacent, as the rows of a project are, else indices. `test` writes the passing rows of the
 * selection to `out` and returns their number.
 */
export function narrow(selection: Selection, test: (out: Uint32Array) => number): Selection {
  const size = sizeOf(selection)
  if (size === 0) return none
  if (size > scratch.length) scratch = new Uint32Array(size)
  const passing = test(scratch)
  if (passing === size) return selection
  if (passing === 0) return none
  const [first, last] = [scratch[0], scratch[passing - 1]]
  if (last - first === passing - 1) return range(first, last + 1, selection.timeOrdered)
  return { kind: 'indices', indices: scratch.slice(0, passing), timeOrdered: selection.timeOrdered }
}

/**
 * Returns the rows of a selection that are in any of the parts, each a selection of the rows: a part itself if the
 * others are empty. Takes a byte for each row from the first to the last of the selection if several have rows.
 */
export function anyOf(selection: Selection, parts: readonly Selection[]): Selection {
  const [first = none, ...others] = parts.filter((part) => sizeOf(part) > 0)
  const size = sizeOf(selection)
  if (others.length === 0 || sizeOf(first) === size) return first
  const start = rowAt(selection, 0)
  const marks = new Uint8Array(rowAt(selection, size - 1) + 1 - start)
  for (const part of [first, ...others]) mark(part, marks, start)
  return narrow(selection, (out) => {
    let count = 0
    for (let i = 0; i < marks.length; i++) if (marks[i] === 1) out[count++] = start + i
    return count
  })
}

/** Returns the rows of a selection that are not in another selection. */
export function without(selection: Selection, others: Selection): Selection {
  const [size, most] = [sizeOf(selection), sizeOf(others)]
  if (size === 0 || most === 0) return selection
  if (rowAt(others, 0) > rowAt(selection, size - 1) || rowAt(others, most - 1) < rowAt(selection, 0)) return selection
  return narrow(selection, (out) => {
    let count = 0
    let next = 0
    for (let position = 0; position < size; position++) {
      const row = rowAt(selection, position)
      while (next < most && rowAt(others, next) < row) next++
      if (next === most || rowAt(others, next) !== row) out[count++] = row
    }
    return count
  })
}

/** Sets the marks of the selected rows. The first mark belongs to the row `start`. */
function mark(selection: Selection, marks: Uint8Array, start: number): void {
  if (selection.kind === 'range') marks.fill(1, selection.start - start, selection.end - start)
  else for (const row of selection.indices) marks[row - start] = 1
}

/** Reused memory for passing rows, before the number of rows is known: an allocation would cost more than the test. */
let scratch = new Uint32Array(0)
