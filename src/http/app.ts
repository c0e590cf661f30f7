import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import type { Log } from '../base/log.js'
import { budgetLimits, createMemoryBudget, type MemoryBudget } from '../base/memory/memory-budget.js'
import type { Metrics } from '../base/metrics.js'
import type { Clock } from '../base/time/clock.js'
import { DELETIONS_PATH } from '../common/deletions.js'
import type { ListedView } from '../common/views-list.js'
import type { Endpoint } from '../endpoints/endpoint.js'
import type { Engine } from '../engine/engine.js'
import type { Access, Scope } from '../tokens/access.js'
import { type Authenticate, createAuth, hasToken } from './access/auth.js'
import { refuseAccess } from './access/permission.js'
import { createWrongTokens, type WrongTokens } from './access/wrong-tokens.js'
import { createLogs, LOGS_LIMITS, type LogsLimits, type RecordIntake } from './intake/logs.js'
import { createOtlpLogs, OTLP_PATH, otlpErrorReply, type Translate } from './intake/otlp.js'
import { LOGS_PATHS, requestPath } from './intake/paths.js'
import { createPostedParameters, postedLimits } from './intake/posted-parameters.js'
import { bodiesBytes } from './intake/upload.js'
import { createQueries } from './query/answer-queries.js'
import type { Arrivals } from './query/arrivals.js'
import { createConcurrencyLimits } from './query/concurrency.js'
import { createCurrentRows, type DeletedRows } from './query/current-rows.js'
import { createDeletionRequests, type Deleting } from './query/deletions.js'
import { type HttpLimits, httpLimits } from './query/limits.js'
import { createRuleTests, type TestRule } from './query/rule-tests.js'
import { searchOf } from './query/search.js'
import { callAfter } from './query/waiting.js'
import { brokenBodyOf, mayBreak, unlessBroken } from './reply/broken-body.js'
import { preflight } from './reply/cors.js'
import { type Dialect, OWN_DIALECT } from './reply/dialect.js'
import { errorReply, refusals } from './reply/errors.js'
import { createPendingAnswers, type PendingAnswers } from './reply/pending-answers.js'
import type { HeaderFields } from './reply/reply.js'
import {
  type Alerting,
  type Answer,
  alertingRoutes,
  createDocuments,
  deletionRoutes,
  type Env,
  type Exchange,
  listRoutes,
  logsRoutes,
  methodsOf,
  pageRoutes,
  queryRoutes,
  type Route,
  ruleTestRoutes,
  type Status,
  serviceRoutes,
  sessionRoutes,
  tailRoutes,
  viewRoutes,
} from './routes.js'
import { type SubscriptionLimits, subscriptionLimits } from './subscribe/limits.js'
import { createSubscriptions } from './subscribe/subscriptions.js'
import { type TailLimits, tailLimits } from './tail/limits.js'
import { createTails } from './tail/tail.js'

/** Everything that the HTTP side needs from the rest of the service. */
export interface AppOptions {
  engine: Pick<Engine, 'run' | 'columnPaths' | 'revision'> & Partial<Pick<Engine, 'follow' | 'usage'>>
  endpoints: readonly Endpoint[]
  metrics: Metrics
  clock: Clock
  /** Returns the access that the token with this SHA-256 digest grants, or undefined if there is no such token. */
  accessOf: (digest: Uint8Array) => Access | undefined
  /** Called for each request. */
  status: () => Status
  limits?: Partial<HttpLimits & LogsLimits & TailLimits & SubscriptionLimits>
  log: Log
  /** The memory limit of the process, of which queries, the cache, bodies and tails each have a share. */
  memoryLimitBytes?: number
  /** The memory of queries. If absent, a share of the limit that only these queries have. */
  memory?: MemoryBudget
  /** The time that processors have spent on this thread. If absent, the duration of an evaluation counts instead. */
  processorMs?: () => number
  /** The alerts. If absent, there are none. */
  alerting?: Alerting | undefined
  /** The views. If absent, there are none. */
  listViews?: (() => readonly ListedView[]) | undefined
  /** Deletes rows on request. If absent, the engine cannot do so. */
  deleting?: Deleting | undefined
  /** Tests rules. If absent, rules cannot be tested. */
  testRule?: TestRule | undefined
  /** When records were last accepted. If absent, empty answers are cached like any other. */
  arrivals?: Arrivals
  /** Stores the records of requests. If absent, there are no paths that accept records. */
  intake?: RecordIntake
  /** Converts OTLP bodies for the intake. If absent, there is no OTLP path. */
  translate?: Translate
  /** The project of requests and records that name none. If absent, there is no such project. */
  defaultProject?: string | undefined
  /** If absent: {@link OWN_DIALECT}. */
  dialect?: Dialect
}

