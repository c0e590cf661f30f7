import { parseIso8601 } from '../../base/time/iso8601.js'
import type { Entry } from '../../front-matter/comment-entries.js'
import { placeError } from '../../front-matter/place-error.js'

/** No notifications are sent until then. */
export interface Mute {
  untilUs: number
  /** Undefined if none is given. */
  reason: string | undefined
}

const MUTED = /^until\s+([^,]+?)\s*(?:,\s*(.*))?$/i
const MAX_REASON_CHARACTERS = 200

/** Reads `until 2026-12-01T08:00Z, reason`. Throws `usage` with the place. */
export function readMute(entry: Entry): Mute {
  const [, time, reason] = MUTED.exec(entry.value) ?? []
  const untilUs = time === undefined ? undefined : parseIso8601(time)
  if (untilUs === undefined)
    throw placeError('"muted:" has no time: write "until 2026-12-01T08:00Z, reason", in ISO 8601', entry)
  return { untilUs, reason: reason?.slice(0, MAX_REASON_CHARACTERS) || undefined }
}
