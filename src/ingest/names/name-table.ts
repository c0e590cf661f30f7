import { MAX_OWN_SOURCES, MAX_SOURCE_NAME_CHARACTERS } from '../../common/own-source-names.js'
import type { SourceName } from '../../common/sources.js'

/**
 * A list of names in memory that threads share. One thread appends, others read. The first word is the number of names.
 * A name that is counted never changes.
 */

const COUNT_BYTES = 4
/** A name after its length. */
const NAME_BYTES = 1 + MAX_SOURCE_NAME_CHARACTERS

/** Creates memory for the names that exist, and for as many as may be added. */
export const createNameTable = (existing: number): SharedArrayBuffer =>
  new SharedArrayBuffer(COUNT_BYTES + (existing + MAX_OWN_SOURCES) * NAME_BYTES)

/** Appends a name. A name for which there is no room is left out. */
export function appendName(table: SharedArrayBuffer, name: SourceName): void {
  const count = new Int32Array(table, 0, 1)
  const at = COUNT_BYTES + count[0]! * NAME_BYTES
  if (at + NAME_BYTES > table.byteLength) return
  const entry = new Uint8Array(table, at, NAME_BYTES)
  entry[0] = name.length
  entry.set(Buffer.from(name, 'latin1'), 1)
  Atomics.add(count, 0, 1)
}

/** Returns a function that returns the names that are new since its last call. */
export function createNameReader(table: SharedArrayBuffer): () => SourceName[] {
  const count = new Int32Array(table, 0, 1)
  let read = 0
  return () => {
    const names: SourceName[] = []
    for (const end = Atomics.load(count, 0); read < end; read++) names.push(nameAt(table, read))
    return names
  }
}

function nameAt(table: SharedArrayBuffer, index: number): SourceName {
  const at = COUNT_BYTES + index * NAME_BYTES
  const [length] = new Uint8Array(table, at, 1)
  return Buffer.from(table, at + 1, length).toString('latin1')
}
