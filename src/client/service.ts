import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import type { Socket } from 'node:net'
import { LogweirError } from '../base/errors.js'
import { KIB } from '../base/units.js'
import { MAX_URL_CHARACTERS } from '../common/limits.js'
import { readWarnings } from '../common/warnings.js'
import { describeError, readErrorBody } from './error-body.js'
import { configuredToken, localToken, type ServiceToken } from './service-token.js'
import { viewWarnings } from './view-warnings.js'

/** A client of a running service. */
export interface Service {
  /** The address, for messages. */
  url: string
  /**
   * Sends a GET request. Resolves with the answer if the status is 200 or 202. Rejects with a {@link ServiceError}, or
   * with the signal's reason. `path` is relative to the address, without a leading slash.
   */
  get(path: string, headers: Record<string, string>, signal?: AbortSignal): Promise<Answer>
  /**
   * Sends the request of an endpoint: by GET, or by POST with the parameters in the body if the URL would be longer
   * than proxies accept.
   */
  query(
    path: string,
    parameters: URLSearchParams,
    headers: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<Answer>
  /** Sends a POST request with parameters in the body. */
  post(path: string, parameters: URLSearchParams, headers: Record<string, string>): Promise<Answer>
}

/** A successful answer of the service. */
export interface Answer {
  /** The media type without parameters. Empty if there is none. */
  type: string
  /** Warnings about the query, and notes about the views that were read. */
  warnings: readonly string[]
  /** Throws a {@link ServiceError} if the connection is lost. */
  body: AsyncIterable<Uint8Array>
}

/** The details of a {@link ServiceError}. */
interface ServiceErrorDetails {
  status?: number
  retryAfterMs?: number
  reason?: string
  reasonCode?: string
}

/** The service cannot be reached, answers with an error, or sends an unreadable answer. */
export class ServiceError extends LogweirError<'service'> {
  /** The HTTP status. Undefined if there was no answer. */
  readonly status: number | undefined
  /** How long the service asks clients to wait before a retry. */
  readonly retryAfterMs: number
  /** The message in the service's answer. Undefined if there was none. */
  readonly reason: string | undefined
  /** The code in the service's answer. Undefined if there was none. */
  readonly reasonCode: string | undefined
  constructor(message: string, { status, retryAfterMs = 0, reason, reasonCode }: ServiceErrorDetails = {}) {
    super('service', message)
    this.status = status
    this.retryAfterMs = retryAfterMs
    this.reason = reason
    this.reasonCode = reasonCode
  }
}

/** The address of a service and the token for the service. */
export interface ServiceAddress {
  url: string
  /** Undefined: the token that a service on this machine has stored in `dataDir`. */
  token: string | undefined
  /** The variable, or the place in a file of settings, that the token was read from. */
  tokenFrom?: string | undefined
  dataDir: string
}

/** The longest time to the first bytes of an answer. The service limits queries to 30 s. */
const ANSWER_MS = 60_000
/** How many bytes of an error are read. */
const MAX_ERROR_BYTES = 64 * KIB

/**
 * Returns a client. Sends nothing yet. Throws `usage` if the token is invalid, or is missing for a service on another
 * machine. Throws `failed` if no token is stored on this machine yet.
 */
export function connectService({ url, token, tokenFrom, dataDir }: ServiceAddress): Service {
  const sent = token === undefined ? localToken(url, dataDir) : configuredToken(token, tokenFrom)
  const base = url.endsWith('/') ? url : `${url}/`

  async function send(path: string, { headers, signal, form }: Sending): Promise<Answer> {
    const slow = new AbortController()
    const timer = setTimeout(() => slow.abort(), ANSWER_MS)
    const either = signal === undefined ? slow.signal : AbortSignal.any([signal, slow.signal])
    try {
      const own = { ...headers, 'X-API-KEY': sent.token }
      const incoming =
        form === undefined
          ? await sendRequest(base + path, { headers: own, signal: either })
          : await sendRequest(base + path, { method: 'POST', headers: { ...own, ...FORM }, signal: either }, form)
      if (!SUCCESSES.has(incoming.statusCode)) throw await refusal(incoming, url, sent)
      return { type: typeOf(incoming), warnings: warningsOf(incoming), body: bodyOf(incoming) }
    } catch (error) {
      if (signal?.aborted || error instanceof ServiceError) throw error
      if (slow.signal.aborted) throw new ServiceError(`${url} does not answer within ${ANSWER_MS / 1000} s.`)
      throw new ServiceError(
        `cannot reach a service at ${url}: ${errorReason(error)}. ` +
          'Start one with logweir serve, or name its address with --url.',
      )
    } finally {
      clearTimeout(timer)
    }
  }
  return {
    url,
    get: (path, headers, signal) => send(path, { headers, signal }),
    post: (path, parameters, headers) => send(path, { headers, form: String(parameters) }),
    query(path, parameters, headers, signal) {
      const form = String(parameters)
      if (form.length > MAX_URL_CHARACTERS) return send(path, { headers, signal, form })
      return send(`${path}?${form}`, { headers, signal })
    },
  }
}

/** The parts of a request besides its path. With `form`, the request is a POST. */
interface Sending {
  headers: Record<string, string>
  signal?: AbortSignal | undefined
  form?: string
}

/** The statuses of answers that are no errors: done, and accepted. */
const SUCCESSES: ReadonlySet<number | undefined> = new Set([200, 202])

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }

/**
 * Sends a request. Resolves when the headers of the answer have arrived. Uses `node:http` because `fetch` loads slowly
 * and would follow redirections with the token.
 */
export async function sendRequest(url: string, options: RequestOptions, body?: string): Promise<IncomingMessage> {
  const { request } = url.startsWith('https:') ? await import('node:https') : await import('node:http')
  return new Promise((resolve, reject) => {
    const outgoing: ClientRequest = request(url, options, resolve)
    outgoing.on('socket', handleErrors)
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

/**
 * Lets a socket fail while no request uses the socket, as when a signal is aborted after a complete answer: Node
 * destroys the socket with the signal's reason even then, and an error without a listener ends the process.
 */
function handleErrors(socket: Socket): void {
  if (!socket.listeners('error').includes(ignore)) socket.on('error', ignore)
}

const ignore = () => {}

function warningsOf({ headers }: IncomingMessage): string[] {
  const [warnings, view] = [headers['logweir-warnings'], headers['logweir-view']] as (string | undefined)[]
  return [...readWarnings(warnings), ...viewWarnings(view)]
}

const typeOf = ({ headers }: IncomingMessage) => (headers['content-type'] ?? '').split(';')[0].trim().toLowerCase()

/** Returns the cause of a failed connection: the system's error code, or the message. */
export const errorReason = (error: unknown) => (error as NodeJS.ErrnoException).code ?? (error as Error).message

async function refusal(
  incoming: IncomingMessage,
  url: string,
  { origin, remedy }: ServiceToken,
): Promise<ServiceError> {
  const { statusCode: status, headers } = incoming
  const retryAfterMs = Number(headers['retry-after'] ?? 0) * 1000 || 0
  const body = readErrorBody(await textUpTo(bodyOf(incoming), MAX_ERROR_BYTES).catch(() => ''))
  if (body === undefined) {
    return new ServiceError(`${url} answers with status ${status}. Is a logweir service there?`, { status })
  }
  if (status === 401)
    return new ServiceError(`${url} does not know the token ${origin} (unauthorized). ${remedy}`, { status })
  return new ServiceError(`${url}: ${describeError(body)}`, {
    status,
    retryAfterMs,
    reason: body.message,
    reasonCode: body.code,
  })
}

/**
 * Reads a body as text. Rejects with a {@link ServiceError} if the connection is lost or the body is over `maxBytes`
 * long.
 */
export async function textUpTo(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder()
  let [text, bytes] = ['', 0]
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new ServiceError(`the answer is over ${maxBytes} bytes long.`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

async function* bodyOf(incoming: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of incoming) yield chunk
  } catch (error) {
    throw new ServiceError(`the answer broke off: ${errorReason(error)}.`)
  }
}