/** The HTTP side of the service, independent of sockets. */
export interface App {
  /** Answers a request. Never throws. `env` is the connection of the request. Tests have no connection. */
  fetch(request: Request, env?: Partial<HttpBindings>): Answer
  /** Returns the error response for bytes that are no valid HTTP request. */
  refuse(error: unknown): Response
  /**
   * Ends all live tails and subscriptions, since neither ends by itself. Requests that are not answered `answerMs`
   * later get 503, so that the clients have an answer before the connections are closed. Requests that have not arrived
   * yet get 503 `bodyMs` later, since a client that still sends needs time to read.
   */
  beginStop(answerMs: number, bodyMs?: number): void
  /** Replaces the endpoints that are served and listed. */
  replaceEndpoints(endpoints: readonly Endpoint[]): void
  /**
   * To be called when rows were deleted, once they are hidden from all reads that start later. Deletes all cached
   * answers, and ends what may still send the rows: answers that are being sent, tails and subscriptions.
   */
  forgetRows(rows: DeletedRows): void
  /** To be called when rows of any project were hidden. Deletes all cached answers. */
  forgetAnswers(): void
  /** Stops cache warming, and runs without a waiting caller. */
  close(): void
}

/** Builds the HTTP side. A request passes through the chain of middleware below, down to the routes. */
export function createApp(options: AppOptions): App {
  const { status, intake, metrics, clock, log, defaultProject, dialect = OWN_DIALECT } = options
  const { errorForm } = dialect
  const authenticate = createAuth(options.accessOf)
  const searchWithKey = ({ request, path }: Exchange) =>
    dialect.acceptsKeyInUrl && isLogsPath(path) ? searchOf(request.url) : undefined
  const grantedTo: GrantedTo = (exchange) => authenticate(exchange.request.headers, searchWithKey(exchange))
  const wrongTokens = createWrongTokens(metrics, clock)
  const delay = delayWrongTokens(wrongTokens, searchWithKey)
  const services = createServices(options, errorForm)
  const { queries, subscriptions, tails } = services
  const documents = createDocuments({ ...options, dialect })
  const routes = [
    ...pageRoutes(),
    ...serviceRoutes(status, metrics, documents),
    ...sessionRoutes(defaultProject),
    ...listRoutes(dialect.lists),
    ...alertingRoutes(options.alerting),
    ...viewRoutes(options.listViews),
    ...routesOf(services, authenticate),
  ]
  const refuse: Refuse = (error, { request, path, posted }, headers) => {
    if (path === OTLP_PATH) return otlpErrorReply(request.headers, error, log, headers)
    const search = request.method === 'POST' ? posted : searchOf(request.url)
    return errorReply(error, log, headers, queries.isClientSql(path, search) ? 'nested' : errorForm)
  }

  const pending = createPendingAnswers()
  const answer = chain(
    countResponses(metrics),
    dropBodyOfHead,
    catchErrors(refuse),
    refuseBrokenBody,
    trackPending(pending),
    refuseWhileStarting(status, grantedTo, intake),
    answerPreflight,
    requireAccess(routes, grantedTo, delay, refuse),
    dispatch(routes, refuse),
  )

  return {
    fetch: (request, env) => answer(exchangeOf(request, env)),
    refuse: (error) => count(metrics, errorReply(error, log, undefined, errorForm)),
    beginStop(answerMs, bodyMs = answerMs) {
      tails?.close()
      subscriptions.close()
      wrongTokens.endDelays()
      callAfter(clock, bodyMs, pending.refuseReceiving)
      callAfter(clock, answerMs, pending.refuseAll)
    },
    replaceEndpoints(endpoints) {
      queries.replace(endpoints)
      documents.replace(endpoints)
    },
    forgetRows: services.forgetRows,
    forgetAnswers: queries.forgetAnswers,
    close: queries.close,
  }
}

