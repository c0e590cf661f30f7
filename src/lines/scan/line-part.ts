import { MIB } from '../../base/units.js'
import type { ColdColumn } from '../../common/columns.js'
import type { Batch, ColdTexts, OpenCold, Part, TakeMemory } from '../../engine/execute/columns/batch.js'
import { none } from '../../engine/execute/columns/selection.js'
import type { ScannedBlock } from './scan-block.js'

const EMPTY = Buffer.alloc(0)
/** Bytes of texts that are read together, about. */
const READ_BYTES = MIB
const allocate: TakeMemory = (bytes) => Buffer.allocUnsafeSlow(bytes)

/**
 * Returns the lines of a block as a part of the source of lines: the text of a line is the message, and the metadata.
 * Valid until the next block is scanned.
 */
function partOfBlock(block: ScannedBlock): Part {
  const batch = batchOf(block)
  const { rows, minUs, maxUs } = batch
  return { isSealed: false, owner: batch, rows, minUs, maxUs, open: () => batch, close() {} }
}

/** Returns the lines of a block as parts of at most so many rows, in order. See {@link partOfBlock}. */
export function* partsOfBlock(block: ScannedBlock, mostRows: number): Generator<Part, void> {
  const { rows, starts, ends, timesUs } = block
  for (let from = 0; from < rows; from += mostRows) {
    const to = Math.min(rows, from + mostRows)
    const lines = { starts: starts.subarray(from, to), ends: ends.subarray(from, to) }
    yield partOfBlock({ ...block, ...lines, rows: to - from, timesUs: timesUs.subarray(from, to) })
  }
}

function batchOf(block: ScannedBlock): Batch {
  const { rows, bytes, starts, ends } = block
  const textOf = (row: number) => bytes.subarray(starts[row], ends[row])
  const openCold: OpenCold = () => (row) => {
    const text = textOf(row)
    return { id: EMPTY, event_message: text, metadata: text }
  }
  const read = (column: ColdColumn, row: number, memory: TakeMemory = allocate) =>
    column === 'id' ? emptyTexts(row) : textsFrom(block, column, row, memory)
  return {
    rows,
    ...timesOf(block),
    columns: new Map(),
    inMetadata: { mask: 0 },
    projectRows: () => none,
    openCold,
    readColdTexts: read,
    openColdTexts: (column) => (row, _, memory) => read(column, row, memory),
  }
}

/** Rows without a time may be of any time. All rows are without a time if no field of the time is known. */
function timesOf({ rows, timesUs }: ScannedBlock): Pick<Batch, 'minUs' | 'maxUs' | 'times'> {
  const offsets = timesUs.length === rows ? timesUs : new Float64Array(rows).fill(Number.NaN)
  let minUs = Number.POSITIVE_INFINITY
  let maxUs = Number.NEGATIVE_INFINITY
  let hasUnknown = false
  for (const us of offsets) {
    if (us < minUs) minUs = us
    if (us > maxUs) maxUs = us
    if (Number.isNaN(us)) hasUnknown = true
  }
  if (hasUnknown || rows === 0) [minUs, maxUs] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  return { minUs, maxUs, times: { baseUs: 0, unitUs: 1, offsets, hasUnknown } }
}

const emptyTexts = (row: number): ColdTexts => ({
  from: row,
  to: row + 1,
  offsets: new Int32Array(2),
  bytes: EMPTY,
})

/** Bytes between two lines without others between them: line breaks, which are white space of JSON. */
const MOST_BREAK_BYTES = 2

/**
 * Copies the texts of a row and of the next rows. If no other lines are between, a text of metadata is followed by line
 * breaks, so that all texts are copied at once.
 */
function textsFrom(block: ScannedBlock, column: ColdColumn, from: number, memory: TakeMemory): ColdTexts {
  const { bytes, starts, ends } = block
  const { to, textBytes, areAdjacent } = rowsTogether(block, from)
  const offsets = new Int32Array(to - from + 1)
  if (column === 'metadata' && areAdjacent) {
    for (let row = from + 1; row < to; row++) offsets[row - from] = starts[row] - starts[from]
    offsets[to - from] = ends[to - 1] - starts[from]
    const texts = memory(offsets[to - from])
    texts.set(bytes.subarray(starts[from], ends[to - 1]))
    return { from, to, offsets, bytes: asBuffer(texts) }
  }
  const texts = memory(textBytes)
  for (let row = from; row < to; row++) {
    bytes.copy(texts, offsets[row - from], starts[row], ends[row])
    offsets[row - from + 1] = offsets[row - from] + ends[row] - starts[row]
  }
  return { from, to, offsets, bytes: asBuffer(texts) }
}

/** Returns the end of the rows from a row on that are read together, and the bytes of their texts. */
function rowsTogether({ rows, starts, ends }: ScannedBlock, from: number) {
  let to = from + 1
  let textBytes = ends[from] - starts[from]
  let areAdjacent = true
  for (; to < rows; to++) {
    const more = ends[to] - starts[to]
    if (textBytes + more > READ_BYTES) break
    textBytes += more
    if (starts[to] - ends[to - 1] > MOST_BREAK_BYTES) areAdjacent = false
  }
  return { to, textBytes, areAdjacent }
}

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array) => Buffer.from(buffer, byteOffset, byteLength)
