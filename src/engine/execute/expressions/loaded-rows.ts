import type { Yielder } from '../../../base/scheduling/time-slices.js'
import { decodeUtf8 } from '../../../base/text/utf8.js'
import { MIB } from '../../../base/units.js'
import { COLD_COLUMNS, type ColdColumn } from '../../../common/columns.js'
import { RawJson, type Scalar } from '../../../plan/values/values.js'
import type { ColdReader, ColdRow, OpenCold } from '../columns/batch.js'
import type { Loaded } from './frame.js'
import { type Computed, remembered } from './vector.js'

/** The columns that are stored compressed, and read for single rows. */
export const COLD: ReadonlySet<string> = new Set(COLD_COLUMNS)

/** The value of a cold column, given the stored bytes. */
export const coldValue = (name: ColdColumn, bytes: Uint8Array): Scalar =>
  name === 'metadata' ? new RawJson(decodeUtf8(bytes)) : decodeUtf8(bytes)

/** The bytes of cold rows in memory at a time. A single row may be longer. */
const COLD_BYTES = MIB

/** The cold rows that a frame has loaded, by position. The rows have the columns of which a vector was made before. */
export interface LoadedRows {
  /** The reader of the cold columns of a batch, by batch number. Returns the same reader until a column is added. */
  reader(batch: number, open: OpenCold): ColdReader
  load(
    positions: Uint32Array,
    read: (position: number) => ColdRow | Promise<ColdRow>,
    options: { isCopied: boolean; yieldIfDue: Yielder },
  ): Promise<Loaded>
  vector(name: ColdColumn): Computed
}

/** Creates the memory for the cold rows of a frame. See {@link Frame.load}. */
export function createLoadedRows(): LoadedRows {
  const rows = new Map<number, readonly Uint8Array[]>()
  const readers = new Map<number, ColdReader>()
  const columns: ColdColumn[] = []
  const placeOf = (name: ColdColumn) => {
    if (!columns.includes(name)) {
      columns.push(name)
      readers.clear()
    }
    return columns.indexOf(name)
  }
  return {
    reader(batch, open) {
      const read = readers.get(batch) ?? open([...columns])
      readers.set(batch, read)
      return read
    },
    async load(positions, read, { isCopied, yieldIfDue }) {
      rows.clear()
      let bytes = 0
      let longestBytes = 0
      let count = 0
      for (; count < positions.length && bytes < COLD_BYTES; count++) {
        const position = positions[count]
        if (rows.has(position)) continue
        const next = read(position)
        const row = next instanceof Promise ? await next : next
        const texts = columns.map((name) => (isCopied ? Buffer.from(row[name]) : row[name]))
        rows.set(position, texts)
        for (const { length } of texts) {
          bytes += length
          longestBytes = Math.max(longestBytes, length)
        }
        const pause = yieldIfDue()
        if (pause !== undefined) await pause
      }
      return { rows: count, longestBytes }
    },
    vector(name) {
      const place = placeOf(name)
      // Several expressions read the text of a row, which may be long: the text is decoded once.
      const at = remembered((position) => coldValue(name, rows.get(position)![place]))
      return { kind: 'computed', at, call: undefined, longest: undefined, isCold: true }
    },
  }
}
