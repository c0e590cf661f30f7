import { decodeMessage } from '../../../arrow-ipc/file.js'
import type { Yielder } from '../../../base/scheduling/time-slices.js'
import { COLD_COLUMNS } from '../../../common/columns.js'
import { reserveBytes, type Texts } from '../../execute/open-batch/texts.js'
import { type ColdBatch, type ColdColumns, sealCold } from '../segment/cold.js'
import { contentBytes, fromBuffer, readBuffer } from '../segment/zstd.js'
import { identity } from './sort.js'

/** A cold file, and the index of its batches. Plain data, which can be sent to another thread. */
export interface StoredCold {
  file: Uint8Array
  /** Batch b holds the rows [firstRows[b], firstRows[b + 1]). */
  firstRows: Uint32Array
  /** Batch b is stored at the bytes [starts[b], starts[b + 1]). */
  starts: Uint32Array
  /** The checksum by which the segment identifies the file. */
  check: number
}

/** Returns a copy of a cold file in memory. */
export function copyOfCold({ file, readBatch }: ColdColumns, rows: number): StoredCold {
  const copy = Uint8Array.from(file!)
  const firstRows: number[] = []
  const starts: number[] = []
  let end = 0
  for (let row = 0; row < rows; ) {
    const { from, to, bytes } = readBatch(row) as ColdBatch
    firstRows.push(from)
    starts.push(bytes.byteOffset - file!.byteOffset)
    end = starts.at(-1)! + bytes.length
    row = to
  }
  return { file: copy, firstRows: Uint32Array.of(...firstRows, rows), starts: Uint32Array.of(...starts, end), check: 0 }
}

/**
 * Compresses the rows of a cold file again, with high effort. Returns a file that may replace the cold file, or
 * undefined as soon as `hasTime` is false between two batches. `texts` is the workspace: texts in the workspace are
 * overwritten.
 */
export async function compactCold(
  cold: StoredCold,
  texts: Texts,
  hasTime: () => boolean,
  yieldIfDue: Yielder,
): Promise<Buffer | undefined> {
  decompressCold(cold, texts)
  const rows = identity(cold.firstRows.at(-1)!)
  const sealed = await whileTime(hasTime, yieldIfDue, (yieldOrCancel) =>
    sealCold(texts, rows, yieldOrCancel, () => 'high', cold.check),
  )
  return sealed?.file
}

const CANCELLED = new Error('The work was cancelled.')

/**
 * Runs work with a yielder. Returns undefined as soon as `hasTime` is false at a yield.
 */
export function whileTime<T>(
  hasTime: () => boolean,
  yieldIfDue: Yielder,
  work: (yieldOrCancel: Yielder) => Promise<T>,
): Promise<T | undefined> {
  const yieldOrCancel: Yielder = () => {
    if (!hasTime()) throw CANCELLED
    return yieldIfDue()
  }
  return work(yieldOrCancel).catch((error) => {
    if (error !== CANCELLED) throw error
    return undefined
  })
}

/** Fills `texts` with the rows of a cold file. */
export function decompressCold({ file, firstRows, starts }: StoredCold, texts: Texts): void {
  texts.usedBytes = 0
  texts.places = new Uint32Array(2 * COLD_COLUMNS.length * firstRows.at(-1)!)
  for (let batch = 0; batch < firstRows.length - 1; batch++) {
    const bytes = Buffer.from(file.buffer, file.byteOffset + starts[batch], starts[batch + 1] - starts[batch])
    const { buffers } = decodeMessage(bytes)
    for (const column of COLD_COLUMNS.keys()) {
      const [offsets, content] = [fromBuffer(buffers[3 * column + 1]), buffers[3 * column + 2]]
      reserveBytes(texts, contentBytes(content))
      const start = texts.usedBytes
      texts.usedBytes += contentBytes(content)
      readBuffer(Buffer.from(texts.bytes.buffer, start, contentBytes(content)), content)
      writePlaces(texts.places, offsets, start, 2 * (firstRows[batch] * COLD_COLUMNS.length + column))
    }
  }
}

/** Writes the start and end of each text of a column, from the index `first` on, in steps of a row. */
function writePlaces(places: Uint32Array, offsets: Buffer, start: number, first: number): void {
  const rows = offsets.length / 4 - 1
  for (let row = 0, at = first; row < rows; row++, at += 2 * COLD_COLUMNS.length) {
    places[at] = start + offsets.readInt32LE(4 * row)
    places[at + 1] = start + offsets.readInt32LE(4 * row + 4)
  }
}