/** Creates the handlers of queries, tails and records, with limits that scale with the memory limit. */
function createServices(given: AppOptions, errorForm: Dialect['errorForm']) {
  const currentRows = createCurrentRows(given.engine)
  const options = { ...given, engine: { ...given.engine, run: currentRows.run }, currentRows }
  const { clock, log, metrics, intake, translate, defaultProject } = options
  const { memoryLimitBytes = Number.POSITIVE_INFINITY } = options
  const { memory = createMemoryBudget(budgetLimits(memoryLimitBytes), clock) } = options
  Object.assign(metrics.queryBytes, { collect: () => metrics.queryBytes.set(memory.usedBytes()) })
  const limits = { ...httpLimits(memoryLimitBytes), ...options.limits }
  const concurrency = createConcurrencyLimits(limits, clock, metrics.queriesRunning)
  const following = { ...subscriptionLimits(memoryLimitBytes), ...options.limits }
  const subscriptions = createSubscriptions({ ...options, memory, concurrency, errorForm, limits: following })
  const queries = createQueries({ ...options, memory, concurrency, limits, following: subscriptions })
  const ruleTests = createRuleTests({ ...options, testRule: options.testRule, memory })
  const deletions = createDeletionRequests({ ...options, deleting: options.deleting, memory })
  const { follow } = options.engine
  const tails =
    follow &&
    createTails({ ...options, follow, errorForm, limits: { ...tailLimits(memoryLimitBytes), ...options.limits } })
  const bodies = { ...LOGS_LIMITS, bodiesBytes: bodiesBytes(memoryLimitBytes), ...options.limits }
  const logs = intake && createLogs(intake, { clock, log, errorForm, defaultProject, limits: bodies })
  const otlp = logs && translate && createOtlpLogs(logs, translate)
  const posted = { ...postedLimits(memoryLimitBytes), ...options.limits }
  const readPosted = createPostedParameters(posted, clock)

  function forgetRows(rows: DeletedRows): void {
    currentRows.noteDeleted(rows)
    queries.forgetAnswers()
    subscriptions.forgetRows(rows)
    tails?.forgetRows(rows)
  }

  return { queries, subscriptions, ruleTests, deletions, readPosted, tails, logs, otlp, forgetRows }
}

/** Returns the routes of {@link createServices}. */
function routesOf(services: ReturnType<typeof createServices>, authenticate: Authenticate): Route[] {
  const { queries, ruleTests, deletions, readPosted, tails, logs, otlp } = services
  return [
    ...queryRoutes(queries, readPosted, authenticate),
    ...ruleTestRoutes(ruleTests, readPosted),
    ...deletionRoutes(deletions, readPosted),
    ...tailRoutes(tails, authenticate),
    ...logsRoutes(logs, otlp),
  ]
}

/** Creates the exchange with all fields, so that all exchanges have one shape for the JIT compiler. */
function exchangeOf(request: Request, env?: Partial<HttpBindings>): Exchange {
  const path = requestPath(request)
  return { request, path, incoming: env?.incoming, outgoing: env?.outgoing, access: undefined, posted: undefined }
}

type Handler = (exchange: Exchange) => Answer

/** A link of the chain: returns a new response, or the response of `next`. */
type Middleware = (exchange: Exchange, next: Handler) => Answer

/**
 * Composes middleware, the first outermost, around the handler that comes last. Hono's own middleware always answers in
 * a later microtask. Here a response that is ready is returned at once: that is faster, and the client still gets the
 * response if the body of the request turns out to be malformed.
 */
function chain(...links: readonly [...Middleware[], Handler]): Handler {
  const middleware = links.slice(0, -1) as Middleware[]
  const handler = links.at(-1) as Handler
  return middleware.reduceRight<Handler>((next, one) => (exchange) => one(exchange, next), handler)
}

/** Applies `change` to a response when the response is ready. */
const whenReady = (answer: Answer, change: (response: Response) => Response) =>
  answer instanceof Promise ? answer.then(change) : change(answer)

/** Returns the error response in the format of the request. `headers` override the headers of the error. */
type Refuse = (error: unknown, exchange: Exchange, headers?: HeaderFields) => Response

function count({ requests }: Metrics, response: Response): Response {
  requests.inc({ status: String(response.status) })
  return response
}

function countResponses(metrics: Metrics): Middleware {
  const counted = (response: Response) => count(metrics, response)
  return (exchange, next) => whenReady(next(exchange), counted)
}

const withoutBody = ({ status, headers }: Response) => new Response(null, { status, headers })

const dropBodyOfHead: Middleware = (exchange, next) => {
  const answer = next(exchange)
  return exchange.request.method === 'HEAD' ? whenReady(answer, withoutBody) : answer
}

function catchErrors(refuse: Refuse): Middleware {
  return (exchange, next) => {
    try {
      const answer = next(exchange)
      return answer instanceof Promise ? answer.catch((error) => refuse(error, exchange)) : answer
    } catch (error) {
      return refuse(error, exchange)
    }
  }
}

/** Throws or rejects with the error of a body whose chunks are malformed, unless the answer is ready before. */
const refuseBrokenBody: Middleware = (exchange, next) => {
  const { incoming } = exchange
  if (incoming === undefined || !mayBreak(incoming)) return next(exchange)
  const error = brokenBodyOf(incoming)
  if (error !== undefined) throw error
  const answer = next(exchange)
  return answer instanceof Promise ? unlessBroken(incoming, answer) : answer
}

