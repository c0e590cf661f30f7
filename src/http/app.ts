import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import type { Endpoint } from '../endpoints/endpoint.js'
import { createAuth } from './access/auth.js'
import { createWrongTokens } from './access/wrong-tokens.js'
import { createHandlers, handlerRoutes } from './handlers.js'
import { OTLP_PATH, otlpErrorReply } from './intake/otlp.js'
import { isLogsPath, requestPath } from './intake/paths.js'
import {
  answerPreflight,
  catchErrors,
  chain,
  count,
  countResponses,
  delayWrongTokens,
  dropBodyOfHead,
  type GrantedTo,
  type Handler,
  type Refuse,
  refuseBrokenBody,
  refuseWhileStarting,
  requireAccess,
  trackPending,
} from './middleware.js'
import type { AppOptions } from './options.js'
import type { DeletedRows } from './query/current-rows.js'
import { searchOf } from './query/search.js'
import { callAfter } from './query/waiting.js'
import { OWN_DIALECT } from './reply/dialect.js'
import { errorReply, refusals } from './reply/errors.js'
import { createPendingAnswers } from './reply/pending-answers.js'
import {
  type Answer,
  alertingRoutes,
  createDocuments,
  type Env,
  type Exchange,
  listRoutes,
  methodsOf,
  pageRoutes,
  type Route,
  serviceRoutes,
  sessionRoutes,
  viewRoutes,
} from './routes.js'

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
   * answers, and ends replies that may still send the rows: answers that are being sent, tails and subscriptions.
   */
  forgetRows(rows: DeletedRows): void
  /** To be called when rows of any project were hidden. Deletes all cached answers. */
  forgetAnswers(): void
  /** Stops cache warming, and runs without a waiting caller. */
  close(): void
}

/** Builds the HTTP side. A request passes through the chain of middleware, down to the routes. */
export function createApp(options: AppOptions): App {
  const { status, intake, metrics, clock, log, defaultProject, dialect = OWN_DIALECT } = options
  const { errorForm } = dialect
  const authenticate = createAuth(options.accessOf)
  const searchWithKey = ({ request, path }: Exchange) =>
    dialect.acceptsKeyInUrl && isLogsPath(path) ? searchOf(request.url) : undefined
  const grantedTo: GrantedTo = (exchange) => authenticate(exchange.request.headers, searchWithKey(exchange))
  const wrongTokens = createWrongTokens(metrics, clock)
  const delay = delayWrongTokens(wrongTokens, searchWithKey)
  const handlers = createHandlers(options, errorForm)
  const { queries, subscriptions, tails } = handlers
  const documents = createDocuments({ ...options, dialect })
  const routes = [
    ...pageRoutes(),
    ...serviceRoutes(status, metrics, documents),
    ...sessionRoutes(defaultProject),
    ...listRoutes(dialect.lists),
    ...alertingRoutes(options.alerting),
    ...viewRoutes(options.listViews),
    ...handlerRoutes(handlers, authenticate),
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
    forgetRows: handlers.forgetRows,
    forgetAnswers: queries.forgetAnswers,
    close: queries.close,
  }
}

/** Creates the exchange with all fields, so that all exchanges have one shape for the JIT compiler. */
function exchangeOf(request: Request, env?: Partial<HttpBindings>): Exchange {
  const path = requestPath(request)
  return { request, path, incoming: env?.incoming, outgoing: env?.outgoing, access: undefined, posted: undefined }
}

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
