import type { ScannedBlock } from '../scan/scan-block.js'
import type { TimeBucket } from './time-bucket.js'

/** Tells which buckets are over, and leaves out the lines of these buckets that come later. */
export interface LateLines {
  /** Returns the block without late lines, in the memory of the block. */
  admit(block: ScannedBlock): ScannedBlock
  /** Buckets that start before this time are over. */
  overUs(): number
  /** The number of lines that were left out. */
  late(): number
}

/** Creates the state of a stream. A bucket is over when a line is `lateUs` beyond its end. */
export function createLateLines({ startOf, endOf }: TimeBucket, lateUs: number): LateLines {
  let overUs = Number.NEGATIVE_INFINITY
  /** The next time that ends a bucket. */
  let nextUs = Number.NEGATIVE_INFINITY
  let late = 0

  function passTo(us: number): void {
    overUs = startOf(us - lateUs)
    nextUs = endOf(overUs) + lateUs
  }

  return {
    admit(block) {
      const { starts, ends, timesUs } = block
      let rows = 0
      for (let row = 0; row < block.rows; row++) {
        const us = timesUs[row]
        if (us < overUs) {
          late++
          continue
        }
        if (us >= nextUs) passTo(us)
        starts[rows] = starts[row]
        ends[rows] = ends[row]
        timesUs[rows++] = us
      }
      return {
        ...block,
        rows,
        starts: starts.subarray(0, rows),
        ends: ends.subarray(0, rows),
        timesUs: timesUs.subarray(0, rows),
      }
    },
    overUs: () => overUs,
    late: () => late,
  }
}
