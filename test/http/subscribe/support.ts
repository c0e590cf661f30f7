import { endpointsOf } from '../../../src/endpoints/index.js'
import { createFakeClock } from '../../support/clock.js'
import { appendAll, openEngine } from '../../support/engine.js'
import { edge, type PartialRecord } from '../../support/records.js'
import { sqlPath } from '../sql/support.js'
import { createTestApp, settle } from '../support.js'
import { type FollowingClient, followResponse, type KeptAnswer } from './client.js'

/** How often the service looks which queries are due. */
const TICK_MS = 50
/** A query that runs longer waits for the clock. */
const MOST_WAITS = 1_000

/** The stored queries, with SQL. */
const endpoints = endpointsOf({ loadCompiler: () => import('../../../src/sql/read-sql.js') })

type TestParts = NonNullable<Parameters<typeof createTestApp>[0]>

export type SubscribeAppOptions = Omit<TestParts, 'engine' | 'clock'> & {
  engine?: ReturnType<typeof openEngine>
  clock?: ReturnType<typeof createFakeClock>
}

/** An app over an embedded engine and a fake clock, which answers SQL too, with clients that follow queries. */
export function createSubscribeApp({ clock = createFakeClock(), ...parts }: SubscribeAppOptions = {}) {
  const engine = parts.engine ?? openEngine({ clock })
  // The clock stands still while a query runs, so that evaluations take no time.
  const made = createTestApp({ endpoints, processorMs: () => 0, ...parts, engine, clock })
  const { get, metrics } = made

  /** Asks for a stream. */
  const request = (path: string, headers: Record<string, string> = {}, init: RequestInit = {}) =>
    get(path, { ...init, headers: { Accept: 'text/event-stream', ...headers } })

  /** Follows a path, from where `kept` ended if given, and waits for the first event. */
  async function follow(path: string, kept?: KeptAnswer, headers: Record<string, string> = {}) {
    const resumed: Record<string, string> = kept?.lastId === undefined ? {} : { 'Last-Event-ID': kept.lastId }
    const response = await request(path, { ...resumed, ...headers })
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
    const client = followResponse(response, kept)
    await settle()
    return client
  }

  /** Lets time pass in steps, in each of which what was started also ends. */
  async function pass(ms: number): Promise<void> {
    const endMs = clock.monotonicMs() + ms
    while (clock.monotonicMs() < endMs) {
      clock.advance(Math.min(TICK_MS, endMs - clock.monotonicMs()))
      await ended()
    }
    await settle()
  }

  /** Waits until no query runs any more. The clock stands still. */
  async function ended(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    for (let i = 0; i < MOST_WAITS && metrics.queriesRunning.count > 0; i++) await settle()
  }

  /** Appends edge records, by default of project `a` and of now. */
  const bring = (...records: PartialRecord[]) =>
    appendAll(
      engine,
      records.map((record) => edge({ timestampUs: clock.nowUs(), ...record })),
    )

  /** The rows of an answer that no cache has, as JSON. */
  async function ask(path: string, headers: Record<string, string> = {}): Promise<string[]> {
    const response = await get(path, { headers: { 'Cache-Control': 'no-cache', ...headers } })
    const body = (await response.json()) as { result: object[] }
    return body.result.map((row) => JSON.stringify(row))
  }

  const evaluations = async () =>
    (await metrics.subscriptionEvaluations.get()).values.reduce((sum, { value }) => sum + value, 0)

  return { ...made, engine, clock, request, follow, pass, ended, bring, ask, evaluations }
}

/** The names of a client's events. */
export const namesOf = ({ events }: FollowingClient) => events.map(({ name }) => name)

/** The data of a client's events without the watermarks. */
export const dataOf = ({ events }: FollowingClient) => events.map(({ data: { watermark: _, ...data } }) => data)

/** The path of SQL by a token that is not bound, of project `a`. */
export { sqlPath }

/** Requests by path, the last 5 minutes. */
export const RECENT =
  'select request.path, count(*) as n from edge_logs ' +
  'where timestamp >= timestamp_sub(current_timestamp(), interval 5 minute) group by path'
/** Requests by path, all. */
export const BY_PATH = 'select request.path, count(*) as n from edge_logs group by path'

/** A record with a path. */
export const at = (path: string, more: PartialRecord = {}): PartialRecord => ({
  metadata: { request: { path } },
  ...more,
})
