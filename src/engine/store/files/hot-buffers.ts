import type { Column, TimeColumn } from '../../execute/columns/batch.js'
import { ABSENT, type Codes, type Dictionary } from '../../execute/columns/dictionary.js'
import { narrowCodes } from '../../execute/columns/narrow.js'
import { areShorts, type NumberColumn, widenNumbers } from '../../execute/columns/numbers.js'
import type { ProjectIndex } from '../segment/segment.js'

// Converts hot columns from memory to Arrow's form: code 0 and NaN become nulls, codes count from 0, entries have no
// newline at the end.

/** A column of a record batch before compression. */
export interface ArrowColumn {
  nulls: number
  /** A bit per row, set if the value is present. Empty if all values are present. */
  validity: Uint8Array
  values: Uint8Array
}

/** Returns the memory of a view as bytes, without a copy. */
export const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView) =>
  new Uint8Array(buffer, byteOffset, byteLength)

/** Returns times as 64-bit integers, in microseconds. */
export function toTimestamps({ baseUs, unitUs, offsets }: TimeColumn, rows: number): ArrowColumn {
  const words = new Uint32Array(2 * rows)
  for (let row = 0; row < rows; row++) {
    const timestampUs = baseUs + offsets[row] * unitUs
    words[2 * row] = timestampUs
    words[2 * row + 1] = Math.floor(timestampUs / 2 ** 32)
  }
  return { nulls: 0, validity: NONE, values: bytesOf(words) }
}

const NONE = new Uint8Array(0)

/** Returns a column that is neither times nor projects. */
export function toColumn(column: Column): ArrowColumn {
  if (column.kind === 'text') return toIndices(column.codes)
  if (column.kind === 'areas') return { nulls: 0, validity: NONE, values: column.flags }
  return toNumbers(column)
}

/**
 * Returns indices into the entries without the absent entry. A null has the index 0, since some tools read the indices
 * of nulls too.
 */
export function toIndices(codes: Codes): ArrowColumn {
  const indices = codes.slice()
  const validity = new Uint8Array(Math.ceil(codes.length / 8))
  let nulls = 0
  for (let row = 0; row < codes.length; row++) {
    if (codes[row] === ABSENT) nulls++
    else {
      indices[row]--
      validity[row >> 3] |= 1 << (row & 7)
    }
  }
  return { nulls, validity: nulls === 0 ? NONE : validity, values: bytesOf(indices) }
}

/** Returns small integers if all values are, else doubles. */
function toNumbers(column: NumberColumn): ArrowColumn {
  if (areShorts(column)) return { nulls: 0, validity: NONE, values: bytesOf(column.values) }
  const values = widenNumbers(column)
  const validity = new Uint8Array(Math.ceil(values.length / 8))
  let nulls = 0
  for (let row = 0; row < values.length; row++) {
    if (Number.isNaN(values[row])) nulls++
    else validity[row >> 3] |= 1 << (row & 7)
  }
  return { nulls, validity: nulls === 0 ? NONE : validity, values: bytesOf(values) }
}

/** Returns the project of each row: the project's number in the index, 0 if absent. */
export function projectCodes({ dictionary, starts }: ProjectIndex, rows: number): Codes {
  const codes = new Uint32Array(rows)
  for (let project = 1; project < starts.length; project++) codes.fill(project, starts[project - 1], starts[project])
  return narrowCodes(codes, dictionary.count)
}

/** Returns the entries without the absent entry: offsets and texts. */
export function toEntries({ count, offsets, bytes }: Dictionary): { offsets: Int32Array; texts: Uint8Array } {
  const ends = new Int32Array(count)
  const texts = new Uint8Array(Math.max(0, offsets[count] - offsets[1] - (count - 1)))
  // Most bytes of a hot file are copied here: four at a time take a third of the time.
  const from = new DataView(bytes.buffer, bytes.byteOffset)
  const to = new DataView(texts.buffer)
  let end = 0
  for (let entry = 1; entry < count; entry++) {
    const stop = offsets[entry + 1] - 1
    let p = offsets[entry]
    for (; p + 4 <= stop; p += 4, end += 4) to.setInt32(end, from.getInt32(p, true), true)
    while (p < stop) texts[end++] = bytes[p++]
    ends[entry] = end
  }
  return { offsets: ends, texts }
}
