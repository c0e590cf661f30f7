import { decodeMessage } from '../../../arrow-ipc/file.js'
import { COLD_COLUMNS, type ColdColumn } from '../../../common/columns.js'
import type { ColdReader, ColdRow, ColdTexts, ColdTextsReader, TakeMemory } from '../../execute/columns/batch.js'
import type { ColdBatch, ColdColumns } from './cold.js'
import { fromBuffer, startOfBuffer } from './zstd.js'

/**
 * Returns a reader of sealed cold columns, which decompresses only the columns in `columns`. The other columns are
 * empty. The reader caches the last batch, since the rows of an answer are mostly neighbours.
 */
export function createColdReader(cold: ColdColumns, columns: readonly ColdColumn[] = COLD_COLUMNS): ColdReader {
  let [from, to] = [0, 0]
  let read: (index: number) => ColdRow
  const open = (batch: ColdBatch, row: number) => {
    read = openBatch(batch.bytes, columns)
    from = batch.from
    to = batch.to
    return read(row - from)
  }
  return (row) => {
    if (row >= from && row < to) return read(row - from)
    const batch = cold.readBatch(row)
    return batch instanceof Promise ? batch.then((arrived) => open(arrived, row)) : open(batch, row)
  }
}

/** Validity, offsets, texts. */
const BUFFERS_OF_COLUMN = 3
const NO_TEXT = Buffer.alloc(0)
const noText = () => NO_TEXT

function openBatch(bytes: Buffer, columns: readonly ColdColumn[]): (index: number) => ColdRow {
  const { buffers } = decodeMessage(bytes)
  const [id, message, metadata] = COLD_COLUMNS.map((column, i) => {
    const first = BUFFERS_OF_COLUMN * i
    return columns.includes(column) ? textsOf(buffers[first + 1], buffers[first + 2]) : noText
  }) as [(index: number) => Buffer, (index: number) => Buffer, (index: number) => Buffer]
  return (index) => ({ id: id(index), event_message: message(index), metadata: metadata(index) })
}

/**
 * Returns a reader of the texts of a column. The reader decompresses up to the first requested text, and all texts when
 * a later text is requested: an answer has the newest rows first, and in a batch the rows of a project ascend in time.
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

/** Returns a reader of the texts of a column: see `openColdTexts` of a batch. */
export function createTextsReader(cold: ColdColumns, column: ColdColumn): ColdTextsReader {
  let read: readonly ColdBatch[] = []
  return (row, to, memory) => {
    const open = (batches: readonly ColdBatch[]): ColdTexts => {
      read = batches.slice(1)
      const [{ from, to: end, bytes }] = batches as [ColdBatch]
      return { from, to: end, ...columnOf(bytes, column, memory) }
    }
    const known = read.findIndex((batch) => row >= batch.from && row < batch.to)
    if (known >= 0) return open(read.slice(known))
    const batches = cold.readBatches(row, to)
    return batches instanceof Promise ? batches.then(open) : open(batches)
  }
}

function columnOf(bytes: Buffer, column: ColdColumn, memory?: TakeMemory): Pick<ColdTexts, 'offsets' | 'bytes'> {
  const first = BUFFERS_OF_COLUMN * COLD_COLUMNS.indexOf(column)
  const { buffers } = decodeMessage(bytes)
  const offsets = fromBuffer(buffers[first + 1])
  const take = memory && ((length: number) => asBuffer(memory(length)))
  return { offsets: new Int32Array(offsets.buffer), bytes: fromBuffer(buffers[first + 2], take) }
}

const asBuffer = ({ buffer, byteOffset, length }: Uint8Array) => Buffer.from(buffer, byteOffset, length)
