import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import type { Clock } from '../base/clock.js'
import type { Log } from '../base/log.js'
import type { Metrics } from '../base/metrics.js'
import { VERSION } from '../base/version.js'
import type { Endpoint } from '../endpoints/endpoint.js'
import type { Engine } from '../engine/engine.js'
import type { Access } from '../tokens/access.js'
import { createAuth } from './access/auth.js'
import { refuseAccess } from './access/permission.js'
import { createLogs, LOGS_LIMITS, type LogsLimits, type RecordIntake } from './intake/logs.js'
import { createOtlpLogs, OTLP_PATH, otlpErrorReply, type Translate } from './intake/otlp.js'
import { LOGS_PATHS, requestPath } from './intake/paths.js'
import { openApi } from './openapi/document.js'
import { loadPage, type Page } from './page.js'
import type { Arrivals } from './query/arrivals.js'
import { definitions } from './query/definitions.js'
import { HTTP_LIMITS, type HttpLimits } from './query/limits.js'
import { createQueries, type Queries } from './query/query.js'
import { CORS_HEADERS, LOGS_METHODS, preflight } from './reply/cors.js'
import type { Body } from './reply/encoding.js'
import { errorReply, refusals } from './reply/errors.js'
import { CODED_JSON_HEADERS, codedReply, type HeaderFields, jsonReply, VARY } from './reply/reply.js'
import { TAIL_LIMITS, type TailLimits } from './tail/limits.js'
import { createTails } from './tail/tail.js'

/** `degraded`: nothing can be kept, or standard input has failed; what is kept can be asked for. */
export type Status = 'starting' | 'ok' | 'degraded' | 'stopping'

export interface AppParts {
  engine: Pick<Engine, 'run'> & Partial<Pick<Engine, 'follow'>>
  endpoints: readonly Endpoint[]
  metrics: Metrics
  clock: Clock
  /** What the token with a SHA-256 opens; undefined where there is no such token. */
  accessOf: (digest: Uint8Array) => Access | undefined
  /** Asked at each request. */
  status: () => Status
  limits?: Partial<HttpLimits & LogsLimits & TailLimits>
  log: Log
  /** When records were last accepted; without it answers without rows are kept like any other. */
  arrivals?: Arrivals
  /** Takes the records that are sent; without it there are no paths for that. */
  intake?: RecordIntake
  /** Makes lines for the intake of OTLP; without it there is no path for that. */
  translate?: Translate
}

export interface App {
  /** Answers a request; never throws. `env` is the connection that it came by, where there is one. */
  fetch(request: Request, env?: Partial<HttpBindings>): Response | Promise<Response>
  /** The answer to what is not a request, or not one that can be answered. */
  refuse(error: unknown): Response
  /** Ends the answers that have no end of their own. */
  endTails(): void
  /** Serves and lists these endpoints in place of those of before. */
  replaceEndpoints(endpoints: readonly Endpoint[]): void
  /** Stops warming, and the runs that nobody waits for. */
  close(): void
}

/** The paths that need no token, beside those of the page. */
const OPEN_PATHS = ['/health', '/ready']

