import { growTo, instantiate, type Memory } from '../../../base/wasm.js'
import { SLACK_BYTES } from '../../../wasm-layout/memory.js'

/** The functions that wasm/search exports. Addresses are in bytes. */
interface Exports {
  memory: Memory
  memoryStart(): number
  setPart(start: number, bytes: number): void
  find(start: number, end: number): number
}

/** One for all searches: none of them waits for anything. */
let exports: Exports | undefined

/**
 * Calls `visit` with the places of a text in bytes, ascending, ignoring the case of ASCII letters. `part` is in lower
 * case and has one byte at least. `visit` returns the place from which the search goes on.
 */
export function eachFolded(bytes: Uint8Array, part: Uint8Array, visit: (place: number) => number): void {
  exports ??= instantiate<Exports>(new URL('./search.wasm', import.meta.url), {})
  const { memory, memoryStart, setPart, find } = exports
  const partAt = memoryStart()
  // The cases of its bytes are behind the part.
  const start = partAt + 2 * part.length
  const end = start + bytes.length
  growTo(memory, end + SLACK_BYTES)
  const all = new Uint8Array(memory.buffer)
  all.set(part, partAt)
  all.set(bytes, start)
  setPart(partAt, part.length)
  for (let at = find(start, end); at < end; ) at = find(start + visit(at - start), end)
}
