import { readFileSync } from 'node:fs'
import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import { getPath } from 'hono/utils/url'
import type { Clock } from '../base/clock.js'
import type { Log } from '../base/log.js'
import type { Metrics } from '../base/metrics.js'
import type { Endpoint } from '../endpoints/endpoint.js'
import type { Engine } from '../engine/engine.js'
import { createAuth } from './auth.js'
import { CORS_HEADERS, LOGS_METHODS, preflight } from './cors.js'
import { definitions } from './definitions.js'
import type { Body } from './encoding.js'
import { errorReply, refusals } from './errors.js'
import { HTTP_LIMITS, type HttpLimits } from './limits.js'
import { createLogs, type Intake, LOGS_LIMITS, type LogsLimits } from './logs.js'
import { createQueries, type Queries } from './query.js'
import { CODED_JSON_HEADERS, codedReply, jsonReply, VARY } from './reply.js'

export type Status = 'starting' | 'ok' | 'degraded'

export interface AppParts {
  engine: Pick<Engine, 'run'>
  endpoints: readonly Endpoint[]
  metrics: Metrics
  clock: Clock
  /** Every one of them opens every endpoint. */
  tokens: readonly string[]
  /** Asked at each request. */
  status: () => Status
  limits?: Partial<HttpLimits & LogsLimits>
  log: Log
  /** Takes the records that are sent; without it there are no paths for that. */
  intake?: Intake
}

export interface App {
  /** Answers a request; never throws. `env` is the connection that it came by, where there is one. */
  fetch(request: Request, env?: Partial<HttpBindings>): Response | Promise<Response>
  /** The answer to what is not a request, or not one that can be answered. */
  refuse(error: unknown): Response
  /** Stops warming, and the runs that nobody waits for. */
  close(): void
}

/** The paths that need no token. */
const OPEN_PATHS = new Set(['/', '/health', '/ready'])
/** The paths that take records. */
const LOGS_PATHS = ['/api/logs', '/logs']

const { name, version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

/** The HTTP side of the service: every path, its token, its errors. */
export function createApp({ tokens, status, log, metrics, limits, intake, ...parts }: AppParts): App {
  const isAuthorized = createAuth(tokens)
  const queries = createQueries({ ...parts, metrics, log, limits: { ...HTTP_LIMITS, ...limits } })
  const listing = { plain: Buffer.from(definitions(parts.endpoints)) }
  const router = routes(queries, listing, metrics, status)
  if (intake !== undefined) {
    const logs = createLogs(intake, { ...LOGS_LIMITS, ...limits }, parts.clock, log)
    for (const path of LOGS_PATHS) {
      router.post(path, ({ req, env }) => logs.answer(req.raw, env?.incoming))
      router.all(path, () => errorReply(refusals.methodNotAllowed(LOGS_METHODS), log, { Allow: LOGS_METHODS }))
    }
  }
  router.onError((error) => errorReply(error, log))

  function answer(request: Request, env?: Partial<HttpBindings>): Response | Promise<Response> {
    if (status() === 'starting') return errorReply(refusals.starting(), log)
    const path = getPath(request)
    if (request.method === 'OPTIONS') return preflight(LOGS_PATHS.includes(path) ? LOGS_METHODS : undefined)
    if (!OPEN_PATHS.has(path) && !isAuthorized(request.headers)) {
      return errorReply(refusals.unauthorized(), log)
    }
    return router.fetch(request, env)
  }

  function counted(response: Response): Response {
    metrics.requests.inc({ status: String(response.status) })
    return response
  }

  const refuse = (error: unknown) => counted(errorReply(error, log))
  const finish = (method: string, response: Response) => counted(method === 'HEAD' ? withoutBody(response) : response)

  return {
    fetch(request, env) {
      try {
        const response = answer(request, env)
        if (response instanceof Promise) return response.then((later) => finish(request.method, later)).catch(refuse)
        return finish(request.method, response)
      } catch (error) {
        return refuse(error)
      }
    },
    refuse,
    close: queries.close,
  }
}

interface Env {
  Bindings: Partial<HttpBindings> | undefined
}

/** The paths and what answers them. A path that takes GET refuses other methods with 405; the rest is 404. */
function routes(queries: Queries, listing: Body, { registry }: Metrics, status: () => Status): Hono<Env> {
  const router = new Hono<Env>()
  const health = () => jsonReply(JSON.stringify({ status: status() }))
  const metricsHeaders = { 'Content-Type': registry.contentType, ...CORS_HEADERS, ...VARY }
  router.get('/', () => jsonReply(JSON.stringify({ name, version })))
  router.get('/health', health)
  router.get('/ready', health)
  router.get('/metrics', async ({ req }) => {
    const body = { plain: Buffer.from(await registry.metrics()) }
    return codedReply(req.raw.headers, body, metricsHeaders)
  })
  router.get('/api/endpoints', ({ req }) => codedReply(req.raw.headers, listing, CODED_JSON_HEADERS))
  router.get('/api/endpoints/query/:idOrName', ({ req, env }) => {
    const outgoing = env?.outgoing
    return queries.answer(req.param('idOrName'), req.raw, outgoing && (() => outgoing.destroy()))
  })
  router.notFound(({ req }) => {
    const takesGet = router.router.match('GET', req.path)[0].length > 0
    throw takesGet ? refusals.methodNotAllowed() : refusals.notFound()
  })
  return router
}

function withoutBody({ status, headers }: Response): Response {
  return new Response(null, { status, headers })
}
