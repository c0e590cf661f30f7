import { LogweirError } from '../../base/errors.js'
import type { Log } from '../../base/log.js'
import type { MemoryBudget } from '../../base/memory/memory-budget.js'
import type { Metrics } from '../../base/metrics.js'
import type { Clock } from '../../base/time/clock.js'
import { QUERY_PATH } from '../../common/query-path.js'
import type { BoundCall, Call, Endpoint } from '../../endpoints/endpoint.js'
import { PROJECTS, projectsCall, readProjectsArgs, tooManyProjects } from '../../endpoints/projects.js'
import { createNameChecks } from '../../endpoints/unknown-names.js'
import { refuseUnknown } from '../../endpoints/unknown-parameters.js'
import { readUsageArgs, USAGE, usageCall } from '../../endpoints/usage.js'
import type { Engine } from '../../engine/engine.js'
import type { Access } from '../../tokens/access.js'
import type { Connection } from '../reply/connection.js'
import { refusals, toPublicError } from '../reply/errors.js'
import type { Arrivals } from './arrivals.js'
import type { CacheJob } from './cache.js'
import { type Cached, createCached } from './cached.js'
import type { ConcurrencyLimits } from './concurrency.js'
import type { CurrentRows } from './current-rows.js'
import { createEndpointRegistry, type EndpointRegistry, type RegisteredEndpoint } from './endpoint-registry.js'
import type { HttpLimits } from './limits.js'
import { EVENT_STREAM, negotiate, negotiateQuery, type Representation } from './negotiation.js'
import { createObserver, type Observe, type Origin } from './observe.js'
import { isGiven, searchOf } from './search.js'
import { createUncached } from './uncached.js'
import { createUnreadReport } from './unread.js'

interface QueriesOptions {
  engine: Pick<Engine, 'run' | 'columnPaths'> & Partial<Pick<Engine, 'usage'>>
  endpoints: readonly Endpoint[]
  metrics: Metrics
  clock: Clock
  limits: HttpLimits
  log: Log
  memory: MemoryBudget
  arrivals?: Arrivals
  concurrency: ConcurrencyLimits
  following: Following
  currentRows: CurrentRows
  /** The project of requests that name none. */
  defaultProject?: string | undefined
}

/** A request of an endpoint. */
export interface QueryRequest {
  request: Request
  /** Returns the parameters as a query string. Called once, and only if there is such an endpoint. */
  search(): string | Promise<string>
  /** Closed if an answer fails after the first bytes were sent. */
  connection?: Connection | undefined
  /** If set, calls of other projects are refused. */
  projects?: ReadonlySet<string> | undefined
  /** Returns the access of the request's token. Called again while an answer is a stream of events. */
  access(): Access | undefined
}

/** Answers with streams of events. */
export interface Following {
  /**
   * Answers GET, HEAD or POST. Rejects with the errors of the query before the first event, with `overloaded` if too
   * many clients or queries are followed, and with `stopping`.
   */
  answer(endpoint: Endpoint, call: Call | BoundCall, asked: QueryRequest): Promise<Response>
  /** Ends the streams of an endpoint that is served no longer. */
  forget(endpoint: Endpoint): void
}

/** The stored queries, as called by requests. */
export interface Queries {
  /**
   * Answers GET, HEAD or POST of an endpoint, by name or id. Throws or rejects with a LogweirError: `not_found`,
   * `not_acceptable`, `forbidden_project`, and the errors of `search`, parameters, plan and engine.
   */
  answer(idOrName: string, asked: QueryRequest): Response | Promise<Response>
  /**
   * Answers GET or HEAD of the list of projects, or of the project that the request names. With `projects`, other
   * projects are refused. Throws or rejects with `duplicate_parameter`, `invalid_parameter`, `forbidden_project`,
   * `not_acceptable` and the errors of the engine.
   */
  answerProjects(request: Request, projects?: ReadonlySet<string>): Response | Promise<Response>
  /**
   * Answers GET or HEAD of the usage. With `projects`, only that of these projects. Throws or rejects with
   * `duplicate_parameter`, `invalid_parameter`, `invalid_timestamp`, `forbidden_project`, `not_acceptable`,
   * `too_many_groups` and the errors of the engine.
   */
  answerUsage(request: Request, projects?: ReadonlySet<string>, connection?: Connection): Promise<Response>
  /**
   * Whether the request for a path contains a query, as SQL. `search` are the request's parameters as a query string,
   * or undefined if the parameters were not read. If undefined, a POST of an endpoint that runs SQL counts as a request
   * that contains SQL.
   */
  isClientSql(path: string, search: string | undefined): boolean
  /** Replaces the endpoints. Running requests finish. The cached answers of removed endpoints are deleted. */
  replace(endpoints: readonly Endpoint[]): void
  /** Deletes all cached answers, after rows were deleted. */
  forgetAnswers(): void
  /** Stops warming, and runs without a waiting caller. */
  close(): void
}

const NO_CACHE = /(?:^|,)\s*no-cache\s*(?:$|[,=])/i

