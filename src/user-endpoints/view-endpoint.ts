import type { Moment } from '../base/time/moment.js'
import { MIB } from '../base/units.js'
import { endpoint } from '../endpoints/endpoint.js'
import { exactTimestamp, text } from '../endpoints/params.js'
import { ofProject } from '../plan/of-project.js'
import type { Operator, Plan, TimeRange } from '../plan/plan.js'
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

/** The most bytes of the values of an answer, which ends at a whole bucket. */
export const MAX_VIEW_BYTES = 32 * MIB

/**
 * Returns the endpoint of a `.sql` file that is a view: the groups of a project, of the newest bucket first. Throws
 * `usage`, and the errors of the SQL. The message ends with the place in the file.
 */
export function viewEndpoint(text: string, defaultName: string, matter: FrontMatter): ViewEndpoint {
  const { name = defaultName, id = uuidOfName(name), summary, maxRows } = matter
  const view = viewDefinition(text, { name, ...matter.view! })
  const most = { groups: maxRows, bytes: MAX_VIEW_BYTES }
  const made = endpoint({
    id,
    name,
    summary,
    maxRows,
    cache: 'disabled',
    params: PARAMS,
    query: text,
    plan({ project, start, end }, nowUs): Plan {
      const behind = view.answer(nowUs)
      // The first rows of an order may be those of any bucket.
      const isLimited = behind.some(({ op }) => op === 'limit')
      const groups: Operator = isLimited ? viewOf(view.source) : { ...viewOf(view.source), most }
      return ofProject(withinTime([groups, ...behind], rangeOf(start, end)), project)
    },
  })
  return { ...made, view }
}

/** The starts of buckets from `start`, included, to `end`, excluded. */
const rangeOf = (start: Moment | undefined, end: Moment | undefined): TimeRange => ({
  fromUs: start === undefined ? Number.NEGATIVE_INFINITY : Number(start),
  throughUs: end === undefined ? Number.POSITIVE_INFINITY : Number(end) - 1,
})
