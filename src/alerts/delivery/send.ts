import type { Agent as AgentOfUndici, Dispatcher } from 'undici'
import { KIB } from '../../base/units.js'

/** How a try ended, as a fixed word: messages of the system may quote an address. */
export type SendWord =
  /** The receiver answered with 2xx. */
  | 'delivered'
  /** The receiver answered with another status. */
  | 'status'
  /** The connection was refused. */
  | 'refused'
  /** There was no answer in time. */
  | 'timeout'
  /** There was no secure connection. */
  | 'tls'
  /** There was no connection, or the connection ended before the answer. */
  | 'unreachable'

/** The result of a try. */
export interface SendResult {
  word: SendWord
  /** The status of the answer, if any. */
  status?: number
  /** The value of Retry-After, if any. */
  retryAfter?: string
}

/** A request to a receiver. */
interface OutgoingRequest {
  url: string
  headers: Readonly<Record<string, string>>
  body: string
}

/** Sends requests. */
export interface Sender {
  /** Sends a request once, without following redirects and without a proxy. Never rejects. */
  send(request: OutgoingRequest): Promise<SendResult>
  /** Ends all connections. Running requests end as `unreachable`. */
  close(): Promise<void>
}

/** The time of a try: connection, request and answer. */
export const SEND_TIMEOUT_MS = 10_000
/** The most bytes of an answer that are read. */
export const MAX_ANSWER_BYTES = 64 * KIB

/** The two modules of undici: the whole package would replace the dispatcher of the global `fetch` when loaded. */
async function loadUndici() {
  const [agent, request] = await Promise.all([
    import('undici/lib/dispatcher/agent.js'),
    import('undici/lib/api/api-request.js'),
  ])
  return { Agent: agent.default, request: request.default }
}

/** Returns a sender of its own connections. The library is loaded by the first request. */
export function createSender(timeoutMs = SEND_TIMEOUT_MS): Sender {
  let loaded: ReturnType<typeof loadUndici> | undefined
  let agent: AgentOfUndici | undefined

  async function send({ url, headers, body }: OutgoingRequest): Promise<SendResult> {
    loaded ??= loadUndici()
    const { Agent, request } = await loaded
    // A connection for each request: receivers may close a connection at any time.
    agent ??= new Agent({ connect: { timeout: timeoutMs }, pipelining: 0, maxResponseSize: MAX_ANSWER_BYTES })
    const signal = AbortSignal.timeout(timeoutMs)
    const options = { method: 'POST', headers, body, signal, headersTimeout: timeoutMs, bodyTimeout: timeoutMs }
    const { origin, pathname, search } = new URL(url)
    try {
      const answer = await request.call(agent, {
        ...options,
        origin,
        path: pathname + search,
      } as Dispatcher.RequestOptions)
      // The status decides: an answer that is longer, or ends early, is an answer.
      await answer.body.dump({ limit: MAX_ANSWER_BYTES, signal }).catch(() => {})
      const { statusCode: status } = answer
      const retryAfter = answer.headers['retry-after']
      const word = status >= 200 && status < 300 ? 'delivered' : 'status'
      return { word, status, ...(typeof retryAfter === 'string' && { retryAfter }) }
    } catch (error) {
      return { word: signal.aborted ? 'timeout' : wordOf(error) }
    }
  }

  return { send, close: async () => agent?.destroy() }
}

const TIMEOUTS = /^(ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/
/** Codes of OpenSSL and of Node's checks of certificates. */
const TLS =
  /^(ERR_(TLS|SSL|OSSL)|EPROTO$|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|INVALID_(CA|PURPOSE)|HOSTNAME_MISMATCH)/

function wordOf(error: unknown): SendWord {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown }
  if (name === 'TimeoutError' || TIMEOUTS.test(String(code))) return 'timeout'
  if (code === 'ECONNREFUSED') return 'refused'
  return TLS.test(String(code)) ? 'tls' : 'unreachable'
}
