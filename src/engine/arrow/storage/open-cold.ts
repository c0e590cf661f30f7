import type { Data } from 'apache-arrow'
import { KIB } from '../../../base/units.js'
import { COLD_COLUMNS, type ColdColumn } from '../../schema.js'
import type { ColdRow } from '../columns/batch.js'

/** The texts of some rows, end to end: text i is `bytes[offsets[i] .. offsets[i + 1])`. Both grow. */
export interface Texts {
  offsets: Uint32Array
  bytes: Uint8Array
}

/** The cold columns of an open head: every text as it came, in order of arrival. */
export type OpenCold = Record<ColdColumn, Texts>

const FIRST_TEXTS = 255
const FIRST_BYTES = 16 * KIB

export function createOpenCold(): OpenCold {
  return mapColumns(() => ({ offsets: new Uint32Array(FIRST_TEXTS + 1), bytes: new Uint8Array(FIRST_BYTES) }))
}

/** Appends the cold columns of `rows` rows behind the first `at` ones. */
export function appendCold(cold: OpenCold, at: number, rows: number, batch: Record<ColdColumn, Data>): void {
  for (const name of COLD_COLUMNS) appendTexts(cold[name], at, batch[name], rows)
}

/** Bytes of the first `rows` rows. */
export function coldTextBytes(cold: OpenCold, rows: number): number {
  return COLD_COLUMNS.reduce((sum, name) => sum + cold[name].offsets[rows]!, 0)
}

/** Bytes of memory held, room to grow included. */
export function openColdBytes(cold: OpenCold): number {
  return COLD_COLUMNS.reduce((sum, name) => sum + cold[name].offsets.byteLength + cold[name].bytes.byteLength, 0)
}

/** What is there now, which later appends leave alone. */
export function snapshotCold(cold: OpenCold): OpenCold {
  return mapColumns((name) => ({ ...cold[name] }))
}

/** One row, as views. */
export function readOpenCold(cold: OpenCold, row: number): ColdRow {
  return mapColumns((name) => {
    const { offsets, bytes } = cold[name]
    return Buffer.from(bytes.buffer, offsets[row]!, offsets[row + 1]! - offsets[row]!)
  })
}

function mapColumns<T>(make: (name: ColdColumn) => T): Record<ColdColumn, T> {
  return { id: make('id'), event_message: make('event_message'), metadata: make('metadata') }
}

/** What is full moves to an array of twice the length. */
function appendTexts(into: Texts, at: number, { valueOffsets, values }: Data, rows: number): void {
  const offsets = valueOffsets as Int32Array
  const start = into.offsets[at]!
  const shift = start - offsets[0]!
  const end = shift + offsets[rows]!
  if (at + rows >= into.offsets.length) {
    const grown = new Uint32Array(Math.max(at + rows + 1, into.offsets.length * 2))
    grown.set(into.offsets.subarray(0, at + 1))
    into.offsets = grown
  }
  if (end > into.bytes.length) {
    const grown = new Uint8Array(Math.max(end, into.bytes.length * 2))
    grown.set(into.bytes.subarray(0, start))
    into.bytes = grown
  }
  for (let i = 1; i <= rows; i++) into.offsets[at + i] = shift + offsets[i]!
  into.bytes.set((values as Uint8Array).subarray(offsets[0], offsets[rows]), start)
}
