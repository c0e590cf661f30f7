/**
 * Blocks of 64 bytes as masks, a bit for each byte (Langdale and Lemire, "Parsing Gigabytes of JSON per Second", 2019).
 */

/** Bytes of a block. */
export const BLOCK: usize = 64

/** Returns a mask of four vectors of 16 lanes, each 0 or -1. */
// @ts-ignore: decorator
@inline
function maskOf(a: v128, b: v128, c: v128, d: v128): u64 {
  const low = <u32>i8x16.bitmask(a) | (<u32>i8x16.bitmask(b) << 16)
  const high = <u32>i8x16.bitmask(c) | (<u32>i8x16.bitmask(d) << 16)
  return <u64>low | (<u64>high << 32)
}

/** Returns a mask of the bytes of four vectors that equal `byte`. */
// @ts-ignore: decorator
@inline
export function maskOfByte(a: v128, b: v128, c: v128, d: v128, byte: u32): u64 {
  const wanted = i8x16.splat(<i8>byte)
  return maskOf(i8x16.eq(a, wanted), i8x16.eq(b, wanted), i8x16.eq(c, wanted), i8x16.eq(d, wanted))
}

/** Returns whether a byte of four vectors equals `byte`. */
// @ts-ignore: decorator
@inline
export function hasByte(a: v128, b: v128, c: v128, d: v128, byte: u32): bool {
  const wanted = i8x16.splat(<i8>byte)
  const low = v128.or(i8x16.eq(a, wanted), i8x16.eq(b, wanted))
  return v128.any_true(v128.or(low, v128.or(i8x16.eq(c, wanted), i8x16.eq(d, wanted))))
}

const EVEN: u64 = 0x5555_5555_5555_5555

/** 1 if the last block that `escapedBytes` saw ends with a backslash that escapes the next byte, else 0. */
export let carriedEscape: u64 = 0

/** Starts a text: its first byte is not escaped. */
// @ts-ignore: decorator
@inline
export function beginEscapes(): void {
  carriedEscape = 0
}

/** Returns a mask of the bytes that a backslash escapes, from the mask of backslashes. Call it block by block. */
export function escapedBytes(backslashes: u64): u64 {
  const starts = backslashes & ~carriedEscape
  const followers = (starts << 1) | carriedEscape
  // Runs of backslashes that start at an odd place. The sum carries each of them to the byte after it.
  const oddStarts = starts & ~EVEN & ~followers
  const sum = oddStarts + starts
  carriedEscape = <u64>(sum < starts)
  return (EVEN ^ (sum << 1)) & followers
}

/** Returns for each byte whether an odd number of bits up to it, itself included, is set. */
// @ts-ignore: decorator
@inline
export function prefixXor(bits: u64): u64 {
  bits ^= bits << 1
  bits ^= bits << 2
  bits ^= bits << 4
  bits ^= bits << 8
  bits ^= bits << 16
  return bits ^ (bits << 32)
}