/** The HTTP side of the service: every path, its token, its errors. */
export function createApp({ accessOf, status, log, metrics, limits, intake, translate, ...parts }: AppParts): App {
  const authenticate = createAuth(accessOf)
  const queries = createQueries({ ...parts, metrics, log, limits: { ...HTTP_LIMITS, ...limits } })
  let documents = documentsOf(parts.endpoints, parts.clock)
  const page = loadPage()
  const openPaths = new Set([...OPEN_PATHS, ...page.paths])
  const router = routes(queries, () => documents, metrics, status, page)
  if (intake !== undefined) {
    const logs = createLogs(intake, { ...LOGS_LIMITS, ...limits }, parts.clock, log)
    const otlp = translate && createOtlpLogs(logs, translate)
    for (const path of LOGS_PATHS) {
      const taker = path === OTLP_PATH ? otlp : logs
      if (taker === undefined) continue
      router.post(path, ({ req, env }) =>
        taker.answer({ request: req.raw, incoming: env?.incoming, projects: env?.access?.projects }),
      )
      router.all(path, ({ req }) => refusal(refusals.methodNotAllowed(LOGS_METHODS), req.raw, { Allow: LOGS_METHODS }))
    }
  }
  const { follow } = parts.engine
  const tails =
    follow && createTails({ follow, metrics, clock: parts.clock, log, limits: { ...TAIL_LIMITS, ...limits } })
  if (tails !== undefined) {
    router.get('/api/tail', ({ req, env }) => {
      const outgoing = env?.outgoing
      const access = () => authenticate(req.raw.headers)
      return tails.answer(req.raw, access, outgoing && (() => outgoing.destroy()))
    })
  }
  router.onError((error, { req }) => refusal(error, req.raw))

  /** A refusal as those read it who ask at that path. */
  function refusal(error: unknown, request: Request, more?: HeaderFields): Response {
    if (requestPath(request) === OTLP_PATH) return otlpErrorReply(request.headers, error, log, more)
    return errorReply(error, log, more)
  }

  function answer(request: Request, env?: Partial<HttpBindings>): Response | Promise<Response> {
    const path = requestPath(request)
    const takesLogs = LOGS_PATHS.includes(path)
    if (status() === 'starting') {
      // Who is turned away comes again: what takes records starts meanwhile.
      if (takesLogs && authenticate(request.headers)?.scopes.has('ingest')) intake?.prepare()
      return refusal(refusals.starting(), request)
    }
    if (request.method === 'OPTIONS') return preflight(request.headers, takesLogs ? LOGS_METHODS : undefined)
    if (openPaths.has(path)) return router.fetch(request, env)
    const access = authenticate(request.headers)
    if (access === undefined) return refusal(refusals.unauthorized(), request)
    const refuseHere = (error: unknown, more?: HeaderFields) => refusal(error, request, more)
    const refused = refuseAccess(access, path, takesLogs ? 'ingest' : 'query', refuseHere)
    return refused ?? router.fetch(request, { ...env, access })
  }

  function counted(response: Response): Response {
    metrics.requests.inc({ status: String(response.status) })
    return response
  }

  const finish = (method: string, response: Response) => counted(method === 'HEAD' ? withoutBody(response) : response)

  return {
    fetch(request, env) {
      try {
        const response = answer(request, env)
        if (!(response instanceof Promise)) return finish(request.method, response)
        return response
          .then((later) => finish(request.method, later))
          .catch((error) => counted(refusal(error, request)))
      } catch (error) {
        return counted(refusal(error, request))
      }
    },
    refuse: (error) => counted(errorReply(error, log)),
    endTails: () => tails?.close(),
    replaceEndpoints(endpoints) {
      queries.replace(endpoints)
      documents = documentsOf(endpoints, parts.clock)
    },
    close: queries.close,
  }
}

/** What is told of the endpoints: the same for all who ask. */
interface Documents {
  listing: Body
  openApi: Body
}

function documentsOf(endpoints: readonly Endpoint[], clock: Clock): Documents {
  return {
    listing: { plain: Buffer.from(definitions(endpoints)) },
    openApi: { plain: Buffer.from(openApi(endpoints, VERSION, clock.nowUs())) },
  }
}

interface Env {
  /** Where the path needs a token, what it opens. */
  Bindings: (Partial<HttpBindings> & { access?: Access }) | undefined
}

/** The paths and what answers them. A path that takes GET refuses other methods with 405; the rest is 404. */
function routes(
  queries: Queries,
  documents: () => Documents,
  { registry }: Metrics,
  status: () => Status,
  page: Page,
): Hono<Env> {
  const router = new Hono<Env>({ getPath: requestPath })
  const health = () => jsonReply(JSON.stringify({ status: status() }))
  const metricsHeaders = { 'Content-Type': registry.contentType, ...CORS_HEADERS, ...VARY }
  for (const path of page.paths) router.get(path, ({ req }) => page.answer(path, req.raw))
  router.get('/health', health)
  router.get('/ready', () => {
    if (status() === 'stopping') throw refusals.stopping()
    return health()
  })
  router.get('/metrics', async ({ req }) => {
    const body = { plain: Buffer.from(await registry.metrics()) }
    return codedReply(req.raw.headers, body, metricsHeaders)
  })
  router.get('/api/endpoints', ({ req }) => codedReply(req.raw.headers, documents().listing, CODED_JSON_HEADERS))
  router.get('/api/openapi.json', ({ req }) => codedReply(req.raw.headers, documents().openApi, CODED_JSON_HEADERS))
  router.get('/api/endpoints/query/:idOrName', ({ req, env }) => {
    const outgoing = env?.outgoing
    return queries.answer(req.param('idOrName'), req.raw, outgoing && (() => outgoing.destroy()), env?.access?.projects)
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
