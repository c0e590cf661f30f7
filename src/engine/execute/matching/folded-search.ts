import { growTo, instantiate, type Memory } from '../../../base/memory/wasm.js'
import { SHORT_LENGTH, searchForBytes } from '../../../base/text/text-search.js'
import { SLACK_BYTES } from '../../../wasm-layout/memory.js'

/** The functions that wasm/search exports. Addresses are in bytes. */
interface Exports {
  memory: Memory
  memoryStart(): number
  setPart(start: number, bytes: number): void
  find(start: number, end: number): number
}

/** A single instance for all searches: a search never waits. */
let exports: Exports | undefined

/**
 * Calls `visit` with the places of a part in bytes, ascending, ignoring the case of ASCII letters. `visit` returns the
 * place from which the search goes on.
 */
export type FoldedSearch = (bytes: Uint8Array, visit: (place: number) => number) => void

/** Returns the search for a part. The part is in lower case and has at least one byte. */
export function foldedSearch(part: Buffer): FoldedSearch {
  if (part.length <= SHORT_LENGTH) return (bytes, visit) => eachShort(bytes, part, visit)
  const search = searchForBytes(part)
  return (bytes, visit) => {
    const lower = lowerCase(bytes)
    for (let at = search(lower, 0); at >= 0; ) at = search(lower, visit(at))
  }
}

/** Returns a copy with ASCII letters in lower case. */
function lowerCase(bytes: Uint8Array): Buffer {
  const lower = Buffer.from(bytes)
  for (let i = 0; i < lower.length; i++) {
    const byte = lower[i]
    if (byte >= 0x41 && byte <= 0x5a) lower[i] = byte + 0x20
  }
  return lower
}

/** Searches with the WebAssembly module. The time of the module grows with the length of the part. */
function eachShort(bytes: Uint8Array, part: Uint8Array, visit: (place: number) => number): void {
  exports ??= instantiate<Exports>(new URL('./search.wasm', import.meta.url), {})
  const { memory, memoryStart, setPart, find } = exports
  const partAt = memoryStart()
  // The cases of the part's bytes are behind the part.
  const start = partAt + 2 * part.length
  const end = start + bytes.length
  growTo(memory, end + SLACK_BYTES)
  const all = new Uint8Array(memory.buffer)
  all.set(part, partAt)
  all.set(bytes, start)
  setPart(partAt, part.length)
  for (let at = find(start, end); at < end; ) at = find(start + visit(at - start), end)
}
