import { hotColumns } from '../common/columns.js'
import type { SourceName } from '../common/sources.js'
import { agg, fn } from '../plan/calls.js'
import { column, type Expression } from '../plan/expression.js'
import { endpoint, sql } from './endpoint.js'
import { EXPLORE_PARAMS, EXPLORED_SQL } from './explore-params.js'
import { BUCKET_SQL, exploredBuckets, MAX_BUCKET_ROWS } from './explored-buckets.js'
import { type NamedField, readFieldName } from './field-name.js'
import { type Param, required } from './params.js'

const FIELD: Param<NamedField> = required({
  required: true,
  description: 'the field whose numbers are measured: a name as in a filter',
  read: (value, name) => readFieldName(value, name, ''),
})

/**
 * The numbers of a field. A column of numbers is read unchanged, so that an engine that stores the column can measure
 * the column. In any other field, a text may spell a number.
 */
function numbersOf({ place, expression }: NamedField, source: SourceName): Expression {
  const path = JSON.stringify(place)
  const own = hotColumns(source).find((one) => one.kind === 'number' && JSON.stringify(one.path) === path)
  return own === undefined || own.isFieldOnly ? fn.safe_cast_float64(expression) : column(own.name)
}

/**
 * logs.measure: the numbers of a field of a source, per bucket of time.
 *
 * Gives   a row for each bucket with a row that has a number, by time: timestamp (µs UTC, start of the bucket),
 *         bucket_us (the width of the bucket, as in logs.histogram), count (rows with a number), min, max, avg, p50,
 *         p95, p99. A text that spells a number is that number, unless the field has a column of numbers
 * Window  timestamp >= start, < end
 * Empty   no number: no row, never a zero row
 * Cost    a single pass over the times and the field of the project's rows in the segments that overlap the window
 */
export const logsMeasure = endpoint({
  id: '8b0c1c7e-5b57-4d0a-9a55-6f0e5a3a1d14',
  name: 'logs.measure',
  summary: 'The numbers of a field, per time bucket',
  maxRows: MAX_BUCKET_ROWS,
  cache: 'disabled',
  params: { ...EXPLORE_PARAMS, field: FIELD },
  refusesUnknown: true,
  query: sql`
    select
      ${BUCKET_SQL}
      -- the numbers of @field
      count(value) as count,
      min(value) as min,
      max(value) as max,
      avg(value) as avg,
      approx_quantiles(value, 100)[offset(50)] as p50,
      approx_quantiles(value, 100)[offset(95)] as p95,
      approx_quantiles(value, 100)[offset(99)] as p99
    ${EXPLORED_SQL}
    group by timestamp, bucket_us
    order by timestamp
  `,
  plan(args, nowUs) {
    const { rows, timestamp, bucket_us } = exploredBuckets(args, nowUs)
    const value = numbersOf(args.field, args.source)
    return rows
      .group({ timestamp })
      .aggregate({
        count: agg.count(value),
        min: agg.min(value),
        max: agg.max(value),
        avg: agg.avg(value),
        p50: agg.quantile(value, 50),
        p95: agg.quantile(value, 95),
        p99: agg.quantile(value, 99),
      })
      .filter(fn.gt('count', 0))
      .select('timestamp', { bucket_us }, 'count', 'min', 'max', 'avg', 'p50', 'p95', 'p99')
      .orderBy('timestamp')
      .limit(MAX_BUCKET_ROWS)
  },
})
