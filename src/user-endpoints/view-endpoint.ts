import type { Moment } from '../base/time/moment.js'
import { endpoint } from '../endpoints/endpoint.js'
import { exactTimestamp, text } from '../endpoints/params.js'
import { column } from '../plan/expression.js'
import { ofProject } from '../plan/of-project.js'
import type { Operator, Plan, TimeRange, ViewSource } from '../plan/plan.js'
import { withinTime } from '../plan/within-time.js'
import { viewDefinition, viewOf } from '../views/definition/definition.js'
import type { FrontMatter } from './front-matter.js'
import { uuidOfName } from './name-uuid.js'
import type { ViewEndpoint } from './view.js'

const PARAMS = {
  project: text('the project whose groups are read'),
  start: exactTimestamp('the start of the first bucket, included; absent: the oldest'),
  end: exactTimestamp('the end of the buckets: those that start before; absent: the newest'),
}

/**
 * Returns the endpoint of a `.sql` file that is a view: the groups of a project, of the newest bucket first. Throws
 * `usage`, and the errors of the SQL. The message ends with the place in the file.
 */
export function viewEndpoint(text: string, defaultName: string, matter: FrontMatter): ViewEndpoint {
  const { name = defaultName, id = uuidOfName(name), summary, maxRows } = matter
  const view = viewDefinition(text, { name, ...matter.view! })
  const made = endpoint({
    id,
    name,
    summary,
    maxRows,
    cache: 'disabled',
    params: PARAMS,
    query: text,
    plan({ project, start, end }, nowUs): Plan {
      const plan = [viewOf(view.source), newestFirst(view.source), ...view.answer(nowUs)]
      return ofProject(withinTime(plan, rangeOf(start, end)), project)
    },
  })
  return { ...made, view }
}

const newestFirst = ({ bucket }: ViewSource): Operator => ({
  op: 'orderBy',
  keys: [{ by: column(bucket), direction: 'desc', nulls: 'last' }],
})

/** The starts of buckets from `start`, included, to `end`, excluded. */
const rangeOf = (start: Moment | undefined, end: Moment | undefined): TimeRange => ({
  fromUs: start === undefined ? Number.NEGATIVE_INFINITY : Number(start),
  throughUs: end === undefined ? Number.POSITIVE_INFINITY : Number(end) - 1,
})
