/** The service, as the page asks it. */
import type { Columns } from './columns.js'
import type { Reading } from './columns-worker.js'

/** What can be done about a failure: sign in, wait, or change what was asked. */
export type FailureKind = 'unauthorized' | 'forbidden' | 'away' | 'busy' | 'refused'

export class Failure extends Error {
  readonly kind: FailureKind
  /** Seconds after which it is worth to ask again; undefined where asking again mends nothing. */
  readonly retryS: number | undefined
  constructor(kind: FailureKind, message: string, retryS?: number) {
    super(message)
    this.kind = kind
    this.retryS = retryS
  }
}

const AWAY_RETRY_S = 5

export type Row = Readonly<Record<string, unknown>>

export interface Answer {
  rows: readonly Row[]
  /** How old it is, in seconds. */
  ageS: number
}

/** Held by this tab only. Without one a request still goes out: a proxy may put a token to it. */
let token: string | undefined

export function signInWith(given: string | undefined): void {
  token = given
}

/** GET of one of the service's own addresses, relative to the page's. Throws a Failure, but where `signal` ends it. */
export async function get(path: string, headers: Record<string, string>, signal?: AbortSignal): Promise<Response> {
  const credentials: Record<string, string> = token === undefined ? {} : { 'X-API-KEY': token }
  const response = await fetch(path, { headers: { ...credentials, ...headers }, signal, cache: 'no-store' }).catch(
    (error) => {
      if (signal?.aborted) throw error
      throw new Failure('away', 'The service cannot be reached.', AWAY_RETRY_S)
    },
  )
  if (response.ok) return response
  throw await failureOf(response)
}

async function failureOf(response: Response): Promise<Failure> {
  const said: { error?: string } = await response.json().catch(() => ({}))
  const message = said.error ?? `The service answered ${response.status}.`
  const retryAfter = response.headers.get('Retry-After')
  if (response.status === 401) return new Failure('unauthorized', message)
  if (response.status === 403) return new Failure('forbidden', message)
  // What stands before the service says so when it is away.
  if ([502, 504].includes(response.status)) return new Failure('away', 'The service cannot be reached.', AWAY_RETRY_S)
  if (retryAfter !== null) return new Failure('busy', message, Number(retryAfter) || AWAY_RETRY_S)
  return new Failure('refused', message)
}

/** Whether requests are let in as they go out now. */
export async function isSignedIn(): Promise<boolean> {
  try {
    await get('api/endpoints', {})
    return true
  } catch (error) {
    if (error instanceof Failure && error.kind === 'unauthorized') return false
    throw error
  }
}

interface Asking {
  /** Past the cache. */
  fresh?: boolean
  signal?: AbortSignal
}

/** Asks an endpoint. */
export async function ask(endpoint: string, params: Record<string, string>, asking: Asking): Promise<Answer> {
  const { response, ageS } = await query(endpoint, params, asking)
  const { result } = parseExact(await whole(response.text())) as { result: Row[] }
  return { rows: result, ageS }
}

export interface ColumnsAnswer<Name extends string> {
  columns: Columns<Name>
  ageS: number
}

/** Asks an endpoint for columns of numbers, which are read beside the page. */
export async function askColumns<Name extends string>(
  endpoint: string,
  params: Record<string, string>,
  names: readonly Name[],
  asking: Asking,
): Promise<ColumnsAnswer<Name>> {
  const { response, ageS } = await query(endpoint, params, asking)
  const columns = await read(response.body!, names)
  asking.signal?.throwIfAborted()
  return { columns, ageS }
}

async function query(endpoint: string, params: Record<string, string>, { fresh = false, signal }: Asking) {
  const headers: Record<string, string> = fresh ? { 'Cache-Control': 'no-cache' } : {}
  const response = await get(`api/endpoints/query/${endpoint}?${new URLSearchParams(params)}`, headers, signal)
  return { response, ageS: Number(response.headers.get('Age') ?? 0) }
}

/** What is read of a body. */
async function whole<Body>(body: Promise<Body>): Promise<Body> {
  try {
    return await body
  } catch (error) {
    if (error instanceof TypeError) throw new Failure('away', 'The answer broke off.', AWAY_RETRY_S)
    throw error
  }
}

let worker: Worker | undefined
/** Fail what waits for the worker. */
const waiting = new Set<(failure: Failure) => void>()

/** Its script may not come, as any other answer of the service; then the next answer gets a new one. */
function startWorker(): Worker {
  const started = new Worker(new URL('./columns-worker.js', import.meta.url), { type: 'module' })
  started.onerror = () => {
    worker = undefined
    for (const fail of waiting) fail(new Failure('away', 'A part of the page cannot be loaded.', AWAY_RETRY_S))
  }
  return started
}

/** Reads columns of a body beside the page. */
async function read<Name extends string>(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  names: readonly Name[],
): Promise<Columns<Name>> {
  const { port1: port, port2 } = new MessageChannel()
  let fail = (_: Failure) => {}
  const reply = new Promise<Columns<Name> | null>((resolve, reject) => {
    port.onmessage = ({ data }) => resolve(data)
    fail = reject
  })
  waiting.add(fail)
  worker ??= startWorker()
  worker.postMessage({ names, port: port2 } satisfies Reading, [port2])
  const [columns] = await Promise.all([reply, pour(body, port)]).finally(() => waiting.delete(fail))
  if (columns === null) throw new Failure('refused', 'The answer cannot be read. Is it logweir that answers here?')
  return columns
}

/** Hands a body on as it comes, so that none of it is held here. */
async function pour(body: ReadableStream<Uint8Array<ArrayBuffer>>, port: MessagePort): Promise<void> {
  const reader = body.getReader()
  try {
    for (let part = await whole(reader.read()); !part.done; part = await whole(reader.read()))
      port.postMessage(part.value, [part.value.buffer])
  } finally {
    port.postMessage(null)
  }
}

/** What engines offer that hand a number's text to a reviver. */
interface Spelling {
  source?: string
}
const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown }

/** JSON whose numbers, where a double would change them, are written again as they came. */
export function parseExact(text: string): unknown {
  if (rawJSON === undefined) return JSON.parse(text)
  const revive = (_key: string, value: unknown, spelling?: Spelling) =>
    typeof value === 'number' && spelling?.source !== undefined && String(value) !== spelling.source
      ? rawJSON(spelling.source)
      : value
  return JSON.parse(text, revive as (key: string, value: unknown) => unknown)
}

/** A number of an answer, also where it is kept as its text. */
export function numberOf(value: unknown): number | null {
  if (value === null || value === undefined) return null
  return typeof value === 'number' ? value : Number(JSON.stringify(value))
}
