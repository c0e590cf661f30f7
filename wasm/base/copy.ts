/** Copying and comparing short ranges of bytes, 16 and 8 at a time. */

/** Up to this length a loop is faster than the call that `memory.copy` is. */
const SHORT: usize = 64

/** Copies [start, end) to `to`, and up to 15 more bytes behind it. */
// @ts-ignore: decorator
@inline
export function copyBytes(to: usize, start: usize, end: usize): void {
  if (end - start > SHORT) {
    memory.copy(to, start, end - start)
    return
  }
  for (; start < end; start += 16, to += 16) v128.store(to, v128.load(start))
}

/** Whether the `length` bytes at `a` and at `b` are the same. */
export function areEqual(a: usize, b: usize, length: usize): bool {
  for (; length >= 8; length -= 8, a += 8, b += 8) if (load<u64>(a) != load<u64>(b)) return false
  return firstBytes(load<u64>(a) ^ load<u64>(b), length) == 0
}

/** The first `count` bytes of a word, fewer than 8, and zeros. */
// @ts-ignore: decorator
@inline
export function firstBytes(word: u64, count: usize): u64 {
  return word & ((<u64>1 << (8 * count)) - 1)
}
