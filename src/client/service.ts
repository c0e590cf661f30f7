import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { LogweirError } from '../base/errors.js'
import { escapeControl } from '../base/escape-control.js'
import { KIB } from '../base/units.js'
import { configuredToken, localToken, type ServiceToken } from './service-token.js'

/** A running service, as the commands ask it. */
export interface Service {
  /** Where it is, for messages. */
  url: string
  /**
   * Asks; gives answers of 200 only. Rejects with a {@link ServiceError}, or as the signal does. `path` is below the
   * service's address, without a slash in front.
   */
  get(path: string, headers: Record<string, string>, signal?: AbortSignal): Promise<Answer>
}

export interface Answer {
  /** The media type, without parameters; empty where there is none. */
  type: string
  /** Rejects with a {@link ServiceError} where the answer breaks off. */
  body: AsyncIterable<Uint8Array>
}

/** The service cannot be reached, or answers with what is no answer. */
export class ServiceError extends LogweirError<'service'> {
  /** Undefined: there was no answer. */
  readonly status: number | undefined
  /** How long it asks to be left alone. */
  readonly retryAfterMs: number
  constructor(message: string, { status, retryAfterMs = 0 }: { status?: number; retryAfterMs?: number } = {}) {
    super('service', message)
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}

export interface ServiceAddress {
  url: string
  /** Undefined: the one that a service on this machine keeps in `dataDir`. */
  token: string | undefined
  /** The variable, or the place in a file of settings, that the token was read from. */
  tokenFrom?: string | undefined
  dataDir: string
}

/** An answer's first bytes take no longer: a query has 30 s. */
const ANSWER_MS = 60_000
/** Of an error more is not read. */
const MOST_ERROR_BYTES = 64 * KIB

/** Throws `usage` if the token is none, or is missing for another machine; `failed` if no token is kept here yet. */
export function connectService({ url, token, tokenFrom, dataDir }: ServiceAddress): Service {
  const sent = token === undefined ? localToken(url, dataDir) : configuredToken(token, tokenFrom)
  const base = url.endsWith('/') ? url : `${url}/`

  async function get(path: string, headers: Record<string, string>, signal?: AbortSignal): Promise<Answer> {
    const slow = new AbortController()
    const timer = setTimeout(() => slow.abort(), ANSWER_MS)
    const either = signal === undefined ? slow.signal : AbortSignal.any([signal, slow.signal])
    try {
      const incoming = await ask(base + path, { headers: { ...headers, 'X-API-KEY': sent.token }, signal: either })
      if (incoming.statusCode !== 200) throw await refusal(incoming, url, sent)
      return { type: typeOf(incoming), body: bodyOf(incoming) }
    } catch (error) {
      if (signal?.aborted || error instanceof ServiceError) throw error
      if (slow.signal.aborted) throw new ServiceError(`${url} does not answer within ${ANSWER_MS / 1000} s.`)
      throw new ServiceError(
        `cannot reach a service at ${url}: ${reasonOf(error)}. Start one with logweir serve, or name its address with --url.`,
      )
    } finally {
      clearTimeout(timer)
    }
  }
  return { url, get }
}

/** Not fetch, which would take longer to load than all the rest, and would follow a redirection with the token. */
export async function ask(url: string, options: RequestOptions): Promise<IncomingMessage> {
  const { request } = url.startsWith('https:') ? await import('node:https') : await import('node:http')
  return new Promise((resolve, reject) => {
    const asking: ClientRequest = request(url, options, resolve)
    asking.on('error', reject)
    asking.end()
  })
}

const typeOf = ({ headers }: IncomingMessage) => (headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase()

/** What a connection died of, in the words of the system. */
export const reasonOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? (error as Error).message

async function refusal(
  incoming: IncomingMessage,
  url: string,
  { origin, remedy }: ServiceToken,
): Promise<ServiceError> {
  const { statusCode: status, headers } = incoming
  const retryAfterMs = Number(headers['retry-after'] ?? 0) * 1000 || 0
  const told = describeError(await textUpTo(bodyOf(incoming), MOST_ERROR_BYTES).catch(() => ''))
  if (told === undefined) {
    return new ServiceError(`${url} answers with status ${status}. Is a logweir service there?`, { status })
  }
  if (status === 401)
    return new ServiceError(`${url} does not know the token ${origin} (unauthorized). ${remedy}`, { status })
  return new ServiceError(`${url}: ${told}`, { status, retryAfterMs })
}

/** The error that the service's JSON tells; undefined where it is none. */
export function describeError(json: string): string | undefined {
  try {
    const { error, code } = JSON.parse(json)
    return typeof error === 'string' && typeof code === 'string' ? escapeControl(`${error} (${code})`) : undefined
  } catch {
    return undefined
  }
}

/** A body as text. Rejects with a {@link ServiceError} where it breaks off, or is over `mostBytes`. */
export async function textUpTo(body: AsyncIterable<Uint8Array>, mostBytes: number): Promise<string> {
  const decoder = new TextDecoder()
  let [text, bytes] = ['', 0]
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > mostBytes) throw new ServiceError(`the answer is over ${mostBytes} bytes long.`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

async function* bodyOf(incoming: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of incoming) yield chunk
  } catch (error) {
    throw new ServiceError(`the answer broke off: ${reasonOf(error)}.`)
  }
}
