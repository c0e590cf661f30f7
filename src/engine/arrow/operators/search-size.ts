import { SLICE_MS } from '../../../base/time-slices.js'
import { KIB } from '../../../base/units.js'

/** How many bytes are searched in one call, which nothing can interrupt. */
export interface SearchSize {
  readonly bytes: number
  /** Searches so much; the next time it is more or less. */
  measure(search: () => void): void
}

const FIRST_BYTES = 256
/** A call may begin when the slice is all but over: it is to take no more than this of the next one. */
const LONGEST_MS = SLICE_MS / 4
/** At this a call costs nothing beside its search. */
const MOST_BYTES = 64 * KIB

/**
 * RE2 takes linear time, but for some patterns, as `a[ab]{1000}c`, ten thousand times as long as for others, and nothing
 * tells beforehand. So it begins with few bytes, and searches more at once as long as that takes a small part of a slice.
 */
export function createSearchSize(): SearchSize {
  let bytes = FIRST_BYTES
  return {
    get bytes() {
      return bytes
    },
    measure(search) {
      const startedMs = performance.now()
      search()
      const ms = performance.now() - startedMs
      if (ms < LONGEST_MS / 4) bytes = Math.min(MOST_BYTES, bytes * 2)
      else if (ms > LONGEST_MS) bytes = Math.max(1, Math.floor((bytes * LONGEST_MS) / ms))
    },
  }
}
