import type { ColdReader, ColdRow } from '../columns/batch.js'
import type { ColdBatches, ColdColumns } from './cold.js'
import { openMessage } from './ipc.js'
import { fromBuffer, startOfBuffer } from './zstd.js'

/** Reads rows of sealed cold columns; keeps the batch last read, since the rows of an answer lie side by side. */
export function createColdReader(cold: ColdColumns): ColdReader {
  let read: ColdReader | undefined
  return (row) => {
    if (read !== undefined) return read(row)
    const batches = cold.open()
    if (!(batches instanceof Promise)) return (read = readerOf(batches))(row)
    return batches.then((arrived) => (read ??= readerOf(arrived))(row))
  }
}

function readerOf({ firstRows, readBatch }: ColdBatches): ColdReader {
  let current = -1
  let read: (index: number) => ColdRow
  const open = (batch: number, bytes: Buffer) => {
    read = openBatch(bytes)
    current = batch
  }
  return (row) => {
    const wanted = batchOf(firstRows, row)
    const index = row - firstRows[wanted]!
    if (wanted === current) return read(index)
    const bytes = readBatch(wanted)
    if (bytes instanceof Promise) {
      return bytes.then((arrived) => {
        open(wanted, arrived)
        return read(index)
      })
    }
    open(wanted, bytes)
    return read(index)
  }
}

function openBatch(bytes: Buffer): (index: number) => ColdRow {
  const [, idOffsets, ids, , messageOffsets, messages, , metadataOffsets, metadata] = openMessage(bytes).buffers
  const id = textsOf(idOffsets!, ids!)
  const message = textsOf(messageOffsets!, messages!)
  const details = textsOf(metadataOffsets!, metadata!)
  return (index) => ({ id: id(index), event_message: message(index), metadata: details(index) })
}

/**
 * The texts of a column. They are decompressed as far as the first one that is asked for, and whole when one behind it is: an
 * answer has the newest rows first, and in a batch the rows of a project ascend in time.
 */
function textsOf(offsetsBuffer: Buffer, textsBuffer: Buffer): (index: number) => Buffer {
  const offsets = fromBuffer(offsetsBuffer)
  let texts: Buffer | undefined
  return (index) => {
    const end = offsets.readInt32LE(4 * index + 4)
    if (texts === undefined) texts = startOfBuffer(textsBuffer, end)
    else if (texts.length < end) texts = fromBuffer(textsBuffer)
    return texts.subarray(offsets.readInt32LE(4 * index), end)
  }
}

function batchOf(firstRows: Uint32Array, row: number): number {
  let low = 0
  let high = firstRows.length - 2
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (firstRows[middle]! <= row) low = middle
    else high = middle - 1
  }
  return low
}
