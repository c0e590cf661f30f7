/** Hashes of short texts. */
import { firstBytes } from './copy'

/**
 * Returns a hash of the bytes [start, end): eight at a time with the multiply and rotate of FxHash (Firefox, rustc),
 * the length mixed in.
 */
export function hashOf(start: usize, end: usize): u32 {
  let hash = <u64>(end - start) * MULTIPLIER
  for (; start + 8 <= end; start += 8) hash = mix(hash, load<u64>(start))
  hash = mix(hash, firstBytes(load<u64>(start), end - start))
  return <u32>(hash >> 32)
}

const MULTIPLIER: u64 = 0x517cc1b727220a95

// @ts-ignore: decorator
@inline
function mix(hash: u64, word: u64): u64 {
  return (rotl(hash, 5) ^ word) * MULTIPLIER
}
