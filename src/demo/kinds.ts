import type { Environment } from '../config/environment.js'
import { ANY_SOURCES } from './any-lines.js'
import { feed, LARGEST_PROJECT } from './feed.js'
import { ANY_PROJECT, feedAny, keepFeeding } from './feed-any.js'
import type { DemoService } from './service.js'

/** A kind of demo: the rows that the service has, and the requests that are shown. */
export interface DemoKind {
  /** Arguments of the service. */
  args: readonly string[]
  /** Sends the rows that are there at first. Throws `failed`. */
  feed(service: DemoService, rows: number, environment: Environment): Promise<void>
  /** Sends new rows until the service ends. */
  keepFeeding?(service: DemoService): void
  /** The state in which the page is opened, as in a fragment of its URL. */
  fragment: string
  /** The state with a query that gives a chart. */
  chart?: string
  /** The example requests: name and parameters of an endpoint, as in a URL. */
  requests: readonly string[]
}

/** The nine sources: a request to each endpoint that every service has. */
export const NINE_DEMO: DemoKind = {
  args: [],
  feed,
  fragment: `project=${LARGEST_PROJECT}&range=7day`,
  requests: [
    `logs.all?project=${LARGEST_PROJECT}&project_tier=PRO`,
    `functions.invocation-stats?project=${LARGEST_PROJECT}&interval=7day`,
    `usage.api-counts?project=${LARGEST_PROJECT}&interval=daily`,
  ],
}

const FAILING_PATHS = `select timestamp_trunc(timestamp, minute) as minute, path, count(*) as failed
from nginx
where status >= 400
group by minute, path
order by minute, failed desc`

/** Sources of one's own: their rows, the counts of their outcomes, and the paths that fail. */
export const ANY_DEMO: DemoKind = {
  args: ['--sources', ANY_SOURCES.join(',')],
  feed: feedAny,
  keepFeeding,
  fragment: `project=${ANY_PROJECT}&source=nginx`,
  chart: `view=sql&${new URLSearchParams({ project: ANY_PROJECT, sql: FAILING_PATHS })}`,
  requests: [
    `logs.explore?project=${ANY_PROJECT}&source=nginx`,
    `logs.histogram?project=${ANY_PROJECT}&source=app`,
    `logs.all?${new URLSearchParams({ project: ANY_PROJECT, sql: FAILING_PATHS })}`,
  ],
}
