import { createMetrics } from '../../src/base/metrics.js'
import type { Clock } from '../../src/base/time/clock.js'
import { ENDPOINTS } from '../../src/endpoints/index.js'
import type { Engine } from '../../src/engine/engine.js'
import { createApp } from '../../src/http/app.js'
import type { AppOptions } from '../../src/http/options.js'
import type { Status } from '../../src/http/routes.js'
import type { Row } from '../../src/plan/answer.js'
import { conjunctsOf } from '../../src/plan/expression.js'
import type { Plan } from '../../src/plan/plan.js'
import { type Access, FULL_ACCESS } from '../../src/tokens/access.js'
import { createTokenRegistry, digestOf, plainTokens } from '../../src/tokens/token-registry.js'
import { createFakeClock } from '../support/clock.js'

export const TOKEN = 'a-token-of-thirty-two-characters'
export const PREFIX = 'http://localhost'

/** A run of the fake engine. The test or an abort ends the run. */
export interface Run {
  plan: Plan
  signal: AbortSignal
  finish(rows?: Iterable<Row> | AsyncIterable<Row>): void
  fail(error: unknown): void
}

async function* rowsOf(rows: Iterable<Row> | AsyncIterable<Row>): AsyncGenerator<Row> {
  yield* rows
}

/** An engine that records the runs. With `rows`, each run returns at once. Without `rows`, the test ends the run. */
function createFakeEngine(rows?: () => Iterable<Row> | AsyncIterable<Row>) {
  const runs: Run[] = []
  const run: Engine['run'] = (plan, { signal = new AbortController().signal } = {}) =>
    new Promise((resolve, reject) => {
      const one: Run = { plan, signal, finish: (given = []) => resolve(rowsOf(given)), fail: reject }
      signal.addEventListener('abort', () => reject(signal.reason))
      runs.push(one)
      if (rows !== undefined) one.finish(rows())
    })
  return { runs, run }
}

/** A token. The access is full unless restricted here. */
export interface TestToken extends Partial<Access> {
  token: string
  expiresUs?: number
}

/** Returns a registry with the tokens. */
export function tokenRegistryOf(tokens: readonly (string | TestToken)[], clock: Clock = createFakeClock()) {
  const registry = createTokenRegistry(clock)
  registry.replace(
    tokens.flatMap((given) => {
      if (typeof given === 'string') return plainTokens([given])
      const { token, expiresUs = Number.POSITIVE_INFINITY, ...access } = given
      return [{ digest: digestOf(token), access: { ...FULL_ACCESS, ...access }, expiresUs }]
    }),
  )
  return registry
}

/** An app over a fake engine and a fake clock, and a `get` that sends the token. */
export function createTestApp({
  rows,
  tokens = [TOKEN],
  clock = createFakeClock(),
  ...parts
}: Partial<Omit<AppOptions, 'accessOf' | 'clock'>> & {
  clock?: ReturnType<typeof createFakeClock>
  rows?: () => Iterable<Row> | AsyncIterable<Row>
  tokens?: readonly (string | TestToken)[]
} = {}) {
  const engine = createFakeEngine(rows)
  const logged: string[] = []
  const metrics = createMetrics()
  const state = { status: 'ok' as Status }
  const registry = tokenRegistryOf(tokens, clock)
  const app = createApp({
    engine,
    endpoints: ENDPOINTS,
    metrics,
    clock,
    accessOf: registry.accessOf,
    status: () => state.status,
    log: (message) => logged.push(message),
    ...parts,
  })
  const get = async (path: string, init: RequestInit = {}) =>
    app.fetch(new Request(PREFIX + path, { ...init, headers: { 'X-API-KEY': TOKEN, ...init.headers } }))
  return { app, engine, clock, logged, metrics, state, registry, get }
}

export const API_COUNTS = '/api/endpoints/query/usage.api-counts'
export const STATS = '/api/endpoints/query/functions.invocation-stats'
export const LOGS_ALL = '/api/endpoints/query/logs.all'

/** Returns the project in the filter of a run's plan. */
export function projectOf({ plan }: Run): string | undefined {
  const conditions = plan.flatMap((operator) => (operator.op === 'filter' ? conjunctsOf(operator.where) : []))
  const projects = conditions.flatMap((condition) => {
    if (condition.kind !== 'call' || condition.fn !== 'eq') return []
    const [left, right] = condition.args
    const isProject = left?.kind === 'column' && left.name === 'project' && right?.kind === 'literal'
    return isProject ? [right.value as string] : []
  })
  return projects[0]
}

/** More turns than needed by work that gives way twice, as on a busy machine: four turns each time. */
const TURNS = 20

/** Waits several turns of the event loop, so that pending work completes. */
export async function settle(): Promise<void> {
  for (let i = 0; i < TURNS; i++) await new Promise((resolve) => setImmediate(resolve))
}

/** Advances the clock second by second, and runs everything that is due. */
export async function pass(clock: { advance(byMs: number): void }, seconds: number): Promise<void> {
  for (let i = 0; i < seconds; i++) {
    clock.advance(1_000)
    await settle()
  }
}

/** Returns status, the named headers and the whole body of a response. */
export async function readReply(reply: Response | Promise<Response>, ...names: readonly string[]) {
  const response = await reply
  const headers = Object.fromEntries(names.map((name) => [name, response.headers.get(name)]))
  return { status: response.status, ...headers, body: await response.text() }
}

/** Returns the body of an error response. */
export const refusal = (error: string, code: string) => JSON.stringify({ error, code })

export const UNAUTHORIZED = refusal(
  'The access token is missing or wrong. Send it in the X-API-KEY header, or as Authorization: Bearer.',
  'unauthorized',
)
export const NOT_FOUND = refusal(
  'There is nothing at this address. GET /api/endpoints lists the endpoints.',
  'not_found',
)

/** Rows of one text each. `state` counts the rows that were read, and says whether the iterator was closed. */
export function countedTexts(count: number, text: string, failAt = Number.POSITIVE_INFINITY) {
  const state = { read: 0, released: false }
  async function* rows(): AsyncGenerator<Row> {
    try {
      for (let i = 0; i < count; i++) {
        if (i === failAt) throw new Error('a block is damaged')
        state.read += 1
        yield { i, text }
      }
    } finally {
      state.released = true
    }
  }
  return { state, rows }
}
