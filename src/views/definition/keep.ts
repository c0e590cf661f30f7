import { DAY_US, HOUR_US } from '../../base/units.js'
import type { Entry } from '../../front-matter/comment-entries.js'
import { durationText, readDuration } from '../../front-matter/duration.js'
import { placeError } from '../../front-matter/place-error.js'

/** The shortest time for which a view keeps its groups. */
export const MIN_KEEP_US = HOUR_US
/** The longest time for which a view keeps its groups. */
export const MAX_KEEP_US = 3_650 * DAY_US

const KEEP = /^keep\s+(.+)$/i

/** Reads `keep 400d`, the value of `-- view:`, in microseconds. Throws `usage` with the place. */
export function readKeep(entry: Entry): number {
  const [, length] = KEEP.exec(entry.value) ?? []
  const us = length === undefined ? undefined : readDuration(length)
  if (us === undefined)
    throw placeError(`view: ${entry.value.slice(0, 64)} is not understood. Write "keep 400d"; units s, m, h, d`, entry)
  if (us >= MIN_KEEP_US && us <= MAX_KEEP_US) return us
  throw placeError(
    `a view keeps its groups from ${durationText(MIN_KEEP_US)} to ${durationText(MAX_KEEP_US)}, not ${length}`,
    entry,
  )
}
