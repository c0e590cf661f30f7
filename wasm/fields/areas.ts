/** Which of the areas that the host has named a text holds. */
import { byteAt } from '../base/bytes'
import { BYTES } from '../base/input'

/** The byte that each area begins with. */
const SLASH: u32 = 0x2f

/** Of each area: its length, and from the 16th byte on its bytes. More areas than bits, or longer ones, are a trap. */
const MAX_AREAS: i32 = 8
const MAX_LENGTH: i32 = 16
const AREA_BYTES: i32 = 16 + MAX_LENGTH
const AREAS: usize = memory.data(MAX_AREAS * AREA_BYTES, 16)
let areas: i32 = 0

/** Adds an area, whose name the host has put at the start of the bytes. */
export function addArea(length: i32): void {
  if (areas == MAX_AREAS || length > MAX_LENGTH) unreachable()
  const area = AREAS + AREA_BYTES * areas++
  store<i32>(area, length)
  memory.copy(area + 16, BYTES, length)
}

/** One bit for each of the areas that the text [start, end) holds, bit 0 for the first. */
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
