import { PLATFORM_PARTS, SPLITS, type Split } from '../common/histogram-classes.js'
import { type BuiltInSource, isBuiltIn, type SourceName } from '../common/sources.js'
import { PINO_LEVELS, USUAL_FIELDS } from '../common/usual-fields.js'
import { count } from '../plan/builder.js'
import { agg, fn } from '../plan/calls.js'
import { column, type Expression, field, literal } from '../plan/expression.js'
import { endpoint, sql } from './endpoint.js'
import { EXPLORE_PARAMS, EXPLORED_SQL } from './explore-params.js'
import { BUCKET_SQL, exploredBuckets, MAX_BUCKET_ROWS } from './explored-buckets.js'
import { type Param, wordAmong } from './params.js'

/** The fields that say how a record went: the status of a response, and the level of a message. */
interface Outcome {
  status?: Expression
  level?: Expression
}

const LEVEL = field('level')
const RESPONSE_STATUS = field('response.status_code')

/** The outcome fields of each of the nine sources. All have columns of their own. The other two have no such field. */
const OUTCOMES: Partial<Record<BuiltInSource, Outcome>> = {
  edge_logs: { status: RESPONSE_STATUS },
  function_edge_logs: { status: RESPONSE_STATUS },
  auth_logs: { status: field('status'), level: LEVEL },
  postgres_logs: { level: field('parsed.error_severity') },
  function_logs: { level: LEVEL },
  realtime_logs: { level: LEVEL },
  storage_logs: { level: LEVEL },
}

const OUTCOME_OF = new Map<SourceName, Outcome>(Object.entries(OUTCOMES))

const firstOf = (names: readonly string[]) => fn.coalesce(...(names.map(field) as [Expression]))

/** The outcome fields of a source of one's own, with a word for a number of pino as the level. */
const USUAL: Outcome = { status: firstOf(USUAL_FIELDS.status), level: wordOf(firstOf(USUAL_FIELDS.level)) }

function wordOf(level: Expression): Expression {
  const words = Object.entries(PINO_LEVELS).flatMap(([number, word]) => [fn.eq(level, Number(number)), literal(word)])
  return fn.case(...(words as [Expression, Expression]), level)
}

function outcomeOf(source: SourceName): Outcome {
  return OUTCOME_OF.get(source) ?? (isBuiltIn(source) ? {} : USUAL)
}

/** `2xx` for 200 to 299, and so on. Null for other numbers and other values. */
const STATUS_CLASS = fn.case(
  fn.lt('status', 100),
  literal(null),
  ...[1, 2, 3, 4, 5].flatMap((hundreds) => [fn.lt('status', 100 * (hundreds + 1)), literal(`${hundreds}xx`)]),
)
const LEVEL_CLASS = fn.nullif(fn.lower('level'), '')
const NO_CLASS = fn.cast_string(literal(null))

/** The class of rows that have the columns of an outcome. */
function classOf({ status, level }: Outcome): Expression {
  if (status === undefined) return level === undefined ? NO_CLASS : LEVEL_CLASS
  return level === undefined ? STATUS_CLASS : fn.coalesce(STATUS_CLASS, LEVEL_CLASS)
}

/** The part of the platform that a request is for: the first step of the request's path. */
const PART = fn.regexp_extract(field('request.path'), `^/(${PLATFORM_PARTS.join('|')})(?:/|$)`)

/** The columns that the rows of a bucket are grouped by, and the class that the columns make. */
function splitOf({ by, source }: { by: Split; source: SourceName }) {
  if (by === 'part' && source === 'edge_logs') return { columns: { part: PART }, class: column('part') }
  const columns = by === 'outcome' ? outcomeOf(source) : {}
  return { columns, class: classOf(columns) }
}

const BY: Param<Split> = {
  ...wordAmong(SPLITS),
  description:
    'the way to split the rows of a bucket: outcome (the class of the status, or else the level; the default), ' +
    'part (of the platform, by the path of a request) or nothing',
}

/**
 * logs.histogram: how many rows of a source there are, per bucket of time and class.
 *
 * Gives   a row for each bucket and class that has rows, by time, then class: timestamp (µs UTC, start of the bucket, a
 *         multiple of the width since the epoch), bucket_us (the width), class, count. The width is the smallest of 1,
 *         2, 5, 10, 15, 30 s and min, 1, 2, 3, 6, 12 h, 1, 2, 4, … days of which the range has at most 120 buckets. The
 *         class is the class of the status (`1xx` to `5xx`) if there is a status, else the level in lower case, else
 *         null. Sources of one's own have both in fields of the usual names. With `by=part`, the class is the first
 *         step of the path of edge_logs if the step is a part of the platform, else null
 * Window  timestamp >= start, < end
 * Empty   no row: no row, never a zero row
 * Cost    a single pass over the times and the outcomes of the project's rows in the segments that overlap the window
 */
export const logsHistogram = endpoint({
  id: '8b0c1c7e-5b57-4d0a-9a55-6f0e5a3a1d12',
  name: 'logs.histogram',
  summary: 'How many rows a source has, per time bucket and class',
  maxRows: MAX_BUCKET_ROWS,
  cache: 'disabled',
  params: { ...EXPLORE_PARAMS, by: BY },
  refusesUnknown: true,
  query: sql`
    select
      ${BUCKET_SQL}
      -- by @by: '2xx' of a status of 200 to 299, and so on, or else the level in lower case, or the part
      -- of the platform
      class,
      count(*) as count
    ${EXPLORED_SQL}
    group by timestamp, bucket_us, class
    order by timestamp, class
  `,
  plan(args, nowUs) {
    const { rows, timestamp, bucket_us } = exploredBuckets(args, nowUs)
    const split = splitOf(args)
    // Every engine can group by the columns. The classes are made of the groups, not of the rows.
    return rows
      .group({ timestamp, ...split.columns })
      .aggregate({ rows: count() })
      .group('timestamp', { class: split.class })
      .aggregate({ count: agg.sum('rows') })
      .select('timestamp', { bucket_us }, 'class', 'count')
      .orderBy('timestamp')
      .thenBy('class')
      .limit(MAX_BUCKET_ROWS)
  },
})
