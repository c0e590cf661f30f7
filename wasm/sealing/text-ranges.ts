/** Bytes of a range: the start address of a text, then its end address. */
export const RANGE_BYTES: usize = 8

/** Returns the address of the first byte of the text. */
// @ts-ignore: decorator
@inline
export function startOf(range: usize): usize {
  return load<u32>(range)
}

/** Returns the address after the text. */
// @ts-ignore: decorator
@inline
export function endOf(range: usize): usize {
  return load<u32>(range, 4)
}
