import { DIRECT_STEPS } from '../../../base/pattern/match.js'
import { SLICE_MS } from '../../../base/scheduling/time-slices.js'
import { KIB } from '../../../base/units.js'

/** The number of bytes to search in a call of RE2, which cannot be interrupted. */
export interface SearchSize {
  readonly bytes: number
  /** Runs a search of `bytes` bytes, and adapts `bytes` to the duration of the search. */
  measure(search: () => void): void
}

const FIRST_BYTES = 256
/** The longest search: a call may start at the end of a slice, and should take at most a quarter of the next slice. */
const LONGEST_MS = SLICE_MS / 4
/** The largest size: the overhead of a call is negligible at this size. */
const MOST_BYTES = 64 * KIB

/**
 * Adapts the search size to the pattern. RE2 takes linear time, but some patterns, such as `a[ab]{1000}c`,
 * take ten thousand times as long as others, which is not known in advance. So the first search is small, and
 * the size is doubled while a search takes a small part of a time slice.
 */
export function createSearchSize(patternSize: number): SearchSize {
  // A text may be slower to search than the texts before.
  const mostBytes = Math.max(FIRST_BYTES, Math.min(MOST_BYTES, Math.floor(DIRECT_STEPS / patternSize)))
  let bytes = FIRST_BYTES
  return {
    get bytes() {
      return bytes
    },
    measure(search) {
      const startedMs = performance.now()
      search()
      const ms = performance.now() - startedMs
      if (ms < LONGEST_MS / 4) bytes = Math.min(mostBytes, bytes * 2)
      else if (ms > LONGEST_MS) bytes = Math.max(1, Math.floor((bytes * LONGEST_MS) / ms))
    },
  }
}
