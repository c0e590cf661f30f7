import { copyBytes } from '../base/copy'
import { endOf, RANGE_BYTES, startOf } from './text-ranges'

const OFFSET_BYTES: usize = 4

/**
 * Copies `count` texts to a column of a record batch: at `at` the offsets as 32-bit integers, then the texts. Returns
 * the address after the last text; may overwrite up to 15 bytes from there on.
 */
export function gather(ranges: usize, count: u32, at: usize): usize {
  const first = at + (count + 1) * OFFSET_BYTES
  let end = first
  store<i32>(at, 0)
  for (const last = ranges + count * RANGE_BYTES; ranges < last; ranges += RANGE_BYTES) {
    copyBytes(end, startOf(ranges), endOf(ranges))
    end += endOf(ranges) - startOf(ranges)
    at += OFFSET_BYTES
    store<i32>(at, i32(end - first))
  }
  return end
}
