/** The sources' names, as the host has given them, and the lane that each leads to. */
import { areEqual } from '../base/copy'
import { BYTES } from '../base/input'

/** No source has that name. */
export const UNKNOWN: i32 = -1

/** Of each name: the lane's number, its length, and from the 16th byte on its bytes. More or longer ones are a trap. */
const MAX_NAMES: i32 = 32
const MAX_LENGTH: i32 = 48
const NAME_BYTES: i32 = 16 + MAX_LENGTH
const NAMES: usize = memory.data(MAX_NAMES * NAME_BYTES, 16)
let namesEnd: usize = NAMES

/** The name found last: streams are mostly runs of one source. */
let last: usize = NAMES

/** Adds a name of a lane; the host has put it at the start of the bytes. */
export function addName(lane: i32, length: i32): void {
  if (namesEnd == NAMES + MAX_NAMES * NAME_BYTES || length > MAX_LENGTH) unreachable()
  store<i32>(namesEnd, lane)
  store<i32>(namesEnd, length, 4)
  memory.copy(namesEnd + 16, BYTES, length)
  namesEnd += NAME_BYTES
}

/** The number of the lane whose source has the name [start, end), or UNKNOWN. */
export function laneNamed(start: usize, end: usize): i32 {
  if (isName(last, start, end)) return load<i32>(last)
  for (let name = NAMES; name < namesEnd; name += NAME_BYTES) {
    if (!isName(name, start, end)) continue
    last = name
    return load<i32>(name)
  }
  return UNKNOWN
}

// @ts-ignore: decorator
@inline
function isName(name: usize, start: usize, end: usize): bool {
  const length: usize = load<i32>(name, 4)
  return end - start == length && areEqual(name + 16, start, length)
}
