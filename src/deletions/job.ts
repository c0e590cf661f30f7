import { hash, randomBytes } from 'node:crypto'
import { stateError } from '../base/failures.js'
import { escapeControl } from '../base/text/escape-control.js'
import { formatIso8601, parseIso8601 } from '../base/time/iso8601.js'
import { MILLISECOND_US } from '../base/units.js'
import type { AskedDeletion, ListedDeletion } from '../common/deletions.js'
import { registerSource, type SourceName } from '../common/sources.js'
import type { Deletion } from '../engine/deletion.js'
import { readCondition } from './condition.js'

/** A deletion with all that a later process needs to go on with it. */
export interface Job extends ListedDeletion {
  /** The number of the newest head of each source that is concerned, -1 if the source had no rows. */
  heads: Readonly<Record<SourceName, number>>
}

const MILLISECOND_DIGITS = 12
const RANDOM_BYTES = 4

/** Returns a new id, which is greater than those made a millisecond before. */
const newId = (nowUs: number): string =>
  Math.floor(nowUs / MILLISECOND_US)
    .toString(16)
    .padStart(MILLISECOND_DIGITS, '0') + randomBytes(RANDOM_BYTES).toString('hex')

/** Whether a text has the form of an id. */
export const isJobId = (text: string): boolean => /^[0-9a-f]{20}$/.test(text)

/** Returns a deletion that is accepted. `by` describes the token. */
export function createJob(asked: AskedDeletion, heads: Job['heads'], by: string, nowUs: number): Job {
  const { project, source = null, startUs, endUs, where = null } = asked
  const time = (us: number | undefined) => (us === undefined ? null : formatIso8601(us))
  return {
    ...{ id: newId(nowUs), state: 'accepted', project, source, start: time(startUs), end: time(endUs) },
    ...{ where, where_sha256: where === null ? null : hash('sha256', where, 'hex') },
    ...{ by, accepted: formatIso8601(nowUs), erased: null, rows: null, bytes: null, dropped_groups: [], heads },
  }
}

/**
 * Returns the deletion that an engine hides and erases for a job. Throws `failed` if this version refuses the
 * condition.
 */
export function deletionOf({ id, project, start, end, where, heads }: Job): Deletion {
  // The source may have no rows any more, and views have its groups.
  const sources = Object.keys(heads).map((source) => registerSource(source).name)
  try {
    const condition = where === null ? undefined : readCondition(where)
    return {
      ...{ id, project, fromUs: usOf(start) ?? Number.NEGATIVE_INFINITY },
      throughUs: end === null ? Number.POSITIVE_INFINITY : usOf(end)! - 1,
      sources: new Map(sources.map((source) => [source, { lastHead: heads[source], where: condition?.of(source) }])),
    }
  } catch (error) {
    throw stateError(`The deletion ${id} cannot be continued by this version: ${(error as Error).message}`)
  }
}

const usOf = (time: string | null): number | undefined => (time === null ? undefined : parseIso8601(time))

/** Whether a job deletes all that its project had. */
export const isOfWholeProject = ({ source, start, end, where_sha256 }: ListedDeletion): boolean =>
  source === null && start === null && end === null && where_sha256 === null

/** Returns the description of a job for clients. */
export function listed({ heads: _, ...description }: Job): ListedDeletion {
  return description
}

/** Describes the rows that a job deletes, without the text of the condition. */
export function describeJob({ project, source, start, end, where_sha256 }: ListedDeletion): string {
  const rows = source === null ? 'all sources' : source
  const time = start === null && end === null ? '' : ` from ${start ?? 'the first row'} to ${end ?? 'the last row'}`
  const condition = where_sha256 === null ? '' : ' by a condition'
  return `${rows} of the project ${escapeControl(project)}${time}${condition}`
}
