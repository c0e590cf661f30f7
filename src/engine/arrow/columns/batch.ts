import type { Yielder } from '../../../base/time-slices.js'
import type { TimeRange } from '../../plan.js'
import { bytesOfDictionary, type Codes, type Dictionary } from './dictionary.js'
import { bytesOfNumbers, type NumberColumn } from './numbers.js'
import type { Selection } from './selection.js'
import { bytesOfZones, createZones, type Zones } from './zones.js'

export interface TextColumn {
  kind: 'text'
  codes: Codes
  dictionary: Dictionary
  /** Of a sealed column. */
  zones?: Zones
}

/** One bit for each of the schema's AREAS; 0 where absent. */
export interface AreasColumn {
  kind: 'areas'
  flags: Uint8Array
}

export type Column = TextColumn | NumberColumn | AreasColumn

/** A row's timestamp is `baseUs + offsets[row] * unitUs`. */
export interface TimeColumn {
  baseUs: number
  unitUs: number
  offsets: Uint32Array | Float64Array
}

/** The cold columns of one row, as bytes. */
export interface ColdRow {
  id: Buffer
  event_message: Buffer
  metadata: Buffer
}

/** Rows of which a query tells by their times whether it needs them; then it opens them. */
export interface Part {
  /** Whether its rows are the same whenever it is opened. Of an open head there is a new part each time. */
  readonly isSealed: boolean
  readonly rows: number
  /** Least and greatest timestamp; Infinity and -Infinity without rows. */
  readonly minUs: number
  readonly maxUs: number
  /** The columns: at once where they are in memory, else when they have been loaded. */
  open(yieldIfDue: Yielder): Batch | Promise<Batch>
  /** Who has opened it does not look at its hot columns any more: their memory may go. Cold ones can be read on. */
  close(): void
}

export function overlaps({ minUs, maxUs }: Part, { fromUs, throughUs }: TimeRange): boolean {
  return maxUs >= fromUs && minUs <= throughUs
}

/**
 * What operators work on: the columns of some rows of one source, which never change while a query has it open.
 * A sealed segment is one; a snapshot of the open head is another.
 */
export interface Batch {
  rows: number
  /** Least and greatest timestamp; Infinity and -Infinity without rows. */
  minUs: number
  maxUs: number
  times: TimeColumn
  columns: ReadonlyMap<string, Column>
  /** The rows of one project; of a sealed batch one range, ascending in time. */
  projectRows(project: string): Selection
  /** A reader of the cold columns of single rows. It keeps what it read last: ask for neighbours one after another. */
  openCold(): ColdReader
}

/** Gives a row at once where its bytes are in memory, later where they are on disk. Rejects where they are damaged. */
export type ColdReader = (row: number) => ColdRow | Promise<ColdRow>

export function timeAt(times: TimeColumn, row: number): number {
  return times.baseUs + times.offsets[row]! * times.unitUs
}

/** A text column of sealed rows. */
export function sealedTexts(codes: Codes, dictionary: Dictionary): TextColumn {
  return { kind: 'text', codes, dictionary, zones: createZones(codes) }
}

/** Bytes of the buffers that a column holds. */
export function bytesOfColumn(column: Column): number {
  if (column.kind === 'text') {
    const { codes, dictionary, zones } = column
    return codes.byteLength + bytesOfDictionary(dictionary) + (zones === undefined ? 0 : bytesOfZones(zones))
  }
  return column.kind === 'number' ? bytesOfNumbers(column) : column.flags.byteLength
}
