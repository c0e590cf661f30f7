import { instantiate, type Memory } from '../../../base/memory/wasm.js'
import { INPUT_INTEGERS } from '../../../wasm-layout/counting.js'

/** The functions that wasm/numbers/counting.ts exports. Addresses are in bytes. */
interface Exports {
  memory: Memory
  inputStart(): number
  valuesStart(): number
  cumulativeStart(): number
  begin(): void
  count(length: number): void
  finish(): number
  sum(): number
  countAtLeast(length: number, least: number): number
}

/** Counted integers, in memory that the next count overwrites. */
export interface CountedIntegers {
  /** The distinct integers that occur, ascending. */
  values: Float64Array
  /** For each of `values`, how many integers are at most the value. */
  cumulative: Float64Array
  /** The sum of all. */
  sum: number
}

/**
 * Loops over 16-bit integers in WebAssembly, which are as fast at the first question of a process as later: V8 compiles
 * a JavaScript function only after the function has run for a while.
 */
export interface Counter {
  /** Counts the integers below 65,535. */
  count(shorts: Uint16Array): CountedIntegers
  /** Returns how many integers are at least `least`. */
  countAtLeast(shorts: Uint16Array, least: number): number
}

/** Returns a counter with its own memory. Throws if `numbers.wasm` is not built. */
export function createCounter(): Counter {
  const exports = instantiate<Exports>(new URL('./numbers.wasm', import.meta.url), {})
  const { buffer } = exports.memory
  const input = new Uint16Array(buffer, exports.inputStart(), INPUT_INTEGERS)

  /** Writes integers to the input part by part, and calls `use` with the length of each. */
  function eachPart(shorts: Uint16Array, use: (length: number) => void): void {
    for (let from = 0; from < shorts.length; from += INPUT_INTEGERS) {
      const part = shorts.length <= INPUT_INTEGERS ? shorts : shorts.subarray(from, from + INPUT_INTEGERS)
      input.set(part)
      use(part.length)
    }
  }

  return {
    count(shorts) {
      exports.begin()
      eachPart(shorts, exports.count)
      const found = exports.finish()
      return {
        values: new Float64Array(buffer, exports.valuesStart(), found),
        cumulative: new Float64Array(buffer, exports.cumulativeStart(), found),
        sum: exports.sum(),
      }
    },
    countAtLeast(shorts, least) {
      if (least <= 0) return shorts.length
      if (!(least <= 0xffff)) return 0
      let counted = 0
      eachPart(shorts, (length) => {
        counted += exports.countAtLeast(length, Math.ceil(least))
      })
      return counted
    },
  }
}
