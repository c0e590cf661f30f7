import { equals, scan, union } from '../plan/builder.js'
import { agg, fn } from '../plan/calls.js'
import { type Expression, literal } from '../plan/expression.js'
import type { Plan } from '../plan/plan.js'
import { SOURCE_NAMES, type SourceName } from '../sources.js'
import { type CachePolicy, type Call, type Given, readParams } from './endpoint.js'
import { optionalText } from './params.js'

/** `GET /api/projects` for the metrics and for its cache: an answer is never refreshed before a client asks again. */
export const PROJECTS = {
  name: 'projects',
  maxRows: 10_000,
  policy: { ttlS: 30, warmS: Number.POSITIVE_INFINITY } as CachePolicy,
  params: { project: optionalText('only this project') },
}

/** Returns the project that a request names; undefined if it names none. Throws `duplicate_parameter`. */
export const projectNamed = (given: Given): string | undefined => readParams(PROJECTS.params, given).project

/**
 * The projects that have records, with the number of their records and the newest time, by source.
 *
 * Gives   at most 10,000 rows, by project, then source: project, source, rows, newest (µs UTC)
 * Empty   a record without a project counts nowhere; a project without records of a source has no row of it
 * Cost    one pass over the column of projects of all segments; sealed segments keep their counts
 *
 * With `projects`, only records of these are read.
 */
export function projectsCall(projects?: ReadonlySet<string>): Call {
  const names = projects && [...projects].filter((name) => name !== '').sort()
  return { key: JSON.stringify(['projects', ...(names ?? [null])]), plan: () => projectsPlan(names) }
}

function projectsPlan(names: readonly string[] | undefined): Plan {
  const [first, ...others] = SOURCE_NAMES.map((source) => countsOf(source, names))
  const rows = union(first!, ...others)
    .orderBy('project')
    .thenBy('source')
  // With a limit of 0 the engine reads nothing.
  return rows.limit(names?.length === 0 ? 0 : PROJECTS.maxRows)
}

/** The counts of one source. Records without a project are a group of their own, which is left out. */
function countsOf(source: SourceName, names: readonly string[] | undefined) {
  return scan(source, ALL_TIME)
    .filter(names && isAmong(names))
    .group('project')
    .aggregate({ rows: agg.count(), newest: agg.max('timestamp') })
    .filter(fn.ne('project', ''))
    .select('project', { source: literal(source) }, 'rows', 'newest')
}

const ALL_TIME = { fromUs: Number.NEGATIVE_INFINITY, throughUs: Number.POSITIVE_INFINITY }

function isAmong([first = '', ...others]: readonly string[]): Expression {
  return others.length === 0 ? equals('project', first) : fn.in('project', first, ...others)
}
