/** Entry point: counts how often each 16-bit integer occurs, in parts that the host writes to the input. */
import { COUNTED_INTEGERS, INPUT_INTEGERS } from '../../src/wasm-layout/counting'

/** 16-bit integers. */
const INPUT: usize = memory.data(2 * INPUT_INTEGERS, 64)
/** A 32-bit count for each 16-bit integer, also those that are not counted. */
const COUNTS_BYTES: i32 = 4 * 65536
const COUNTS: usize = memory.data(COUNTS_BYTES, 64)
/** The integers that occur, ascending, as doubles, and how many values are at most each of them. */
const VALUES: usize = memory.data(8 * COUNTED_INTEGERS, 64)
const CUMULATIVE: usize = memory.data(8 * COUNTED_INTEGERS, 64)
/** Number of counts that are tested for 0 at once: most integers do not occur. */
const STEP: i32 = 16

let total: f64 = 0

/** Returns the address where the host writes integers. */
export function inputStart(): usize {
  return INPUT
}

/** Returns the address of the integers that `finish` has found. */
export function valuesStart(): usize {
  return VALUES
}

/** Returns the address of the cumulative counts that `finish` has computed. */
export function cumulativeStart(): usize {
  return CUMULATIVE
}

/** Forgets all counts. */
export function begin(): void {
  memory.fill(COUNTS, 0, COUNTS_BYTES)
}

/** Counts the first `length` integers of the input. */
export function count(length: i32): void {
  let p = INPUT
  for (const last = p + 2 * <usize>(length & ~3); p < last; p += 8) {
    const four = load<u64>(p)
    increase(<u32>four & 0xffff)
    increase((<u32>four >> 16) & 0xffff)
    increase(<u32>(four >> 32) & 0xffff)
    increase(<u32>(four >> 48))
  }
  for (const last = INPUT + 2 * <usize>length; p < last; p += 2) increase(load<u16>(p))
}

// @ts-ignore: decorator
@inline
function increase(integer: u32): void {
  const at = COUNTS + 4 * <usize>integer
  store<u32>(at, load<u32>(at) + 1)
}

/** Writes the integers below COUNTED_INTEGERS that occur, and their cumulative counts. Returns their number. */
export function finish(): i32 {
  let found = 0
  let below: f64 = 0
  total = 0
  for (let integer = 0; integer < COUNTED_INTEGERS; integer += STEP) {
    const counts = COUNTS + 4 * <usize>integer
    if (isEmpty(counts)) continue
    const end = min(integer + STEP, COUNTED_INTEGERS)
    for (let i = integer; i < end; i++) {
      const count = load<u32>(COUNTS + 4 * <usize>i)
      if (count == 0) continue
      below += count
      total += <f64>i * count
      store<f64>(VALUES + 8 * <usize>found, i)
      store<f64>(CUMULATIVE + 8 * <usize>found, below)
      found++
    }
  }
  return found
}

/** Returns whether STEP counts are all 0. */
// @ts-ignore: decorator
@inline
function isEmpty(counts: usize): bool {
  const first = v128.or(v128.load(counts), v128.load(counts, 16))
  return !v128.any_true(v128.or(first, v128.or(v128.load(counts, 32), v128.load(counts, 48))))
}

/** Returns the sum of the integers that `finish` has found, each as often as it occurs. */
export function sum(): f64 {
  return total
}

/** Returns how many of the first `length` integers of the input are at least `least`, which is from 1 to 65,535. */
export function countAtLeast(length: i32, least: u32): i32 {
  const above = i16x8.splat(<i16>(least - 1))
  let counted = 0
  let p = INPUT
  for (const last = p + 2 * <usize>(length & ~7); p < last; p += 16) {
    counted += popcnt(i16x8.bitmask(i16x8.gt_u(v128.load(p), above)))
  }
  for (const last = INPUT + 2 * <usize>length; p < last; p += 2) if (load<u16>(p) >= least) counted++
  return counted
}
