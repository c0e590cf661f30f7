import { LogweirError } from '../base/errors.js'
import { MAX_PROJECT_ROWS } from '../common/limits.js'
import { allSourceNames, type SourceName } from '../common/sources.js'
import { answerColumns, type Row } from '../plan/answer.js'
import { equals, type Rows, scan, union } from '../plan/builder.js'
import { agg, fn } from '../plan/calls.js'
import { column, type Expression, literal } from '../plan/expression.js'
import type { Plan } from '../plan/plan.js'
import { type CachePolicy, type Call, type Computation, type Given, readParams } from './endpoint.js'
import { containsText } from './filter.js'
import { type ArgsOf, optionalText, shortText, wordAmong } from './params.js'

/** The longest text of `match`. */
export const MAX_MATCH_CHARACTERS = 200

/** `GET /api/projects` for the metrics and the cache: an answer is never refreshed before a client asks again. */
export const PROJECTS = {
  name: 'projects',
  maxRows: MAX_PROJECT_ROWS,
  policy: { ttlS: 30, warmS: Number.POSITIVE_INFINITY } as CachePolicy,
  params: {
    project: optionalText('only this project'),
    match: shortText('only projects whose names contain this text, ignoring case', MAX_MATCH_CHARACTERS),
    order: wordAmong(['name', 'rows']),
  },
}

/** The parameters of a request. */
export type ProjectsArgs = ArgsOf<typeof PROJECTS.params>

/** Reads the parameters of a request. Throws `duplicate_parameter` and `invalid_parameter`. */
export const readProjectsArgs = (given: Given): ProjectsArgs => readParams(PROJECTS.params, given)

/** Returns the error for more projects than can be counted: the code of `error`, and a narrower request. */
export const tooManyProjects = (error: LogweirError): LogweirError =>
  new LogweirError(
    error.code,
    'There are too many projects to list them all. Name one: ?project=…, or a part of their names: ?match=…',
  )

/** The projects that a call counts, and their order. */
export interface ProjectsCall extends Partial<Pick<ProjectsArgs, 'match' | 'order'>> {
  /** Only records of these projects are read. Undefined: all projects. */
  projects?: ReadonlySet<string> | undefined
}

/**
 * The projects that have records, with the number of their records and the newest time, by source.
 *
 * Gives   at most 10,000 rows: project, source, rows, newest (µs UTC)
 * Order   by project, then source; with `order` rows the projects with the most records first
 * Empty   a record without a project counts nowhere. A project without records of a source has no row for that source
 * Cost    a single pass over the column of projects of all segments, two with `order` rows. Sealed segments keep counts
 */
export function projectsCall({ projects, match, order = 'name' }: ProjectsCall = {}): Call {
  const names = projects && [...projects].filter((name) => name !== '').sort()
  const key = JSON.stringify(['projects', order, match ?? null, ...(names ?? [null])])
  const counts = () => countsOf(names, match)
  if (order === 'name') return { key, plan: () => byName(counts()).limit(limitOf(names, PROJECTS.maxRows)) }
  const columns = answerColumns(mostRows(counts, names))
  return { key, plan: () => mostRows(counts, names), computation: { columns, rows: byTotal } }
}

type Counts = Rows<'project' | 'source' | 'rows' | 'newest'>

const byName = (counts: Counts) => counts.orderBy('project').thenBy('source')

/** With a limit of 0 the engine reads nothing. */
const limitOf = (names: readonly string[] | undefined, maxRows: number) => (names?.length === 0 ? 0 : maxRows)

/** The rows of the 10,000 projects with the most records, by project, then source. */
function mostRows(counts: () => Counts, names: readonly string[] | undefined): Plan {
  const { maxRows } = PROJECTS
  const largest = counts()
    .group('project')
    .aggregate({ total: agg.sum('rows') })
    .orderBy('total', 'desc')
    .thenBy('project')
    .limit(maxRows)
  const rows = counts()
    .isIn(
      'project',
      [...largest, { op: 'select', columns: [{ name: 'project', value: column('project') }] }],
      'isLarge',
    )
    .filter(column('isLarge'))
    .select('project', 'source', 'rows', 'newest')
  return byName(rows).limit(limitOf(names, maxRows * allSourceNames().length))
}

/** Sorts rows, which are sorted by project, by the number of records of their projects. */
const byTotal: Computation['rows'] = async function* (ofPlan) {
  const projects: { name: unknown; total: number; rows: Row[] }[] = []
  for await (const row of ofPlan) {
    if (projects.at(-1)?.name !== row.project) projects.push({ name: row.project, total: 0, rows: [] })
    const last = projects.at(-1)!
    last.total += Number(row.rows)
    last.rows.push({ ...row })
  }
  projects.sort((a, b) => b.total - a.total)
  yield* projects.flatMap(({ rows }) => rows).slice(0, PROJECTS.maxRows)
}

/** The counts of all sources. */
function countsOf(names: readonly string[] | undefined, match: string | undefined): Counts {
  const [first, ...others] = allSourceNames().map((source) => countsOfSource(source, names, match))
  return union(first!, ...others)
}

/** The counts of a source. Records without a project form a group, which is left out. */
function countsOfSource(source: SourceName, names: readonly string[] | undefined, match: string | undefined) {
  return scan(source, ALL_TIME)
    .filter(names && isAmong(names), match === undefined ? undefined : containsText('project', match))
    .group('project')
    .aggregate({ rows: agg.count(), newest: agg.max('timestamp') })
    .filter(fn.ne('project', ''))
    .select('project', { source: literal(source) }, 'rows', 'newest')
}

const ALL_TIME = { fromUs: Number.NEGATIVE_INFINITY, throughUs: Number.POSITIVE_INFINITY }

function isAmong([first = '', ...others]: readonly string[]): Expression {
  return others.length === 0 ? equals('project', first) : fn.in('project', first, ...others)
}
