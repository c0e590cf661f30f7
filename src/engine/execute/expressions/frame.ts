import type { Yielder } from '../../../base/scheduling/time-slices.js'
import { decodeUtf8 } from '../../../base/text/utf8.js'
import { MIB } from '../../../base/units.js'
import { COLD_COLUMNS, type ColdColumn } from '../../../common/columns.js'
import type { Expression } from '../../../plan/expression.js'
import type { Cell } from '../../../plan/functions/function.js'
import { RawJson, type Scalar, Timestamp } from '../../../plan/values/values.js'
import {
  type Batch,
  type ColdReader,
  type ColdRow,
  type Column,
  type HotBatch,
  type HotRows,
  holdsField,
  hotColumnOf,
  type OpenCold,
  timeAt,
} from '../columns/batch.js'
import { ABSENT, entryOf } from '../columns/dictionary.js'
import type { KeyBytes } from '../columns/key-bytes.js'
import { EXCEPTION, type NumberColumn, numberAt } from '../columns/numbers.js'
import { range, rowAt, type Selection, sizeOf } from '../columns/selection.js'
import type { Keys } from '../fields/field-path.js'
import type { FieldReader } from '../fields/read-fields.js'
import { createLoadedFields, type FieldUse } from './loaded-fields.js'
import { type Entries, remembered, type Vector } from './vector.js'

