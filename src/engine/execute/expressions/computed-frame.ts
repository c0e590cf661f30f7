import type { Cell } from '../../../plan/functions/function.js'
import type { Scalar } from '../../../plan/values/values.js'
import { type Frame, NO_ELEMENTS } from './frame.js'
import { type Areas, type Computed, type Constant, computed, type Vector } from './vector.js'

/** Rows that are in memory, with the given columns. `more` replaces members of the frame. */
export function plainFrame(rows: number, column: Frame['column'], more: Partial<Frame> = {}): Frame {
  const frame: Frame = {
    rows,
    column,
    stored: undefined,
    select: (positions) => mappedFrame(frame, positions),
    load: async (positions) => ({ rows: positions.length, longestBytes: 0 }),
    rowOf: (position) => position,
    longestAt: undefined,
    openCold: undefined,
    loadFields: undefined,
    field: () => undefined,
    elements: NO_ELEMENTS,
    ...more,
  }
  return frame
}

/** Rows that were computed: the values of each column. */
export function computedFrame(rows: number, columns: ReadonlyMap<string, readonly Scalar[]>): Frame {
  return cellFrame(rows, new Map([...columns].map(([name, values]) => [name, (position) => values[position]])))
}

/** Rows of columns of cells. */
export function cellFrame(rows: number, cells: ReadonlyMap<string, Cell>): Frame {
  return plainFrame(rows, (name) => {
    const at = cells.get(name)
    return at && computed(at)
  })
}

/** Columns of the frame itself, and the bytes of the longest value of the columns at a position. */
interface AddedColumns {
  columns: ReadonlyMap<string, Vector>
  longestAt: Frame['longestAt']
}

const NOTHING_ADDED: AddedColumns = { columns: new Map(), longestAt: undefined }

/** Some rows of another frame, by their positions, which ascend or repeat. */
export function mappedFrame(frame: Frame, positions: Uint32Array, added = NOTHING_ADDED): Frame {
  const { columns, longestAt } = added
  const { longestAt: longestBefore, openCold, loadFields, elements } = frame
  const before = longestBefore && ((position: number) => longestBefore(positions[position]))
  const mapped = (vector: Vector | undefined) => vector && mappedVector(vector, positions)
  // A plan may have 200 frames of this kind, each over the frame before, and thousands of expressions over them.
  const vectors = new Map<string, Vector | undefined>(columns)
  const column = (name: string): Vector | undefined => {
    if (!vectors.has(name)) vectors.set(name, mapped(frame.column(name)))
    return vectors.get(name)
  }
  return plainFrame(positions.length, column, {
    load: (wanted, yieldIfDue) =>
      frame.load(
        wanted.map((position) => positions[position]),
        yieldIfDue,
      ),
    rowOf: (position) => frame.rowOf(positions[position]),
    longestAt: longestOf(before, longestAt),
    openCold,
    loadFields,
    field: (use) => mapped(frame.field(use)),
    elements,
  })
}

/** The values of a vector at some positions. */
function mappedVector(vector: Vector, positions: Uint32Array): Vector {
  const plain = rowByRow(vector)
  switch (plain.kind) {
    case 'constant':
      return plain
    case 'areas':
      return { ...plain, areasAt: (position) => plain.areasAt(positions[position]) }
    case 'computed':
      return { ...plain, at: (position) => plain.at(positions[position]) }
  }
}

/** Returns the values of a vector without the way in which the values are stored. */
export function rowByRow(vector: Vector): Constant | Areas | Computed {
  switch (vector.kind) {
    case 'constant':
    case 'computed':
      return vector
    case 'areas':
      return { ...vector, column: undefined }
    case 'entries':
      return { kind: 'computed', at: vector.at, call: vector.call, longest: vector.longest, isCold: false }
    case 'numbers':
    case 'times':
    case 'spans':
    case 'bits':
      return computed(vector.at, () => 0)
  }
}

/** The bytes of the longer of two values at each position, as far as known. */
function longestOf(first: Frame['longestAt'], second: Frame['longestAt']): Frame['longestAt'] {
  if (first === undefined || second === undefined) return first ?? second
  return (position) => Math.max(first(position), second(position))
}
