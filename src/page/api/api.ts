/** Client of the service's HTTP API. */
import { codeOf, messageOf } from '../../common/error-body.js'
import { type Cost, costOf } from './cost.js'
import { requestTo } from './long-query.js'

/**
 * Kinds of failure, by the remedy: sign in (`unauthorized`), use another token (`forbidden`), wait (`away`, `busy`),
 * use another service (`absent`: this one has nothing at the path), or change the request (`refused`).
 */
export type FailureKind = 'unauthorized' | 'forbidden' | 'away' | 'busy' | 'absent' | 'refused'

/** Error of a request, with a message for the user. */
export class Failure extends Error {
  readonly kind: FailureKind
  /** Seconds until a retry may succeed, or undefined if a retry cannot help. */
  readonly retryS: number | undefined
  /** The service's code of the error, or undefined if the service sent no code. */
  readonly code: string | undefined
  constructor(kind: FailureKind, message: string, retryS?: number, code?: string) {
    super(message)
    this.kind = kind
    this.retryS = retryS
    this.code = code
  }
}

const AWAY_RETRY_S = 5

/** A row of an answer, by column name. A number that a double cannot represent is kept as raw JSON. */
export type Row = Readonly<Record<string, unknown>>

/** Rows of an endpoint's answer, in order, their age, and the service's work. */
export interface Answer {
  rows: readonly Row[]
  /** Age of the answer in the service's cache, in seconds. */
  ageS: number
  cost: Cost
  /** The answer as sent by the service. */
  text: string
}

/** Only in this tab's memory. Requests are also sent without a token: a proxy may add a token to a request. */
let token: string | undefined

let session = new AbortController()

/** Sets the token that requests are sent with. Undefined: no token. */
export function signInWith(given: string | undefined): void {
  token = given
  session.abort()
  session = new AbortController()
}

/** Returns a signal that is aborted when the token changes, as at sign-out. */
export const sessionSignal = (): AbortSignal => session.signal

/**
 * Sends a GET request to a path relative to the page, or a POST if the query is too long for a URL. Returns a response
 * with status 2xx. Throws a Failure otherwise, or the error of `fetch` if `signal` was aborted.
 */
export function get(path: string, headers: Record<string, string>, signal?: AbortSignal): Promise<Response> {
  const { path: sentTo, init, headers: ofBody } = requestTo(path)
  return send(sentTo, { ...init, headers: { ...headers, ...ofBody }, signal })
}

/** Sends a value as JSON to a path relative to the page. Returns and throws as {@link get}. */
export const postJson = (path: string, value: unknown, signal: AbortSignal): Promise<Response> =>
  send(path, { method: 'POST', body: JSON.stringify(value), headers: { 'Content-Type': 'application/json' }, signal })

/** The options of a request, with headers as an object. */
interface Sent extends RequestInit {
  headers: Record<string, string>
  signal: AbortSignal | undefined
}

async function send(path: string, { headers, signal, ...init }: Sent): Promise<Response> {
  const credentials: Record<string, string> = token === undefined ? {} : { 'X-API-KEY': token }
  const all = { ...credentials, ...headers }
  const response = await fetch(path, { ...init, headers: all, signal, cache: 'no-store' }).catch((error) => {
    if (signal?.aborted) throw error
    throw new Failure('away', 'The service cannot be reached.', AWAY_RETRY_S)
  })
  if (response.ok) return response
  throw await failureOf(response)
}

async function failureOf(response: Response): Promise<Failure> {
  const body = await response.json().catch(() => undefined)
  const message = messageOf(body) ?? `The service answered ${response.status}.`
  const retryAfter = response.headers.get('Retry-After')
  if (response.status === 401) return new Failure('unauthorized', message)
  if (response.status === 403) return new Failure('forbidden', message)
  // A proxy in front of the service sends 502 or 504 if the service is down.
  if ([502, 504].includes(response.status)) return new Failure('away', 'The service cannot be reached.', AWAY_RETRY_S)
  if (retryAfter !== null) return new Failure('busy', message, Number(retryAfter) || AWAY_RETRY_S)
  return new Failure([404, 501].includes(response.status) ? 'absent' : 'refused', message, undefined, codeOf(body))
}

interface QueryOptions {
  /** Bypasses the cache. */
  fresh?: boolean
  signal?: AbortSignal
}

/** Queries an endpoint and returns its rows. Throws a Failure. */
export async function queryRows(
  endpoint: string,
  params: Record<string, string>,
  { fresh = false, signal }: QueryOptions,
): Promise<Answer> {
  const headers: Record<string, string> = fresh ? { 'Cache-Control': 'no-cache' } : {}
  const response = await get(`api/endpoints/query/${endpoint}?${new URLSearchParams(params)}`, headers, signal)
  const text = await readText(response)
  const { result } = parseExact(text) as { result: Row[] }
  const cost = costOf(response.headers.get('Server-Timing') ?? '')
  return { rows: result, ageS: Number(response.headers.get('Age') ?? 0), cost, text }
}

/** Returns the text of a response. Throws a Failure if the connection broke. */
export async function readText(response: Response): Promise<string> {
  try {
    return await response.text()
  } catch (error) {
    if (error instanceof TypeError) throw new Failure('away', 'The connection broke during the answer.', AWAY_RETRY_S)
    throw error
  }
}

/** The third argument of a reviver, in engines that pass it: the text of the number. */
interface ReviverContext {
  source?: string
}
const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown }

/**
 * Parses JSON. If the engine supports it, a number that a double would change is kept as raw JSON, so that
 * `JSON.stringify` writes the original digits.
 */
export function parseExact(text: string): unknown {
  if (rawJSON === undefined) return JSON.parse(text)
  const revive = (_key: string, value: unknown, context?: ReviverContext) =>
    typeof value === 'number' && context?.source !== undefined && String(value) !== context.source
      ? rawJSON(context.source)
      : value
  return JSON.parse(text, revive as (key: string, value: unknown) => unknown)
}

/** Returns a number of an answer, raw JSON included. Returns null if the value is null or absent. */
export function numberOf(value: unknown): number | null {
  if (value === null || value === undefined) return null
  return typeof value === 'number' ? value : Number(JSON.stringify(value))
}

const { isRawJSON = () => false } = JSON as { isRawJSON?: (value: unknown) => boolean }

/** Returns whether a value of an answer is a number, raw JSON included. */
export const isNumber = (value: unknown): boolean => typeof value === 'number' || isRawJSON(value)
