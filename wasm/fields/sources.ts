/** Names of sources, as the host registers them, and the index of the batch builder of each. */
import { areEqual } from '../base/copy'
import { BYTES } from '../base/input'

/** No source has the name. */
export const UNKNOWN: i32 = -1

/**
 * Registered names: for each the index of its builder, its length, and from the 16th byte on its bytes. More or longer
 * ones are a trap.
 */
const MAX_NAMES: i32 = 256
const MAX_LENGTH: i32 = 64
const NAME_BYTES: i32 = 16 + MAX_LENGTH
const NAMES: usize = memory.data(MAX_NAMES * NAME_BYTES, 16)
let namesEnd: usize = NAMES

/** The last name that matched, checked first: most streams have runs of one source. */
let last: usize = NAMES

/** Registers a name of a builder; the host has written it to the input. */
export function addSourceName(builder: i32, length: i32): void {
  if (namesEnd == NAMES + MAX_NAMES * NAME_BYTES || length > MAX_LENGTH) unreachable()
  store<i32>(namesEnd, builder)
  store<i32>(namesEnd, length, 4)
  memory.copy(namesEnd + 16, BYTES, length)
  namesEnd += NAME_BYTES
}

/** Returns the index of the builder of the source with the name [start, end), or UNKNOWN. */
export function builderNamed(start: usize, end: usize): i32 {
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
