import { createHash } from 'node:crypto'
import { SOURCE_NAMES, type SourceName } from '../../../sources.js'
import type { Files } from '../../disk/files/files.js'
import { decodeHeader, FRAMES_START, MARKER_BYTES } from '../../disk/journal/header.js'
import { type Damage, recoverJournal } from '../../disk/journal/recover.js'
import type { IngestBatch } from '../../engine.js'
import { timeAt } from '../columns/batch.js'
import type { SegmentFacts } from '../storage/files/facts.js'
import { type HeadId, journalPath } from '../storage/files/file-names.js'
import { type SegmentPlace, takeInventory } from '../storage/files/inventory.js'
import { loadSegment, readSegmentChecks, readSegmentFacts } from '../storage/files/segment-file.js'
import type { Segment } from '../storage/segment/segment.js'
import { batchesOf } from './batches.js'

/** Rows of one source that lie in one place of a data directory: a sealed segment, or the journal of an open head. */
export interface Piece {
  source: SourceName
  /** Heads of a source are numbered in the order of their rows' arrival. */
  head: number
  /** Which of the head's segments; undefined: its journal. */
  part: number | undefined
  path: string
  /** What is known before it is read: a journal does not say. */
  facts: SegmentFacts | undefined
  /** Eight bytes that name these rows: the same whenever they are read and wherever the directory lies. */
  marker: Uint8Array
  /** All its rows as batches, in their order. Rejects where that is damaged; damage of a journal costs what it hit. */
  read(damage: (stretch: Damage) => void): Promise<IngestBatch[]>
  /** Whether a segment has a row of that time and id; of a journal nobody asks. */
  holds(timestampUs: number, id: string): Promise<boolean>
}

/**
 * What a data directory holds, source by source in order of arrival, by the rules of a start; but nothing in it is
 * changed. `unreadable` is told of segments that are damaged.
 */
export async function listPieces(files: Files, unreadable: (path: string, error: Error) => void): Promise<Piece[]> {
  const { journals, segments } = await takeInventory(files)
  const pieces: Piece[] = []
  for (const place of segments) {
    try {
      pieces.push(await segmentPiece(files, place))
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'damaged_segment') throw error
      unreadable(place.path, error as Error)
    }
  }
  for (const id of journals) pieces.push(await journalPiece(files, id))
  return pieces.sort(inOrder)
}

function inOrder(a: Piece, b: Piece): number {
  const bySource = SOURCE_NAMES.indexOf(a.source) - SOURCE_NAMES.indexOf(b.source)
  return bySource || a.head - b.head || (a.part ?? 0) - (b.part ?? 0)
}

async function segmentPiece(files: Files, place: SegmentPlace): Promise<Piece> {
  const { source, number: head, part, path } = place
  const facts = await readSegmentFacts(files, path)
  const hash = createHash('sha256')
    .update(`${source} ${head} ${part} `)
    .update(await readSegmentChecks(files, path))
  return {
    ...{ source, head, part, path, facts },
    marker: hash.digest().subarray(0, MARKER_BYTES),
    async read() {
      const batches: IngestBatch[] = []
      for await (const batch of batchesOf(await loadSegment(files, path, facts))) batches.push(batch)
      return batches
    },
    async holds(timestampUs, id) {
      if (timestampUs < facts.minUs || timestampUs > facts.maxUs) return false
      return holdsRow(await loadSegment(files, path, facts), timestampUs, id)
    },
  }
}

async function holdsRow(segment: Segment, timestampUs: number, id: string): Promise<boolean> {
  const read = segment.openCold()
  for (let row = 0; row < segment.rows; row++) {
    if (timeAt(segment.times, row) === timestampUs && (await read(row)).id.toString() === id) return true
  }
  return false
}

async function journalPiece(files: Files, id: HeadId): Promise<Piece> {
  const { source, number: head } = id
  const path = journalPath(id)
  const file = await files.openToRead(path)
  const bytes = Buffer.alloc(FRAMES_START)
  const filled = await file.readAt(0, bytes).finally(() => file.close())
  const { header } = decodeHeader(bytes.subarray(0, filled), path)
  return {
    ...{ source, head, part: undefined, path, facts: undefined },
    // A journal without a header holds no rows, which need no name.
    marker: header?.marker ?? new Uint8Array(MARKER_BYTES),
    async read(damage) {
      const batches: IngestBatch[] = []
      const batch = (read: IngestBatch) => void batches.push({ ...read, ipc: Uint8Array.from(read.ipc) })
      await recoverJournal(files, path, { batch, damage })
      return batches
    },
    holds: async () => false,
  }
}
