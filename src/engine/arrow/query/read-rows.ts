import type { Yielder } from '../../../base/time-slices.js'
import { KIB } from '../../../base/units.js'
import { RawJson, type Row, type Value } from '../../engine.js'
import type { Batch, ColdRow } from '../columns/batch.js'
import type { RowRef } from '../operators/top.js'

/** Cold columns of so many bytes are held for whoever asks for row after row, and always one row: most answers take less. */
export const STRETCH_BYTES = 256 * KIB
/** So many batches are read from at once: Node has as many threads for files. */
const READS_AT_ONCE = 4
/** Each stretch is tried with so many times the rows that the one before could hold. */
const GROWTH = 2

interface Reading {
  /** The batches that rows were found in, by their numbers. */
  opened: ReadonlyMap<number, Batch['openCold']>
  columns: readonly string[]
  yieldIfDue: Yielder
}

/**
 * The rows found, with their cold columns, in their order. They are read a stretch at a time, so that a batch is decompressed
 * once for all of its rows there, and nothing of it is held while the caller takes them: a slow one may take minutes.
 */
export async function* readRows(found: readonly RowRef[], reading: Reading): AsyncGenerator<Row, void> {
  let most = found.length
  for (let from = 0; from < found.length; ) {
    const rows = await readStretch(found.slice(from, from + most), reading)
    from += rows.length
    most = GROWTH * rows.length
    // One that has been given is let go of.
    for (rows.reverse(); rows.length > 0; ) yield rows.pop()!
  }
}

/** The first of the rows: as many as may be held, at least one. */
async function readStretch(found: readonly RowRef[], { opened, columns, yieldIfDue }: Reading): Promise<Row[]> {
  const rows = new Array<Row>(found.length)
  const sizes: number[] = []
  let bytes = 0

  /** What does not fit goes from the end, so that the stretch becomes as short as it must be, and takes nothing there any more. */
  function hold(place: number, cold: ColdRow): void {
    if (place >= rows.length) return
    rows[place] = toRow(found[place]!.timestampUs, cold, columns)
    bytes += sizes[place] = bytesOf(cold)
    for (; bytes > STRETCH_BYTES && rows.length > 1; rows.length--) bytes -= sizes[rows.length - 1] ?? 0
  }

  const wanted = placesByBatch(found).entries()
  async function readBatches(): Promise<void> {
    for (const [batch, places] of wanted) {
      const read = opened.get(batch)!()
      for (const place of places) {
        if (place >= rows.length) continue
        const cold = read(found[place]!.row)
        hold(place, cold instanceof Promise ? await cold : cold)
        await yieldIfDue()
      }
    }
  }

  await Promise.all(Array.from({ length: READS_AT_ONCE }, readBatches))
  return rows
}

/** The places of each batch's rows, the batch of the first place first; the last row first, as it is decompressed soonest. */
function placesByBatch(found: readonly RowRef[]): Map<number, number[]> {
  const places = new Map<number, number[]>()
  found.forEach(({ batch }, place) => {
    const others = places.get(batch)
    if (others === undefined) places.set(batch, [place])
    else others.push(place)
  })
  for (const those of places.values()) those.sort((a, b) => found[b]!.row - found[a]!.row)
  return places
}

const bytesOf = ({ id, event_message, metadata }: ColdRow) => id.length + event_message.length + metadata.length

/** How each column of an answer is made. */
const VALUES: Readonly<Record<string, (timestampUs: number, cold: ColdRow) => Value>> = {
  id: (_, { id }) => id.toString(),
  timestamp: (timestampUs) => timestampUs,
  event_message: (_, cold) => cold.event_message.toString(),
  metadata: (_, { metadata }) => new RawJson(metadata.toString()),
}

/** A row as an answer has it. */
export function toRow(timestampUs: number, cold: ColdRow, columns: readonly string[]): Row {
  const row: Record<string, Value> = {}
  for (const column of columns) row[column] = VALUES[column]!(timestampUs, cold)
  return row
}
