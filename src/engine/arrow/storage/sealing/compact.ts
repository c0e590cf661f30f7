import { decodeMessage } from '../../../../arrow-ipc/file.js'
import type { Yielder } from '../../../../base/time-slices.js'
import { COLD_COLUMNS } from '../../../columns.js'
import { reserveBytes, type Texts } from '../head/texts.js'
import { sealCold } from '../segment/cold.js'
import { contentBytes, fromBuffer, readBuffer } from '../segment/zstd.js'
import { identity } from './sort.js'

/** A cold file that was sealed in a hurry, and what finds its way in it: nothing but data, so that it may go to a thread. */
export interface UncompactedCold {
  file: Uint8Array
  /** Batch b holds the rows [firstRows[b], firstRows[b + 1]). */
  firstRows: Uint32Array
  /** And lies at the bytes [starts[b], starts[b + 1]). */
  starts: Uint32Array
  /** By which its segment knows the file. */
  check: number
}

const CANCELLED = new Error('There is no time.')

/**
 * Seals the rows of a cold file once more, with high effort: a file that may take its place. `texts` is the workshop; what it held
 * goes. Undefined once there is no cancellation.
 */
export async function compactCold(
  cold: UncompactedCold,
  texts: Texts,
  isPatient: () => boolean,
  yieldIfDue: Yielder,
): Promise<Buffer | undefined> {
  decompress(cold, texts)
  const patiently: Yielder = () => {
    if (!isPatient()) throw CANCELLED
    return yieldIfDue()
  }
  const rows = identity(cold.firstRows.at(-1)!)
  return sealCold(texts, rows, patiently, () => 'high', cold.check).then(
    ({ file }) => file,
    (error) => {
      if (error !== CANCELLED) throw error
      return undefined
    },
  )
}

/** Fills `texts` with the rows of a cold file. */
function decompress({ file, firstRows, starts }: UncompactedCold, texts: Texts): void {
  texts.usedBytes = 0
  texts.places = new Uint32Array(2 * COLD_COLUMNS.length * firstRows.at(-1)!)
  for (let batch = 0; batch < firstRows.length - 1; batch++) {
    const bytes = Buffer.from(file.buffer, file.byteOffset + starts[batch]!, starts[batch + 1]! - starts[batch]!)
    const { buffers } = decodeMessage(bytes)
    for (const column of COLD_COLUMNS.keys()) {
      const [offsets, content] = [fromBuffer(buffers[3 * column + 1]!), buffers[3 * column + 2]!]
      reserveBytes(texts, contentBytes(content))
      const start = texts.usedBytes
      texts.usedBytes += contentBytes(content)
      readBuffer(Buffer.from(texts.bytes.buffer, start, contentBytes(content)), content)
      place(texts.places, offsets, start, 2 * (firstRows[batch]! * COLD_COLUMNS.length + column))
    }
  }
}

/** Writes where the texts of a column begin and end, from the place `first` on, a row apart. */
function place(places: Uint32Array, offsets: Buffer, start: number, first: number): void {
  const rows = offsets.length / 4 - 1
  for (let row = 0, at = first; row < rows; row++, at += 2 * COLD_COLUMNS.length) {
    places[at] = start + offsets.readInt32LE(4 * row)
    places[at + 1] = start + offsets.readInt32LE(4 * row + 4)
  }
}
