import { createHash } from 'node:crypto'
import { decodeUtf8 } from '../../../base/text/utf8.js'
import { isBuiltIn, SOURCE_NAMES, type SourceName } from '../../../common/sources.js'
import type { Files } from '../../disk/files/files.js'
import { MARKER_BYTES } from '../../disk/journal/header.js'
import { type Damage, readJournalHeader, recoverJournal } from '../../disk/journal/recover.js'
import type { IngestBatch } from '../../engine.js'
import { timeAt } from '../../execute/columns/batch.js'
import type { SegmentFacts } from '../files/facts.js'
import { type HeadId, journalPath, type SegmentPlace } from '../files/file-names.js'
import { takeInventory } from '../files/inventory.js'
import { loadSegment, readSegmentChecks, readSegmentFacts } from '../files/segment-file.js'
import type { Segment } from '../segment/segment.js'
import { batchesOf } from './batches.js'

/** The rows of a source in a single place of a data directory: a sealed segment, or the journal of an open head. */
export interface StoredRows {
  source: SourceName
  /** Heads of a source are numbered in the order of their rows' arrival. */
  head: number
  /** The number of the head's segment, undefined for the head's journal. */
  part: number | undefined
  path: string
  /** The segment's rows and time range, undefined for a journal. */
  facts: SegmentFacts | undefined
  /** Eight bytes that identify the rows: the same at every read, and if the directory is moved. */
  marker: Uint8Array
  /**
   * Returns all rows as batches, in order. Rejects with `damaged_segment` if a segment is damaged. A damaged journal
   * loses only the damaged stretches, each of which is passed to `damage`.
   */
  read(damage: (stretch: Damage) => void): Promise<IngestBatch[]>
  /** Whether a segment has a row of that time and id. Always false for a journal. */
  hasRow(timestampUs: number, id: string): Promise<boolean>
}

/**
 * Lists the contents of a data directory by source, the nine first, and in order of arrival, by the rules of a start,
 * but without changing anything. Calls `onUnreadable` for each damaged segment.
 */
export async function listStoredRows(
  files: Files,
  onUnreadable: (path: string, error: Error) => void,
): Promise<StoredRows[]> {
  const { journals, segments } = await takeInventory(files)
  const stored: StoredRows[] = []
  for (const place of segments) {
    try {
      stored.push(await rowsOfSegment(files, place))
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'damaged_segment') throw error
      onUnreadable(place.path, error as Error)
    }
  }
  for (const id of journals) stored.push(await rowsOfJournal(files, id))
  return stored.sort((a, b) => bySource(a.source, b.source) || a.head - b.head || (a.part ?? 0) - (b.part ?? 0))
}

/** The order of the nine sources, then own sources by name. */
function bySource(a: SourceName, b: SourceName): number {
  const placeOf = (source: SourceName) => (isBuiltIn(source) ? SOURCE_NAMES.indexOf(source) : SOURCE_NAMES.length)
  return placeOf(a) - placeOf(b) || Number(a > b) - Number(a < b)
}

async function rowsOfSegment(files: Files, place: SegmentPlace): Promise<StoredRows> {
  const { source, number: head, part, path } = place
  const facts = await readSegmentFacts(files, path)
  const hash = createHash('sha256')
    .update(`${source} ${head} ${part} `)
    .update(await readSegmentChecks(files, path))
  return {
    source,
    head,
    part,
    path,
    facts,
    marker: hash.digest().subarray(0, MARKER_BYTES),
    async read() {
      const batches: IngestBatch[] = []
      for await (const batch of batchesOf(await loadSegment(files, path, facts))) batches.push(batch)
      return batches
    },
    async hasRow(timestampUs, id) {
      if (timestampUs < facts.minUs || timestampUs > facts.maxUs) return false
      return segmentHasRow(await loadSegment(files, path, facts, NO_COLUMNS), timestampUs, id)
    },
  }
}

const NO_COLUMNS: ReadonlySet<string> = new Set()

async function segmentHasRow(segment: Segment, timestampUs: number, id: string): Promise<boolean> {
  const read = segment.openCold()
  for (let row = 0; row < segment.rows; row++) {
    if (timeAt(segment.times, row) === timestampUs && decodeUtf8((await read(row)).id) === id) return true
  }
  return false
}

async function rowsOfJournal(files: Files, id: HeadId): Promise<StoredRows> {
  const { source, number: head } = id
  const path = journalPath(id)
  const header = await readJournalHeader(files, path, source)
  return {
    source,
    head,
    part: undefined,
    path,
    facts: undefined,
    // A journal without a header has no rows, and needs no marker.
    marker: header?.marker ?? new Uint8Array(MARKER_BYTES),
    async read(damage) {
      const batches: IngestBatch[] = []
      const batch = (read: IngestBatch) => void batches.push({ ...read, ipc: Uint8Array.from(read.ipc) })
      await recoverJournal(files, path, source, { batch, damage })
      return batches
    },
    hasRow: async () => false,
  }
}
