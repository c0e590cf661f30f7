/** Names of files: subject, project and times, in characters that every system accepts. */
import type { Bounds } from '../shared/range.js'

/** Maximum of characters of a part. */
const MAX_PART = 64

/**
 * Returns the name of a file with rows, without its ending: `edge_logs_<project>_20261120T100000Z_20261120T110000Z`.
 * Other characters than letters of ASCII, digits, `.`, `-` and `_` become `-`. Empty parts are left out.
 */
export function fileName(subject: string, project: string, bounds: Bounds | undefined): string {
  const times = [bounds?.fromUs, bounds?.toUs].map((us) => (us === undefined ? '' : timeOf(us)))
  return [subject, project, ...times]
    .map(safe)
    .filter((part) => part !== '')
    .join('_')
}

/** Returns a time to the second, in UTC. */
const timeOf = (us: number) => `${new Date(us / 1_000).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`

const safe = (part: string) =>
  part
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+|[.-]+$/g, '')
    .slice(0, MAX_PART)
