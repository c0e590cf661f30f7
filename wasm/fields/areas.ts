/** Areas: path segments that the host registers, searched for in texts. */
import { byteAt } from '../base/bytes'
import { BYTES } from '../base/input'

/** First byte of every area. */
const SLASH: u32 = 0x2f

/** Registered areas: for each its length, and from the 16th byte on its bytes. More or longer ones are a trap. */
const MAX_AREAS: i32 = 8
const MAX_LENGTH: i32 = 16
const AREA_BYTES: i32 = 16 + MAX_LENGTH
const AREAS: usize = memory.data(MAX_AREAS * AREA_BYTES, 16)
let areas: i32 = 0

/** Registers an area that the host has written to the input. */
export function addArea(length: i32): void {
  if (areas == MAX_AREAS || length > MAX_LENGTH) unreachable()
  const area = AREAS + AREA_BYTES * areas++
  store<i32>(area, length)
  memory.copy(area + 16, BYTES, length)
}

/** Returns a bit for each area that the text [start, end) contains; bit 0 is the first area. */
export function areasIn(start: usize, end: usize): u32 {
  let flags: u32 = 0
  for (let p = start; p < end; p++) if (byteAt(p) == SLASH) flags |= areasAt(p, end)
  return flags
}

function areasAt(p: usize, end: usize): u32 {
  let flags: u32 = 0
  for (let i = 0; i < areas; i++) if (isAreaAt(AREAS + AREA_BYTES * i, p, end)) flags |= 1 << i
  return flags
}

function isAreaAt(area: usize, p: usize, end: usize): bool {
  const length: usize = load<i32>(area)
  if (end - p < length) return false
  const others = i8x16.bitmask(i8x16.ne(v128.load(p), v128.load(area, 16)))
  return ctz(others | 0x10000) >= <i32>length
}
