import type { Yielder } from '../../../base/scheduling/time-slices.js'
import type { ColdColumn } from '../../../common/columns.js'
import type { TimeRange } from '../../../plan/plan.js'
import { bytesOfDictionary, type Codes, type Dictionary } from './dictionary.js'
import type { PathSet, ReadStoredFields } from './field-path.js'
import { bytesOfNumbers, type NumberColumn } from './numbers.js'
import type { Selection } from './selection.js'
import { bytesOfZones, createZones, type Zones } from './zones.js'

/** A column of texts: a code per row. */
export interface TextColumn {
  kind: 'text'
  codes: Codes
  dictionary: Dictionary
  /** Present if the column is sealed. */
  zones?: Zones
  /** Set if no code is less than the code of the previous row. */
  ascends?: true
}

/** A bit for each of the schema's AREAS, 0 if the text is absent. */
export interface AreasColumn {
  kind: 'areas'
  flags: Uint8Array
}

/** A hot column of a batch, besides the timestamp. */
export type Column = TextColumn | NumberColumn | AreasColumn

/** A row's timestamp is `baseUs + offsets[row] * unitUs`. */
export interface TimeColumn {
  baseUs: number
  unitUs: number
  readonly offsets: Uint32Array | Float64Array
  /** Whether some rows have no timestamp: their offsets are not a number. */
  readonly hasUnknown?: boolean
  /** The bytes of the offsets, if they are in memory only once they were read. */
  readonly byteLength?: number
}

/**
 * Which values hot columns do not hold, so that fields must be read from the metadata: the bit sets of the column
 * `in_metadata` (src/common/columns.ts), bit i for hot column i.
 */
export interface InMetadata {
  /** The bits that any row has, as an unsigned integer. */
  mask: number
  /** The bit set of each row. If absent, each row has the bits of the mask. */
  rows?: Uint32Array
}

/** The cold columns of a row, as bytes. */
export interface ColdRow {
  id: Uint8Array
  event_message: Uint8Array
  metadata: Uint8Array
}

/**
 * The texts of a cold column in the rows [from, to): the text of row r is the UTF-8 bytes
 * [offsets[r - from], offsets[r - from + 1]). The first offset is 0, the last offset is the number of bytes.
 */
export interface ColdTexts {
  from: number
  to: number
  offsets: Int32Array
  bytes: Buffer
}

/** A sealed segment, or a snapshot of an open head. A query prunes the part by its times, or opens the part. */
export interface Part {
  /** Whether the rows of the part never change. A new part is made for each snapshot of an open head. */
  readonly isSealed: boolean
  /** Identifies the part in caches: the segment, or the same object for all snapshots of an open head. */
  readonly owner: object
  readonly rows: number
  /** Least and greatest timestamp; Infinity and -Infinity without rows. */
  readonly minUs: number
  readonly maxUs: number
  /** Identifies the rows of a sealed part, see {@link StoredPart}. Absent until the rows are nowhere else. */
  readonly stored?: StoredPart | undefined
  /** Set if a read found damage in the part. The part cannot be opened any more. */
  readonly isSetAside?: boolean
  /**
   * Returns which rows no query may read, given the only project of which rows are read, if any. Undefined if all such
   * rows may be read. Absent if all rows of the part may be read.
   */
  readonly hiddenIn?: (project: string | undefined) => HiddenRows | undefined
  /** Returns the rows as slices of so many rows, in order of arrival, and a rest. Absent if the part is sealed. */
  slices?(rows: number): readonly Slice[]
  /** Returns the paths of which columns have the values of all rows. Absent if the part is not sealed. */
  columnPaths?(): PathSet | Promise<PathSet>
  /**
   * Returns a batch with at least the hot columns of the given names that the part has, as a promise if columns must be
   * loaded from disk or encoded. Rejects if a column is damaged or cannot be read. Unless the promise rejects, call
   * {@link close} afterwards.
   */
  open(yieldIfDue: Yielder, columns: ReadonlySet<string>): Batch | Promise<Batch>
  /** Ends the use of the hot columns. The memory of the columns may then be freed. Cold columns can still be read. */
  close(): void
}

/** Rows of a part that no query may read, since their time is over or they were deleted. */
export interface HiddenRows {
  /** Rows before this time are hidden. */
  fromUs: number
  /** The hot columns that `keepVisible` reads. */
  columns: ReadonlySet<string>
  /** Returns the rows of a selection that may be read. Absent if only `fromUs` counts. */
  keepVisible?: (batch: Batch, selection: Selection, yieldIfDue: Yielder) => Promise<Selection>
}

/** A part on disk with rows that never change. */
export interface StoredPart {
  /** The path, which a repair may change. */
  name: string
  /** The same whatever becomes of the files of the part, and of no other rows. */
  check: string
}

/** Some rows of a part, by a number that is never given to other rows of the part. */
export interface Slice {
  readonly number: number
  /** Bounds of the timestamps. */
  readonly minUs: number
  readonly maxUs: number
  /** The rows [from, to). If absent, the slice has the rows with these times. */
  readonly rows?: { from: number; to: number }
  /** Whether the rows of the slice never change. */
  readonly isFixed: boolean
}

