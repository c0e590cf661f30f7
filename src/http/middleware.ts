import type { Metrics } from '../base/metrics.js'
import { DELETIONS_PATH } from '../common/deletions.js'
import type { Access, Scope } from '../tokens/access.js'
import { hasToken } from './access/auth.js'
import { refuseAccess } from './access/permission.js'
import type { WrongTokens } from './access/wrong-tokens.js'
import type { RecordIntake } from './intake/logs.js'
import { isLogsPath } from './intake/paths.js'
import { brokenBodyOf, mayBreak, unlessBroken } from './reply/broken-body.js'
import { preflight } from './reply/cors.js'
import { refusals } from './reply/errors.js'
import type { PendingAnswers } from './reply/pending-answers.js'
import type { HeaderFields } from './reply/reply.js'
import { type Answer, type Exchange, methodsOf, type Route, type Status } from './routes.js'

/** Answers an exchange. */
export type Handler = (exchange: Exchange) => Answer

/** A link of the chain: returns a new response, or the response of `next`. */
type Middleware = (exchange: Exchange, next: Handler) => Answer

/**
 * Composes middleware, the first outermost, around the handler that comes last. Hono's own middleware always answers in
 * a later microtask. Here a response that is ready is returned at once: that is faster, and the client still gets the
 * response if the body of the request turns out to be malformed.
 */
export function chain(...links: readonly [...Middleware[], Handler]): Handler {
  const middleware = links.slice(0, -1) as Middleware[]
  const handler = links.at(-1) as Handler
  return middleware.reduceRight<Handler>((next, one) => (exchange) => one(exchange, next), handler)
}

/** Applies `change` to a response when the response is ready. */
const whenReady = (answer: Answer, change: (response: Response) => Response) =>
  answer instanceof Promise ? answer.then(change) : change(answer)

/** Returns the error response in the format of the request. `headers` override the headers of the error. */
export type Refuse = (error: unknown, exchange: Exchange, headers?: HeaderFields) => Response

/** Counts a response by its status, and returns the response. */
export function count({ requests }: Metrics, response: Response): Response {
  requests.inc({ status: String(response.status) })
  return response
}

/** Counts all responses by their status. */
export function countResponses(metrics: Metrics): Middleware {
  const counted = (response: Response) => count(metrics, response)
  return (exchange, next) => whenReady(next(exchange), counted)
}

const withoutBody = ({ status, headers }: Response) => new Response(null, { status, headers })

/** Removes the body of the response to a HEAD request. */
export const dropBodyOfHead: Middleware = (exchange, next) => {
  const answer = next(exchange)
  return exchange.request.method === 'HEAD' ? whenReady(answer, withoutBody) : answer
}

/** Answers the errors that the rest of the chain throws or rejects with. */
export function catchErrors(refuse: Refuse): Middleware {
  return (exchange, next) => {
    try {
      const answer = next(exchange)
      return answer instanceof Promise ? answer.catch((error) => refuse(error, exchange)) : answer
    } catch (error) {
      return refuse(error, exchange)
    }
  }
}

/** Throws or rejects with the error of a body with malformed chunks, unless the answer is ready before. */
export const refuseBrokenBody: Middleware = (exchange, next) => {
  const { incoming } = exchange
  if (incoming === undefined || !mayBreak(incoming)) return next(exchange)
  const error = brokenBodyOf(incoming)
  if (error !== undefined) throw error
  const answer = next(exchange)
  return answer instanceof Promise ? unlessBroken(incoming, answer) : answer
}

/** Rejects with `stopping` if an answer is not ready in time at a stop. */
export function trackPending({ track }: PendingAnswers): Middleware {
  return (exchange, next) => {
    const answer = next(exchange)
    if (!(answer instanceof Promise)) return answer
    const { incoming } = exchange
    return track(answer, incoming && (() => !incoming.complete))
  }
}

/** Returns the access of a request's token, or undefined if the request has no valid token. */
export type GrantedTo = (exchange: Exchange) => Access | undefined

/**
 * Throws `starting` until all rows are recovered. A client that sends records will retry, so the intake gets ready.
 */
export function refuseWhileStarting(status: () => Status, grantedTo: GrantedTo, intake?: RecordIntake): Middleware {
  return (exchange, next) => {
    if (status() !== 'starting') return next(exchange)
    if (isLogsPath(exchange.path) && grantedTo(exchange)?.scopes.has('ingest')) intake?.prepare()
    throw refusals.starting()
  }
}

/** Answers OPTIONS on any path, known or unknown, without a token: browsers send no token with a preflight. */
export const answerPreflight: Middleware = (exchange, next) => {
  const { request, path } = exchange
  if (request.method !== 'OPTIONS') return next(exchange)
  return preflight(request.headers, methodsOf(path))
}

/**
 * Counts a request without a valid token. Returns a promise if the answer has to wait. Throws `too_many_requests`. A
 * path for any token does not count a request without a token.
 */
type DelayRefusal = (exchange: Exchange, isForAnyToken: boolean) => Promise<void> | undefined

/** Returns a delay that is longer the more wrong tokens an address has sent. */
export function delayWrongTokens(
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
export function requireAccess(
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
