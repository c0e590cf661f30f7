/**
 * The questions of `bench/field-questions.mjs` in the SQL of a peer. In addition to the list in `sql.mjs`, a dialect
 * has `fields(paths)`, which returns an expression for each field of the metadata at `paths`.
 */
import { RARE_PATTERN } from '../field-questions.mjs'

const DAY_US = 86_400e6

/** The paths of integers. All other values are texts. */
export const INTEGER_PATHS = new Set(['response.status_code'])

/** By question: a function of a dialect, the parameters, the end of the week, and whether the order has no ties. */
export const FIELD_STATEMENTS = {
  'status classes by hour, one day': statusClasses,
  'newest 100 with status >= 500 and method POST': (d, params, nowUs) => {
    // In separate calls: the method is read only if the status is high.
    const [[status], [method]] = ['response.status_code', 'request.method'].map((path) => d.fields([path]))
    return newest(d, params, nowUs, `${status} >= 500 and ${method} = 'POST'`)
  },
  'count by method, path, status, 7 days, top 100': counts(['request.method', 'request.path', 'response.status_code']),
  'count by request.cf.country, 7 days': counts(['request.cf.country']),
  'newest 100 whose message matches a rare pattern, 7 days': (d, params, nowUs) =>
    newest(d, params, nowUs, d.matches('event_message', RARE_PATTERN)),
}

/** The rows of a project in the last days, both ends included. */
const within = (d, { project }, nowUs, days) => `project = ${d.quote(project)}
  and t.timestamp >= ${d.moment(nowUs - days * DAY_US)} and t.timestamp <= ${d.moment(nowUs)}`

function statusClasses(d, params, nowUs, isOrdered) {
  const [status] = d.fields(['response.status_code'])
  return `
    select ${d.bucketStart('bucket')} as hour, class, count
    from (
      select ${d.truncate('hour', 't.timestamp')} as bucket, floor(${status} / 100) as class, count(*) as count
      from edge_logs as t
      where ${within(d, params, nowUs, 1)}
      group by bucket, class
    ) as buckets
    ${isOrdered ? 'order by hour, class' : ''}`
}

function newest(d, params, nowUs, condition) {
  return `
    select id, ${d.microseconds('t.timestamp')} as timestamp, event_message, metadata
    from edge_logs as t
    where ${within(d, params, nowUs, 7)} and ${condition}
    order by t.timestamp desc
    limit 100`
}

function counts(paths) {
  return (d, params, nowUs, isOrdered) => {
    const keys = d.fields(paths).map((field, i) => `${field} as "${paths[i]}"`)
    const numbers = paths.map((_path, i) => i + 1)
    return `
      select ${keys.join(', ')}, count(*) as count
      from edge_logs as t
      where ${within(d, params, nowUs, 7)}
      group by ${numbers.join(', ')}
      order by count desc ${isOrdered ? `, ${numbers.join(', ')}` : ''}
      limit 100`
  }
}
