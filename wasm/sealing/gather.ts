import { copyBytes } from '../base/copy'
import { endOf, PAIR_BYTES, startOf } from './pairs'

const OFFSET_BYTES: usize = 4

/**
 * Copies texts behind one another: a column of a record batch, its offsets as 32-bit integers from `at` on, then its texts.
 * Returns where the last one ends; up to 15 bytes behind it are written too.
 */
export function gather(pairs: usize, count: u32, at: usize): usize {
  const first = at + (count + 1) * OFFSET_BYTES
  let end = first
  store<i32>(at, 0)
  for (const last = pairs + count * PAIR_BYTES; pairs < last; pairs += PAIR_BYTES) {
    copyBytes(end, startOf(pairs), endOf(pairs))
    end += endOf(pairs) - startOf(pairs)
    at += OFFSET_BYTES
    store<i32>(at, i32(end - first))
  }
  return end
}
