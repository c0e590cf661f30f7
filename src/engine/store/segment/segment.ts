import { DAY_US } from '../../../base/units.js'
import type { SourceName } from '../../../common/sources.js'
import {
  type Batch,
  bytesOfColumn,
  type Column,
  type InMetadata,
  type ReadMessageFilter,
  type TimeColumn,
} from '../../execute/columns/batch.js'
import { bytesOfDictionary, compareEntry, type Dictionary } from '../../execute/columns/dictionary.js'
import type { ReadStoredFields } from '../../execute/columns/field-path.js'
import { none, range, type Selection } from '../../execute/columns/selection.js'
import { type ColdColumns, type ColdFile, coldColumnsInMemory } from './cold.js'
import { createColdReader, createTextsReader } from './cold-reader.js'

/** A sealed batch of a single source and UTC day, sorted by project, then time, then arrival. Segments never change. */
export interface Segment extends Batch {
  source: SourceName
  /** The UTC day of all rows, in days since the epoch. */
  day: number
  projects: ProjectIndex
  cold: ColdColumns
  /** Bytes of memory. */
  hotBytes: number
  coldBytes: number
}

/** Index of rows by project: project p, ascending by bytes, has the rows [starts[p - 1], starts[p]). */
export interface ProjectIndex {
  dictionary: Dictionary
  /** A number per project and the number of all rows. Rows without a project are before starts[0]. */
  starts: Uint32Array
}

/** The data of a segment. Rows are sorted by project, then time, then arrival. */
export interface SegmentData {
  source: SourceName
  day: number
  rows: number
  minUs: number
  maxUs: number
  times: TimeColumn
  projects: ProjectIndex
  columns: ReadonlyMap<string, Column>
  inMetadata: InMetadata
  cold: ColdColumns
  /** See {@link Batch}. */
  readStoredFields?: ReadStoredFields | undefined
  readMessageFilter?: ReadMessageFilter | undefined
}

/** Rows that were just sealed: plain data, which another thread can send. */
export interface SealedRows extends Omit<SegmentData, 'cold' | 'readStoredFields' | 'readMessageFilter'> {
  cold: ColdFile
}

/** Returns the segment of rows that were just sealed, wholly in memory. */
export function segmentOfSealedRows(sealed: SealedRows): Segment {
  return createSegment({ ...sealed, cold: coldColumnsInMemory(sealed.cold) })
}

/** Returns a segment of the given data. Costs nothing per row. */
export function createSegment(data: SegmentData): Segment {
  const { projects, cold } = data
  return {
    ...data,
    hotBytes: hotBytes(data),
    coldBytes: cold.memoryBytes,
    projectColumn: () => ({ kind: 'text', codes: projectCodes(data), dictionary: projects.dictionary, ascends: true }),
    projectRows: (project) => rowsOf(projects, project),
    openCold: (columns) => createColdReader(cold, columns),
    openColdTexts: (column) => createTextsReader(cold, column),
    readColdTexts: (column, row, memory) => createTextsReader(cold, column)(row, row + 1, memory),
  }
}

/** The project of each row: rows are sorted by project, rows without a project first. */
export function projectCodes({ rows, projects }: Pick<SegmentData, 'rows' | 'projects'>): Uint32Array {
  const codes = new Uint32Array(rows)
  projects.starts.forEach((from, i) => {
    codes.fill(i + 1, from, projects.starts[i + 1] ?? rows)
  })
  return codes
}

/** Times may take less until the first of them is read. */
const bytesOfTimes = (times: TimeColumn): number => times.byteLength ?? times.offsets.byteLength

function hotBytes({ times, projects, columns, inMetadata }: SegmentData): number {
  const { dictionary, starts } = projects
  let bytes = bytesOfTimes(times) + starts.byteLength + bytesOfDictionary(dictionary)
  bytes += inMetadata.rows?.byteLength ?? 0
  for (const column of columns.values()) bytes += bytesOfColumn(column)
  return bytes
}

/** Returns the rows of a project, by binary search over the projects' bytes. `none` if the project has no rows. */
function rowsOf({ dictionary, starts }: ProjectIndex, project: string): Selection {
  const wanted = Buffer.from(project)
  let low = 1
  let high = dictionary.count - 1
  while (low <= high) {
    const middle = (low + high) >>> 1
    const order = compareEntry(dictionary, middle, wanted)
    if (order === 0) return range(starts[middle - 1], starts[middle], true)
    if (order < 0) low = middle + 1
    else high = middle - 1
  }
  return none
}

/** Returns the UTC day of a moment, in days since the epoch, negative before the epoch. */
export function dayOf(timestampUs: number): number {
  return Math.floor(timestampUs / DAY_US)
}
