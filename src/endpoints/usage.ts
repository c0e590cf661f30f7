import { formatIso8601 } from '../base/time/iso8601.js'
import { DAY_US } from '../base/units.js'
import type { SourceName } from '../common/sources.js'
import { MAX_USAGE_ROWS, type Usage } from '../common/usage.js'
import type { AnswerColumn, Row } from '../plan/answer.js'
import { type Call, type Given, readParams } from './endpoint.js'
import { EXPLORE_PARAMS } from './explore-params.js'
import { type ArgsOf, optionalText, type Param, timestamp } from './params.js'

const SOURCE: Param<SourceName | undefined> = {
  required: false,
  description: 'only this source, or the source with this alias',
  read: (value, name) => (value === undefined ? undefined : EXPLORE_PARAMS.source.read(value, name)),
}

/** `GET /api/usage` for the metrics and the description. */
export const USAGE = {
  name: 'usage',
  maxRows: MAX_USAGE_ROWS,
  params: {
    project: optionalText('only this project'),
    source: SOURCE,
    start: timestamp('only UTC days that end after this moment, ISO 8601; default: all'),
    end: timestamp('only UTC days that start before this moment, ISO 8601; default: all'),
  },
}

/** The columns of the answer. */
export const USAGE_COLUMNS: readonly AnswerColumn[] = [
  { name: 'project', kind: 'text' },
  { name: 'source', kind: 'text' },
  { name: 'day', kind: 'text' },
  { name: 'rows', kind: 'count' },
  { name: 'bytes', kind: 'count' },
]

/** The parameters of a request. */
export type UsageArgs = ArgsOf<typeof USAGE.params>

/** Reads the parameters of a request. Throws `duplicate_parameter`, `invalid_parameter` and `invalid_timestamp`. */
export const readUsageArgs = (given: Given): UsageArgs => readParams(USAGE.params, given)

/**
 * The rows that are stored, and the bytes that they take.
 *
 * Gives   at most 1,000,000 rows, else `too_many_groups`: project, source, day (UTC, `YYYY-MM-DD`), rows, bytes
 * Order   by day, then source, then project. The rows without a project have the project null, and come first
 * Empty   a project, source and day without rows has no row
 * Cost    reads the index of projects of each segment of these days, and no rows but those that are not sealed yet
 */
export function usageCall({ source, start, end }: UsageArgs, projects?: ReadonlySet<string>): Call {
  const fromDay = start === undefined ? Number.NEGATIVE_INFINITY : dayOf(start)
  const throughDay = end === undefined ? Number.POSITIVE_INFINITY : dayOf(end - 1)
  return {
    key: USAGE.name,
    plan: () => [],
    computation: {
      columns: USAGE_COLUMNS,
      rows: (_, __, { usage }) => rowsOf(usage({ fromDay, throughDay, source, projects })),
    },
  }
}

const dayOf = (us: number) => Math.floor(us / DAY_US)

async function* rowsOf(counted: Promise<readonly Usage[]>): AsyncIterable<Row> {
  for (const { project = null, source, day, rows, bytes } of await counted) {
    yield { project, source, day: formatIso8601(day * DAY_US).slice(0, -'T00:00:00Z'.length), rows, bytes }
  }
}
