/**
 * Which rows of a batch are meant, ascending. Filters narrow it; nothing is copied until output.
 * `timeOrdered` says that the selected rows ascend in time too.
 */
export type Selection = RangeSelection | IndexSelection

export interface RangeSelection {
  kind: 'range'
  start: number
  /** Exclusive. */
  end: number
  timeOrdered: boolean
}

export interface IndexSelection {
  kind: 'indices'
  /** Row numbers, ascending; all of them are selected. */
  indices: Uint32Array
  timeOrdered: boolean
}

export function range(start: number, end: number, timeOrdered: boolean): RangeSelection {
  return { kind: 'range', start, end: Math.max(start, end), timeOrdered }
}

export const none: RangeSelection = range(0, 0, true)

export function sizeOf(selection: Selection): number {
  return selection.kind === 'range' ? selection.end - selection.start : selection.indices.length
}

/** Bytes of the buffers that a selection holds. */
export function bytesOfSelection(selection: Selection): number {
  return selection.kind === 'range' ? 0 : selection.indices.byteLength
}

/** The row at a position of the selection. */
export function rowAt(selection: Selection, position: number): number {
  return selection.kind === 'range' ? selection.start + position : selection.indices[position]!
}

/**
 * The part of a selection whose rows pass. `test` fills `out` with the passing rows of the selection and returns how many
 * there are. All: the selection itself; none: {@link none}; some side by side, as one project's are: a range; else indices.
 */
export function narrow(selection: Selection, test: (out: Uint32Array) => number): Selection {
  const size = sizeOf(selection)
  if (size === 0) return none
  if (size > scratch.length) scratch = new Uint32Array(size)
  const passing = test(scratch)
  if (passing === size) return selection
  if (passing === 0) return none
  const [first, last] = [scratch[0]!, scratch[passing - 1]!]
  if (last - first === passing - 1) return range(first, last + 1, selection.timeOrdered)
  return { kind: 'indices', indices: scratch.slice(0, passing), timeOrdered: selection.timeOrdered }
}

/** Where rows are put while it is not known how many there will be; new memory for that would cost more than the test. */
let scratch = new Uint32Array(0)
