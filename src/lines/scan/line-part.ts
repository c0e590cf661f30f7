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
export function partOfBlock(block: ScannedBlock): Part {
  const batch = batchOf(block)
  const { rows, minUs, maxUs } = batch
  return { isSealed: false, owner: batch, rows, minUs, maxUs, open: () => batch, close() {} }
}

function batchOf(block: ScannedBlock): Batch {
  const { rows, bytes, starts, ends } = block
  const textOf = (row: number) => bytes.subarray(starts[row], ends[row])
  const openCold: OpenCold = () => (row) => {
    const text = textOf(row)
    return { id: EMPTY, event_message: text, metadata: text }
  }
  const read = (column: ColdColumn, row: number, memory: TakeMemory = allocate) =>
    column === 'id' ? emptyTexts(row) : textsFrom(block, row, memory)
  return {
    rows,
    ...timesOf(block.timesUs),
    columns: new Map(),
    inMetadata: { mask: 0 },
    projectRows: () => none,
    openCold,
    readColdTexts: read,
    openColdTexts: (column) => (row, _, memory) => read(column, row, memory),
  }
}

/** Rows without a time may be of any time. */
function timesOf(offsets: Float64Array): Pick<Batch, 'minUs' | 'maxUs' | 'times'> {
  let minUs = Number.POSITIVE_INFINITY
  let maxUs = Number.NEGATIVE_INFINITY
  let hasUnknown = false
  for (const us of offsets) {
    if (us < minUs) minUs = us
    if (us > maxUs) maxUs = us
    if (Number.isNaN(us)) hasUnknown = true
  }
  if (hasUnknown || offsets.length === 0) [minUs, maxUs] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  return { minUs, maxUs, times: { baseUs: 0, unitUs: 1, offsets, hasUnknown } }
}

const emptyTexts = (row: number): ColdTexts => ({
  from: row,
  to: row + 1,
  offsets: new Int32Array(2),
  bytes: EMPTY,
})

/** Copies the texts of a row and of the next rows. */
function textsFrom({ rows, bytes, starts, ends }: ScannedBlock, from: number, memory: TakeMemory): ColdTexts {
  let to = from
  let length = 0
  for (; to < rows && (to === from || length + ends[to] - starts[to] <= READ_BYTES); to++)
    length += ends[to] - starts[to]
  const offsets = new Int32Array(to - from + 1)
  const texts = memory(length)
  let end = 0
  for (let row = from; row < to; row++) {
    // A loop is quicker than a call for each line.
    for (let at = starts[row]; at < ends[row]; ) texts[end++] = bytes[at++]
    offsets[row - from + 1] = end
  }
  return { from, to, offsets, bytes: Buffer.from(texts.buffer, texts.byteOffset, texts.byteLength) }
}
