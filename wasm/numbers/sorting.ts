/**
 * Entry point: sorts doubles by a radix sort, a byte at a time from lower to upper ones. A byte that all of them share
 * costs nothing.
 */
const BYTES: i32 = 8
/** For each byte of a key, and each of its values: how many keys have it, then where the next one of them goes. */
const COUNTS: usize = memory.data(4 * 256 * BYTES, 64)
const SIGN: u64 = 1 << 63
/** The first of the upper bytes: those from it on have the sign, the exponent and six digits. */
const UPPER: i32 = 4
/** Bytes that a key is moved at most by exchanges. */
const MAX_DISTANCE: usize = 8 * 16

/** Returns the first address that the host may use. */
export function memoryStart(): usize {
  return (__heap_base + 63) & ~63
}

/**
 * Sorts `length` doubles at `from`, without NaN, with as much memory behind them. Returns where they are then. The
 * upper bytes decide nearly always; the lower ones are sorted by too if they do not.
 */
export function sortDoubles(from: usize, length: u32): usize {
  toKeys(from, from + 8 * <usize>length)
  let sorted = sortByBytes(from, from + 8 * <usize>length, length, UPPER)
  if (!sortEqual(sorted, sorted + 8 * <usize>length)) {
    countBytes(sorted, sorted + 8 * <usize>length)
    const other = sorted == from ? from + 8 * <usize>length : from
    sorted = sortByBytes(sorted, other, length, 0)
  }
  toDoubles(sorted, sorted + 8 * <usize>length)
  return sorted
}

/** Sorts keys by the bytes from `first` on, which are counted. `other` is as much memory. Returns where they are. */
function sortByBytes(from: usize, other: usize, length: u32, first: i32): usize {
  for (let byte = first; byte < BYTES; byte++) {
    if (!placesOf(byte, length)) continue
    move(from, from + 8 * <usize>length, other, byte)
    const moved = other
    other = from
    from = moved
  }
  return from
}

/**
 * Sorts keys that ascend by their upper bytes, by exchanging neighbours. Returns false if that would take long; the
 * keys are in another order then.
 */
function sortEqual(start: usize, end: usize): bool {
  for (let p = start + 8; p < end; p += 8) {
    const key = load<u64>(p)
    let to = p
    for (; to > start && load<u64>(to - 8) > key && p - to <= MAX_DISTANCE; to -= 8) store<u64>(to, load<u64>(to - 8))
    store<u64>(to, key)
    if (p - to > MAX_DISTANCE) return false
  }
  return true
}

/** Replaces doubles by integers that ascend with them, and counts the values of their bytes. */
function toKeys(p: usize, end: usize): void {
  for (let at = p; at < end; at += 8) {
    const bits = load<u64>(at)
    store<u64>(at, bits & SIGN ? ~bits : bits | SIGN)
  }
  countBytes(p, end)
}

function countBytes(p: usize, end: usize): void {
  memory.fill(COUNTS, 0, 4 * 256 * BYTES)
  for (; p < end; p += 8) {
    const key = load<u64>(p)
    for (let byte = 0; byte < BYTES; byte++) {
      const count = countAt(byte, <u32>(key >> (8 * byte)) & 0xff)
      store<u32>(count, load<u32>(count) + 1)
    }
  }
}

function toDoubles(p: usize, end: usize): void {
  for (; p < end; p += 8) {
    const key = load<u64>(p)
    store<u64>(p, key & SIGN ? key & ~SIGN : ~key)
  }
}

/** Replaces the counts of a byte by the places of the keys. Returns false if all `length` keys have the same byte. */
function placesOf(byte: i32, length: u32): bool {
  let place: u32 = 0
  for (let value: u32 = 0; value < 256; value++) {
    const at = countAt(byte, value)
    const count = load<u32>(at)
    if (count == length) return false
    store<u32>(at, place)
    place += count
  }
  return true
}

/** Copies the keys to their places by one byte; keys with the same byte stay in their order. */
function move(p: usize, end: usize, to: usize, byte: i32): void {
  for (; p < end; p += 8) {
    const key = load<u64>(p)
    const at = countAt(byte, <u32>(key >> (8 * byte)) & 0xff)
    const place = load<u32>(at)
    store<u32>(at, place + 1)
    store<u64>(to + 8 * <usize>place, key)
  }
}

// @ts-ignore: decorator
@inline
function countAt(byte: i32, value: u32): usize {
  return COUNTS + 4 * <usize>(256 * byte + value)
}
