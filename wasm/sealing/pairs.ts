/** Where texts stand: the address of each one's start, then that of its end. */
export const PAIR_BYTES: usize = 8

// @ts-ignore: decorator
@inline
export function startOf(pair: usize): usize {
  return load<u32>(pair)
}

// @ts-ignore: decorator
@inline
export function endOf(pair: usize): usize {
  return load<u32>(pair, 4)
}