/** Creates the queries, and starts to warm the cache. */
export function createQueries(options: QueriesOptions): Queries {
  const { endpoints, metrics, clock, limits, log, concurrency, following } = options
  const registry = createEndpointRegistry(endpoints, options.defaultProject)
  const shared = { ...options, nameChecks: createNameChecks() }
  const cached = createCached({ ...shared, concurrency: concurrency.stored })
  const uncached = createUncached({ ...shared, concurrency, bufferedBytes: limits.bufferedBytes })
  const observe = createObserver(metrics, clock)
  const reportUnread = createUnreadReport(metrics, log)

  const observed = createObserved(observe)
  const answerCached = createCachedAnswers(cached, observe, observed)

  function answerFound(found: RegisteredEndpoint, search: string, asked: QueryRequest): Response | Promise<Response> {
    const startedMs = clock.monotonicMs()
    const { endpoint } = found
    const { request, connection, projects } = asked
    if (endpoint.refusesUnknown) refuseUnknown(new URLSearchParams(search), Object.keys(endpoint.params))
    reportUnread(endpoint, search)
    const call = found.callOf(search, projects)
    const representation = negotiateQuery(request.headers)
    if (representation === EVENT_STREAM)
      return observed(endpoint.name, 'bypass', startedMs, following.answer(endpoint, call, asked))
    if (endpoint.cache === 'disabled') {
      const onFailure = (error: unknown) => fail(error, connection, log)
      const reply = uncached(call, { request, representation, connection, onFailure })
      return observed(endpoint.name, 'bypass', startedMs, reply)
    }
    return answerCached({ endpoint, policy: endpoint.cache, call }, request, representation, startedMs)
  }

  return {
    answer(idOrName, asked) {
      const found = registry.find(idOrName)
      if (found === undefined) throw refusals.notFound()
      const search = asked.search()
      if (typeof search === 'string') return answerFound(found, search, asked)
      return search.then((read) => answerFound(found, read, asked))
    },
    answerProjects(request, projects) {
      const given = new URLSearchParams(searchOf(request.url))
      refuseUnknown(given, Object.keys(PROJECTS.params))
      const { project, ...args } = readProjectsArgs(given)
      if (project !== undefined && projects?.has(project) === false) throw refusals.forbiddenProject()
      const call = projectsCall({ ...args, projects: project === undefined ? projects : new Set([project]) })
      const job = { endpoint: PROJECTS, policy: PROJECTS.policy, call }
      const reply = answerCached(job, request, negotiate(request.headers), clock.monotonicMs())
      return reply instanceof Promise ? reply.catch(explainTooMany) : reply
    },
    answerUsage: createUsageAnswers(uncached, observed, clock, log),
    isClientSql: (path, search) => isClientSql(registry, path, search),
    replace(next) {
      for (const endpoint of registry.replace(next)) {
        cached.forget(endpoint)
        following.forget(endpoint)
      }
    },
    forgetAnswers: cached.clear,
    close: cached.close,
  }
}

function isClientSql({ find }: EndpointRegistry, path: string, search: string | undefined): boolean {
  const endpoint = path.startsWith(QUERY_PATH) ? find(path.slice(QUERY_PATH.length))?.endpoint : undefined
  return endpoint?.sandboxing === true && (search === undefined || isGiven(search, 'sql'))
}

function explainTooMany(error: unknown): never {
  throw error instanceof LogweirError && error.code === 'too_many_groups' ? tooManyProjects(error) : error
}

/** Observes an answer when the answer is ready. */
type Observed = (name: string, origin: Origin, startedMs: number, reply: Promise<Response>) => Promise<Response>

function createObserved(observe: Observe): Observed {
  return async (name, origin, startedMs, reply) => {
    try {
      const response = await reply
      observe(name, origin, startedMs)
      return response
    } catch (error) {
      observe(name, origin, startedMs, error)
      throw error
    }
  }
}

/** Returns a function that answers from the cache, or computes the answer and caches it. */
function createCachedAnswers(cached: Cached, observe: Observe, observed: Observed) {
  return (job: CacheJob, request: Request, representation: Representation, startedMs: number) => {
    const { name } = job.endpoint
    const fresh = NO_CACHE.test(request.headers.get('cache-control') ?? '')
    const hit = fresh ? undefined : cached.hit(job, request, representation)
    if (hit === undefined) return observed(name, 'miss', startedMs, cached.miss(job, request, representation, fresh))
    if (hit instanceof Promise) return observed(name, 'hit', startedMs, hit)
    observe(name, 'hit', startedMs)
    return hit
  }
}

/** Returns the function that answers requests for the usage. */
function createUsageAnswers(
  uncached: ReturnType<typeof createUncached>,
  observed: Observed,
  clock: Clock,
  log: Log,
): Queries['answerUsage'] {
  return async (request, projects, connection) => {
    const startedMs = clock.monotonicMs()
    const call = usageCallOf(request, projects)
    const onFailure = (error: unknown) => fail(error, connection, log)
    const reply = uncached(call, { request, representation: negotiate(request.headers), connection, onFailure })
    return observed(USAGE.name, 'bypass', startedMs, reply)
  }
}

function usageCallOf(request: Request, projects: ReadonlySet<string> | undefined): Call {
  const given = new URLSearchParams(searchOf(request.url))
  refuseUnknown(given, Object.keys(USAGE.params))
  const args = readUsageArgs(given)
  const { project } = args
  if (project !== undefined && projects?.has(project) === false) throw refusals.forbiddenProject()
  return usageCall(args, project === undefined ? projects : new Set([project]))
}

/** Logs an error after the first bytes of an answer, and closes the connection, or throws if there is no connection. */
function fail(error: unknown, connection: Connection | undefined, log: Log): void {
  const failure = toPublicError(error, log)
  if (connection === undefined) throw failure
  connection.breakOff()
}