/** Rejects with `stopping` if an answer is not ready in time at a stop. */
function trackPending({ track }: PendingAnswers): Middleware {
  return (exchange, next) => {
    const answer = next(exchange)
    if (!(answer instanceof Promise)) return answer
    const { incoming } = exchange
    return track(answer, incoming && (() => !incoming.complete))
  }
}

/** Returns the access of a request's token, or undefined if the request has no valid token. */
type GrantedTo = (exchange: Exchange) => Access | undefined

/**
 * Throws `starting` until all rows are recovered. A client that sends records will retry, so the intake gets ready.
 */
function refuseWhileStarting(status: () => Status, grantedTo: GrantedTo, intake?: RecordIntake): Middleware {
  return (exchange, next) => {
    if (status() !== 'starting') return next(exchange)
    if (isLogsPath(exchange.path) && grantedTo(exchange)?.scopes.has('ingest')) intake?.prepare()
    throw refusals.starting()
  }
}

/** Answers OPTIONS on any path, known or unknown, without a token: browsers send no token with a preflight. */
const answerPreflight: Middleware = (exchange, next) => {
  const { request, path } = exchange
  if (request.method !== 'OPTIONS') return next(exchange)
  return preflight(request.headers, methodsOf(path))
}

/**
 * Counts a request without a valid token. Returns a promise if the answer has to wait. Throws `too_many_requests`. A
 * path for any token does not count a request without a token.
 */
type DelayRefusal = (exchange: Exchange, isForAnyToken: boolean) => Promise<void> | undefined

function delayWrongTokens(
  { noteWrong, noteMissing }: WrongTokens,
  searchOfExchange: (exchange: Exchange) => string | undefined,
): DelayRefusal {
  return (exchange, isForAnyToken) => {
    const { request, incoming } = exchange
    if (hasToken(request.headers, searchOfExchange(exchange)))
      return noteWrong(incoming?.socket.remoteAddress, () => request.signal)
    if (!isForAnyToken) noteMissing()
    return undefined
  }
}

/**
 * Lets a request pass if the path is public, or if the token is known, within the rate limit, and permits the path. A
 * path for any token lets requests without a known token pass too.
 */
function requireAccess(
  routes: readonly Route[],
  grantedTo: GrantedTo,
  delay: DelayRefusal,
  refuse: Refuse,
): Middleware {
  const pathsOf = (isOne: (route: Route) => boolean | undefined) =>
    new Set(routes.filter(isOne).map(({ path }) => path))
  const publicPaths = pathsOf(({ isPublic }) => isPublic)
  const anyTokenPaths = pathsOf(({ isForAnyToken }) => isForAnyToken)
  return (exchange, next) => {
    const { path } = exchange
    if (publicPaths.has(path)) return next(exchange)
    const access = grantedTo(exchange)
    const isForAnyToken = anyTokenPaths.has(path)
    if (access === undefined) {
      const answer = () => (isForAnyToken ? next(exchange) : unauthorized())
      const waiting = delay(exchange, isForAnyToken)
      return waiting === undefined ? answer() : waiting.then(answer)
    }
    const scope = isForAnyToken ? undefined : scopeOf(path)
    const refused = refuseAccess(access, path, scope, (error, headers) => refuse(error, exchange, headers))
    if (refused !== undefined) return refused
    exchange.access = access
    return next(exchange)
  }
}

function unauthorized(): never {
  throw refusals.unauthorized()
}

/** Returns the scope that a path needs. */
function scopeOf(path: string): Scope {
  if (isLogsPath(path)) return 'ingest'
  return path === DELETIONS_PATH || path.startsWith(`${DELETIONS_PATH}/`) ? 'delete' : 'query'
}

const isLogsPath = (path: string) => LOGS_PATHS.includes(path)

/** Calls the route of a path. Answers 405 with `Allow` if the path has other methods, 404 if there is no route. */
function dispatch(routes: readonly Route[], refuse: Refuse): Handler {
  const router = new Hono<Env>({ getPath: (_, options) => (options?.env as Exchange).path })
  for (const { path, answer } of routes) {
    const methods = methodsOf(path)
    const accepted = new Set(methods.split(', '))
    router.all(path, (context) => {
      if (accepted.has(context.req.method)) return answer(context)
      return refuse(refusals.methodNotAllowed(methods), context.env, { Allow: methods })
    })
  }
  router.notFound(() => {
    throw refusals.notFound()
  })
  router.onError((error) => {
    throw error
  })
  return (exchange) => router.fetch(exchange.request, exchange)
}
