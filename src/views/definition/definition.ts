import { usageError } from '../../base/failures.js'
import { DAY_US } from '../../base/units.js'
import type { SourceName } from '../../common/sources.js'
import { durationText } from '../../front-matter/duration.js'
import { type FilePlace, placeError } from '../../front-matter/place-error.js'
import { type AnswerColumn, answerColumns } from '../../plan/answer.js'
import { placeOf } from '../../plan/place.js'
import type { Operator, Plan, View, ViewSource } from '../../plan/plan.js'
import { schemaOf } from '../../plan/schema.js'
import type { ReadableView } from '../../sql/compile/readable-views.js'
import { placeAt } from '../../sql/parse/fault.js'
import type { Query } from '../../sql/parse/tree.js'
import { readSql, type SqlText } from '../../sql/read-sql.js'
import { behindGroups, inTables } from './behind.js'
import type { BucketUnit } from './bucket.js'
import type { Fail, Faults } from './faults.js'
import { checkForm } from './form.js'
import { BUCKET, type Grouping, groupingOf } from './grouping.js'

/** A view: the grouping, how long the groups are kept, and the steps on reading them. */
export interface ViewDefinition extends ReadableView {
  name: string
  /** Groups of buckets that end earlier are hidden. */
  keepUs: number
  unit: BucketUnit
  /** SHA-256 of the grouping, hexadecimal. */
  identity: string
  sources: readonly SourceName[]
  /** Scans over all time, and the grouping. Its rows have the columns of `source`. */
  grouping: Plan
  /** Whether the operators behind the groups depend on the time. */
  readsTime: boolean
  /** The columns of the answer. */
  columns: readonly AnswerColumn[]
  /** Returns the operators behind the groups for the answer, at a time in microseconds since the epoch. */
  answer(nowUs: number): readonly Operator[]
}

/** The front matter of a view. */
export interface ViewMatter {
  name: string
  keepUs: number
  /** The place of `keep`. */
  place: FilePlace
}

/** The longest time for which buckets of a minute are kept. */
export const MAX_MINUTE_KEEP_US = 93 * DAY_US

/**
 * Returns the view of a `.sql` file. Throws `usage`, and the errors of the SQL. The message ends with the place in the
 * file.
 */
export function viewDefinition(text: string, { name, keepUs, place }: ViewMatter): ViewDefinition {
  const query = readSql(text)
  const fail: Fail = (problem, at) => {
    throw placeError(problem, placeAt(text, at))
  }
  if (query.isExplain) fail('a view cannot be EXPLAIN: delete the word', query.tree.at)
  const { groupByAt } = checkForm(query.tree, fail)
  const { readsTime, ...parts } = partsOf(query, 0)
  const of: Faults['of'] = (expression, problem) => {
    const place = placeOf(expression)
    if (place === undefined) return fail(problem, groupByAt)
    throw usageError(problem + place())
  }
  const grouping = groupingOf(parts.rows, parts.group, { at: fail, groupByAt, of })
  if (grouping.unit === 'minute' && keepUs > MAX_MINUTE_KEEP_US)
    throw placeError(
      `buckets of a minute are kept for at most ${durationText(MAX_MINUTE_KEEP_US)}: write a shorter time, ` +
        'or timestamp_trunc(timestamp, hour)',
      place,
    )
  const source = sourceOf(name, grouping)
  const behindAt = (nowUs: number) =>
    behindGroups(readsTime ? partsOf(query, nowUs).behind : parts.behind, grouping.names)
  const tables = (nowUs: number) =>
    inTables(behindAt(nowUs), source, (problem) => fail(problem, placeOfOutput(query.tree, 'project')))
  tables(0)
  const { unit, identity, sources, plan } = grouping
  return {
    name,
    keepUs,
    unit,
    identity,
    sources,
    grouping: plan,
    source,
    columns: answerColumns([viewOf(source), ...behindAt(0)]),
    readsTime,
    answer: behindAt,
    operators: tables,
  }
}

/** The place of an output of a query by its name, as far as known. */
function placeOfOutput({ body, at }: Query, name: string): number {
  const items = body.kind === 'select' ? body.items : []
  for (const item of items) {
    if (item.kind !== 'value') continue
    const own = item.name ?? (item.value.kind === 'name' ? item.value.steps.at(-1) : undefined)
    if (own?.toLowerCase() === name) return item.value.at
  }
  return at
}

/** Returns the operator that reads all groups of a view. */
export const viewOf = (view: ViewSource): View => ({
  op: 'view',
  view,
  fromUs: Number.NEGATIVE_INFINITY,
  throughUs: Number.POSITIVE_INFINITY,
})

/** The operators below, of and behind the grouping. The form of the query has been checked. */
function partsOf(query: SqlText, nowUs: number) {
  const { plan, readsTime } = query.wholePlan(nowUs)
  const at = plan.findIndex(({ op }) => op === 'group')
  const group = plan[at]
  if (group?.op !== 'group') throw new TypeError('The plan of a view has no grouping.')
  return { rows: plan.slice(0, at), group, behind: plan.slice(at + 1), readsTime }
}

function sourceOf(name: string, { plan, identity, sources }: Grouping): ViewSource {
  const columns = [...schemaOf(plan)].map(([column, type]) => ({ name: column, type }))
  return { name, identity, sources, columns, bucket: BUCKET }
}