/** Rows that operators work on, numbered from 0: selected rows of a stored batch, or computed rows. */
export interface Frame {
  readonly rows: number
  /** The column with a name. Undefined if there is no such column. */
  column(name: string): Vector | undefined
  /** The stored rows of the frame, or copies of stored rows, for operators with a faster way over stored rows. */
  readonly stored?: HotRows
  /** Returns the rows at some positions, which ascend, as stored rows of the same batch. */
  select?(positions: Uint32Array): Frame
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
  longestAt?(position: number): number
  /** Opens a reader of the cold columns of stored rows, which can be read on when the frame is closed. */
  readonly openCold?: OpenCold
  /**
   * Reads fields of the record in all rows, which {@link field} returns from then on. Fields with a column of their own
   * cost nothing. Yields. Rejects if stored bytes are damaged.
   */
  loadFields?(fields: readonly FieldUse[], yieldIfDue: Yielder): Promise<void>
  /** A field of the record, if the field was loaded or has its own column. */
  field?(field: FieldUse): Vector | undefined
  /** Columns of unnest with fields that are fields of the record. */
  readonly elements?: Elements
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

/** The columns that are stored compressed, and read for single rows. */
export const COLD: ReadonlySet<string> = new Set(COLD_COLUMNS)

/** The value of a cold column, given the stored bytes. */
export const coldValue = (name: ColdColumn, bytes: Uint8Array): Scalar =>
  name === 'metadata' ? new RawJson(decodeUtf8(bytes)) : decodeUtf8(bytes)

/**
 * The column `project` of every source, and the columns of the source's batches. Empty texts of categories but projects
 * are absent.
 */
export interface StoredKinds {
  hasEmptyTexts(column: string): boolean
  /** The column that holds a field of the record. Undefined if the field has no column. */
  fieldColumn(keys: Keys): DeclaredColumn | undefined
}

/** The column of a field, and the place of the column among the hot columns of the source. */
export interface DeclaredColumn {
  name: string
  place: number
  isNumber: boolean
}

/**
 * The selected rows of a batch. Without `fields`, fields of the record are read row by row, like other cold columns.
 */
export function storedFrame(batch: Batch, selection: Selection, kinds: StoredKinds, fields?: FieldReader): Frame {
  const cold = createLoadedRows()
  const rowOf = (position: number) => rowAt(selection, position)
  const vectors = new Map<string, Vector>()
  const make = (name: string): Vector | undefined => {
    if (COLD.has(name)) return cold.vector(name as ColdColumn)
    return hotVector({ batch, selection }, name, kinds.hasEmptyTexts(name))
  }
  function column(name: string): Vector | undefined {
    const vector = vectors.get(name) ?? make(name)
    if (vector !== undefined) vectors.set(name, vector)
    return vector
  }
  /** The vector of a field that has a column, unless values of the batch are in the metadata alone. */
  function declared({ keys, isText }: FieldUse): Vector | undefined {
    const own = kinds.fieldColumn(keys)
    // The digits of a number as sent are in the metadata alone.
    if (own === undefined || (own.isNumber && isText) || !holdsField(batch, own.place)) return undefined
    return storedVector(batch.columns.get(own.name)!, selection, true)
  }
  return {
    rows: sizeOf(selection),
    stored: { batch, selection },
    select(positions) {
      const { timeOrdered } = selection
      return storedFrame(batch, { kind: 'indices', indices: positions.map(rowOf), timeOrdered }, kinds, fields)
    },
    column,
    ...(fields && createLoadedFields({ reader: fields, selection, metadata: () => column('metadata')!, declared })),
    load(positions, yieldIfDue) {
      const rows = positions.length === 0 ? 0 : rowOf(positions.at(-1)!) - rowOf(positions[0])
      const read = cold.reader(0, batch.openCold)
      return cold.load(positions, (position) => read(rowOf(position)), {
        isCopied: rows > SPARSE * positions.length,
        yieldIfDue,
      })
    },
    rowOf,
    openCold: batch.openCold,
  }
}

/** All rows of a batch that has only times, numbers and areas. */
export function hotFrame(batch: HotBatch, rows: number): Frame {
  const stored = { batch, selection: range(0, rows, false) }
  return { ...cellFrame(rows, NO_CELLS), stored, column: (name) => hotVector(stored, name, false) }
}

const NO_CELLS: ReadonlyMap<string, Cell> = new Map()

/** Rows that were computed: the values of each column. */
export function computedFrame(rows: number, columns: ReadonlyMap<string, readonly Scalar[]>): Frame {
  return cellFrame(rows, new Map([...columns].map(([name, values]) => [name, (position) => values[position]])))
}

/** Rows of columns of cells. */
export function cellFrame(rows: number, cells: ReadonlyMap<string, Cell>): Frame {
  return {
    rows,
    column(name) {
      const at = cells.get(name)
      return at && { at, isCold: false }
    },
    load: async (positions) => ({ rows: positions.length, longestBytes: 0 }),
    rowOf: (position) => position,
  }
}

function hotVector({ batch, selection }: HotRows, name: string, hasEmptyTexts: boolean): Vector | undefined {
  if (name === 'timestamp') return timeVector(batch, selection)
  const column = hotColumnOf(batch, name)
  return column && storedVector(column, selection, hasEmptyTexts)
}

function timeVector({ times }: HotBatch, selection: Selection): Vector {
  return {
    at: (position) => new Timestamp(timeAt(times, rowAt(selection, position))),
    stored: { kind: 'times', times },
    isCold: false,
  }
}

function storedVector(column: Column, selection: Selection, hasEmptyTexts: boolean): Vector {
  if (column.kind === 'text') return textVector(column, selection, hasEmptyTexts)
  if (column.kind === 'number') {
    const at = (position: number) => orNull(numberAt(column, rowAt(selection, position)))
    const entries = smallIntegers(column)
    return { at, stored: column, isCold: false, ...(entries && { entries }) }
  }
  // Which areas a path holds is stored, the path itself is not.
  const areasAt = (position: number) => column.flags[rowAt(selection, position)]
  return { at: () => null, areasAt, stored: column, isCold: false }
}

function textVector(column: Column & { kind: 'text' }, selection: Selection, hasEmptyTexts: boolean): Vector {
  const { codes, dictionary } = column
  const { bytes, offsets } = dictionary
  const isAbsent = (code: number) => code === ABSENT || (!hasEmptyTexts && offsets[code + 1] - 1 === offsets[code])
  const bytesOf = (code: number) => (isAbsent(code) ? undefined : entryOf(dictionary, code))
  const valueOfCode = (code: number) => bytesOf(code)?.toString() ?? null
  const addKey = (code: number, keys: KeyBytes) => {
    if (isAbsent(code)) keys.add(null)
    else keys.addPart(bytes, offsets[code], offsets[code + 1] - 1)
  }
  return {
    at: (position) => valueOfCode(codes[rowAt(selection, position)]),
    entries: { codes, valueOf: valueOfCode, bytesOf, addKey },
    stored: column,
    longest: () => longestEntry(offsets),
    isCold: false,
  }
}

const longestEntries = new WeakMap<object, number>()

/** The bytes of the longest entry of a dictionary. Computed once, since columns are read many times. */
function longestEntry(offsets: ArrayLike<number> & object): number {
  const known = longestEntries.get(offsets)
  if (known !== undefined) return known
  let longest = 0
  for (let i = 1; i < offsets.length; i++) longest = Math.max(longest, offsets[i] - offsets[i - 1])
  longestEntries.set(offsets, longest)
  return longest
}

/** Whether all values of a column are small integers or absent: looked at once, since columns are read many times. */
const areSmall = new WeakMap<NumberColumn, boolean>()

/** Small or absent integers as codes. The code of an absent integer is {@link EXCEPTION}. */
function smallIntegers(column: NumberColumn): Entries | undefined {
  const isSmall = areSmall.get(column) ?? ('exceptions' in column && column.exceptions.values.every(Number.isNaN))
  areSmall.set(column, isSmall)
  if (!isSmall || !('exceptions' in column)) return undefined
  return { codes: column.values, valueOf: (code) => (code === EXCEPTION ? null : code) }
}

const orNull = (number: number) => (Number.isNaN(number) ? null : number)

/** The bytes of cold rows in memory at a time. A single row may be longer. */
const COLD_BYTES = MIB
/** Rows further apart than this on average are copied, so that a few rows do not keep all of a segment in memory. */
const SPARSE = 4

/** The cold rows that a frame has loaded, by position. The rows have the columns of which a vector was made before. */
export interface LoadedRows {
  /** The reader of the cold columns of a batch, by batch number. Returns the same reader until a column is added. */
  reader(batch: number, open: OpenCold): ColdReader
  load(
    positions: Uint32Array,
    read: (position: number) => ColdRow | Promise<ColdRow>,
    options: { isCopied: boolean; yieldIfDue: Yielder },
  ): Promise<Loaded>
  vector(name: ColdColumn): Vector
}

/** Creates the memory for the cold rows of a frame. See {@link Frame.load}. */
export function createLoadedRows(): LoadedRows {
  const rows = new Map<number, readonly Uint8Array[]>()
  const readers = new Map<number, ColdReader>()
  const columns: ColdColumn[] = []
  const placeOf = (name: ColdColumn) => {
    if (!columns.includes(name)) {
      columns.push(name)
      readers.clear()
    }
    return columns.indexOf(name)
  }
  return {
    reader(batch, open) {
      const read = readers.get(batch) ?? open([...columns])
      readers.set(batch, read)
      return read
    },
    async load(positions, read, { isCopied, yieldIfDue }) {
      rows.clear()
      let bytes = 0
      let longestBytes = 0
      let count = 0
      for (; count < positions.length && bytes < COLD_BYTES; count++) {
        const position = positions[count]
        if (rows.has(position)) continue
        const next = read(position)
        const row = next instanceof Promise ? await next : next
        const texts = columns.map((name) => (isCopied ? Buffer.from(row[name]) : row[name]))
        rows.set(position, texts)
        for (const { length } of texts) {
          bytes += length
          longestBytes = Math.max(longestBytes, length)
        }
        const pause = yieldIfDue()
        if (pause !== undefined) await pause
      }
      return { rows: count, longestBytes }
    },
    vector(name) {
      const place = placeOf(name)
      // Several expressions read the text of a row, which may be long: the text is decoded once.
      return { at: remembered((position) => coldValue(name, rows.get(position)![place])), isCold: true }
    },
  }
}

/** Columns of the frame itself, and the bytes of the longest value of the columns at a position. */
export interface AddedColumns {
  columns: ReadonlyMap<string, Vector>
  longestAt?: ((position: number) => number) | undefined
}

/** Some rows of another frame, by their positions, which ascend or repeat. */
export function mappedFrame(
  frame: Frame,
  positions: Uint32Array,
  { columns, longestAt }: AddedColumns = { columns: new Map() },
): Frame {
  const before = frame.longestAt && ((position: number) => frame.longestAt!(positions[position]))
  function mapped(vector: Vector | undefined): Vector | undefined {
    if (vector === undefined) return undefined
    const { at, areasAt, isCold, call, longest } = vector
    return {
      at: (position) => at(positions[position]),
      ...(call && { call }),
      ...(longest && { longest }),
      ...(areasAt && { areasAt: (position: number) => areasAt(positions[position]) }),
      isCold,
    }
  }
  return {
    rows: positions.length,
    column: (name) => columns.get(name) ?? mapped(frame.column(name)),
    load: (wanted, yieldIfDue) =>
      frame.load(
        wanted.map((position) => positions[position]),
        yieldIfDue,
      ),
    rowOf: (position) => frame.rowOf(positions[position]),
    ...longestOf(before, longestAt),
    ...(frame.openCold && { openCold: frame.openCold }),
    ...(frame.loadFields && { loadFields: frame.loadFields }),
    ...(frame.elements && { elements: frame.elements }),
    field: (use) => mapped(frame.field?.(use)),
  }
}

type Longest = Frame['longestAt']

/** The bytes of the longer of two values at each position, as far as known. */
function longestOf(first: Longest, second: Longest): Pick<Frame, 'longestAt'> {
  if (first === undefined || second === undefined) {
    const longestAt = first ?? second
    return longestAt === undefined ? {} : { longestAt }
  }
  return { longestAt: (position) => Math.max(first(position), second(position)) }
}