/** Whether a part or a slice may have a row in the time range, both ends included. */
export function overlaps({ minUs, maxUs }: Pick<Slice, 'minUs' | 'maxUs'>, { fromUs, throughUs }: TimeRange): boolean {
  return maxUs >= fromUs && minUs <= throughUs
}

/**
 * The input of operators: the columns of some rows of a single source. The columns do not change while a query has the
 * batch open. Either a sealed segment or a snapshot of the open head.
 */
export interface Batch {
  rows: number
  /** Least and greatest timestamp; Infinity and -Infinity without rows. */
  minUs: number
  maxUs: number
  times: TimeColumn
  /** The hot columns in memory, by name. */
  columns: ReadonlyMap<string, Column>
  inMetadata: InMetadata
  /**
   * Returns the column of projects. Defined if `columns` lacks `project`. Each call creates the column, with a code per
   * row.
   */
  projectColumn?(): TextColumn
  /**
   * Returns the rows of a project: in a sealed batch a single range, ascending in time. An open batch leaves out the
   * rows before `from`.
   */
  projectRows(project: string, from?: number): Selection
  /**
   * Returns a reader of cold columns of single rows, by default of all columns. Columns that are not in `columns` may
   * be empty. The reader caches its last read: read adjacent rows in succession.
   */
  openCold: OpenCold
  /**
   * Returns the texts of a cold column in a row and its neighbours, and reads no other column. In a sealed batch the
   * neighbours are the rows stored together with the row, up to about 1 MiB; in an open head about as many bytes from
   * the row on. The texts are a copy in the memory that `memory` returns for the number of bytes, by default in new
   * memory. A promise if the texts are on disk. Rejects if the texts are damaged. Rows of a read are best visited in
   * order.
   */
  readColdTexts(column: ColdColumn, row: number, memory?: TakeMemory): ColdTexts | Promise<ColdTexts>
  /** Opens a reader of the texts of a cold column in ascending rows. */
  openColdTexts(column: ColdColumn): ColdTextsReader
  /** Reads the filter of the messages. Undefined, or absent, if the batch stores no filter. */
  readMessageFilter?: ReadMessageFilter | undefined
  /** Reads columns of paths of the metadata. Absent if the batch stores no such columns. */
  readStoredFields?: ReadStoredFields | undefined
}

/**
 * Tells which rows cannot have a text in their messages: for each block of rows a bitmap of the 4-byte sequences
 * (grams) of the messages, in lower case. A text with a gram that a block lacks is in no message of the block.
 */
export type MessageFilter = Uint8Array

/** See {@link Batch.readMessageFilter}. */
export type ReadMessageFilter = () => Promise<MessageFilter | undefined>

/** The hot columns of a batch. */
export type HotBatch = Pick<Batch, 'times' | 'minUs' | 'maxUs' | 'columns' | 'projectColumn'>

/** Some rows of a batch. */
export interface HotRows {
  batch: HotBatch
  selection: Selection
}

/**
 * Returns the texts of a cold column in a row and its neighbours, as `readColdTexts` does. The caller reads the rows up
 * to `to` next, so that the reader reads these rows from a disk together. Read ascending rows, without concurrent
 * reads.
 */
export type ColdTextsReader = (row: number, to: number, memory?: TakeMemory) => ColdTexts | Promise<ColdTexts>

/** Returns memory of exactly that many bytes. */
export type TakeMemory = (bytes: number) => Uint8Array

/** Opens a reader of some cold columns. */
export type OpenCold = (columns?: readonly ColdColumn[]) => ColdReader

/** Returns a row, as a promise if its bytes are on disk. Rejects if the bytes are damaged. */
export type ColdReader = (row: number) => ColdRow | Promise<ColdRow>

/**
 * Whether a hot column, given by its place among the hot columns of the source, holds the values of its field in all
 * rows.
 */
export const holdsField = ({ inMetadata }: Batch, place: number): boolean => (inMetadata.mask & (1 << place)) === 0

/** Returns a hot column of a batch by name, undefined if the batch lacks the column. */
export function hotColumnOf(batch: HotBatch, name: string): Column | undefined {
  return batch.columns.get(name) ?? (name === 'project' ? batch.projectColumn?.() : undefined)
}

/** Returns the timestamp of a row, in µs since the epoch. */
export function timeAt(times: TimeColumn, row: number): number {
  return times.baseUs + times.offsets[row] * times.unitUs
}

/** Creates a text column of sealed rows, with its zones. */
export function sealedTexts(codes: Codes, dictionary: Dictionary): TextColumn {
  return { kind: 'text', codes, dictionary, zones: createZones(codes) }
}

/** Returns the bytes of a column's buffers. */
export function bytesOfColumn(column: Column): number {
  if (column.kind === 'text') {
    const { codes, dictionary, zones } = column
    return codes.byteLength + bytesOfDictionary(dictionary) + (zones === undefined ? 0 : bytesOfZones(zones))
  }
  return column.kind === 'number' ? bytesOfNumbers(column) : column.flags.byteLength
}
