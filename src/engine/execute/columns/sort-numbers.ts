import { growTo, instantiate, type Memory } from '../../../base/memory/wasm.js'

/** The functions that wasm/numbers/sorting.ts exports. Addresses are in bytes. */
interface Exports {
  memory: Memory
  memoryStart(): number
  sortDoubles(from: number, length: number): number
}

/** Up to this many numbers V8's own sort takes less time. */
const FEW = 64

/** A single instance for all calls: no call waits for anything. */
let exports: Exports | undefined

/**
 * Returns numbers, none of which is NaN, in ascending order. The next call may overwrite the returned memory. Takes
 * linear time. Throws if `numbers.wasm` is not built.
 */
export function sortNumbers(numbers: Float64Array): Float64Array {
  if (numbers.length <= FEW) return numbers.toSorted()
  exports ??= instantiate<Exports>(new URL('./numbers.wasm', import.meta.url), {})
  const { memory, memoryStart, sortDoubles } = exports
  const start = memoryStart()
  growTo(memory, start + 2 * numbers.byteLength)
  new Float64Array(memory.buffer, start, numbers.length).set(numbers)
  return new Float64Array(memory.buffer, sortDoubles(start, numbers.length), numbers.length)
}
