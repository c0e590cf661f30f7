import type { Yielder } from '../../../base/scheduling/time-slices.js'
import type { Expression } from '../../../plan/expression.js'
import type { HotRows, OpenCold } from '../columns/batch.js'
import type { Keys } from '../columns/field-path.js'
import type { FieldUse } from './loaded-fields.js'
import type { Vector } from './vector.js'

/** Rows that operators work on, numbered from 0: selected rows of a stored batch, or computed rows. */
export interface Frame {
  readonly rows: number
  /** The column with a name. Undefined if there is no such column. */
  column(name: string): Vector | undefined
  /** The stored rows of the frame, or copies of stored rows, for operators with a faster way over stored rows. */
  readonly stored: HotRows | undefined
  /** Returns the rows at some positions, which ascend: stored rows of the same batch, if the frame has stored rows. */
  select(positions: Uint32Array): Frame
  /**
   * Makes the cold columns that `column` has returned before readable at the first of some positions, which ascend or
   * repeat, and only there. Yields between rows. Rejects if stored bytes are damaged.
   */
  load(positions: Uint32Array, yieldIfDue: Yielder): Promise<Loaded>
  /** The row of a position in its stored batch. For computed rows the position itself. */
  rowOf(position: number): number
  /**
   * The approximate bytes of the longest value at a position that the rows have in memory themselves: an element may be
   * as long as a record, and the others short.
   */
  readonly longestAt: ((position: number) => number) | undefined
  /** Opens a reader of the cold columns of stored rows, which can be read on when the frame is closed. */
  readonly openCold: OpenCold | undefined
  /**
   * Reads fields of the record in all rows, which {@link field} returns from then on. Fields with a column of their own
   * cost nothing. Yields. Rejects if stored bytes are damaged. Undefined if the rows are no stored records.
   */
  readonly loadFields: ((fields: readonly FieldUse[], yieldIfDue: Yielder) => Promise<void>) | undefined
  /** A field of the record, if the field was loaded or has its own column. */
  field(field: FieldUse): Vector | undefined
  /** Columns of unnest with fields that are fields of the record. */
  readonly elements: Elements
}

/** Cold rows in memory. */
export interface Loaded {
  /** The number of cold rows in memory: as many as fit, and at least one if there is a row. */
  rows: number
  /** The bytes of the longest text in the rows. */
  longestBytes: number
}

/** A column of unnest that is in each row the only element of a list at a path of the metadata, or null. */
export interface SingleElement {
  keys: Keys
  list: Expression
}

/** Columns of single elements, by name. */
export type Elements = ReadonlyMap<string, SingleElement>

/** No column of unnest has fields that are fields of the record. */
export const NO_ELEMENTS: Elements = new Map()
