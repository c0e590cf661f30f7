/** Copies and compares short ranges of bytes, 16 and 8 at a time. */

/** Up to this length a loop is faster than a call of `memory.copy`. */
const SHORT: usize = 64

/** Copies [start, end) to `to`; may overwrite up to 15 bytes after the copy. */
// @ts-ignore: decorator
@inline
export function copyBytes(to: usize, start: usize, end: usize): void {
  if (end - start > SHORT) {
    memory.copy(to, start, end - start)
    return
  }
  for (; start < end; start += 16, to += 16) v128.store(to, v128.load(start))
}

/** Returns whether the `length` bytes at `a` and at `b` are equal. Reads up to 8 bytes after each. */
export function areEqual(a: usize, b: usize, length: usize): bool {
  for (; length >= 8; length -= 8, a += 8, b += 8) if (load<u64>(a) != load<u64>(b)) return false
  return firstBytes(load<u64>(a) ^ load<u64>(b), length) == 0
}

/** Returns the first `count` bytes of a word, at most 7; the others are zero. */
// @ts-ignore: decorator
@inline
export function firstBytes(word: u64, count: usize): u64 {
  return word & ((<u64>1 << (8 * count)) - 1)
}
