import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { TOKEN } from './program.js'

/** The configuration of a Vector sink: encoding.codec with framing.method, and compression. */
export interface VectorOptions {
  uri: string
  framing: 'json array' | 'newline_delimited'
  compression: 'none' | 'gzip'
  /** The default is that of the tests. */
  token?: string
  /** The first wait before a retry. Each later wait is the sum of the two waits before. */
  retryMs?: number
  /** How long a batch is retried before the batch is dropped. The default is without end. */
  retryForMs?: number
}

export interface Shipped {
  /** The number of answers by status. `none` counts requests without an answer. */
  statuses: Record<string, number>
  /** The number of dropped batches. */
  dropped: number
}

/** The longest wait between two retries. */
const MAX_RETRY_MS = 30_000

/**
 * Sends batches of events as the http sink of Vector (vector.dev) does: a request per batch, with Vector's headers.
 * Retries on 408, 429, 5xx and without an answer. Drops a batch on any other refusal.
 */
export async function shipLikeVector(batches: Iterable<object[]>, options: VectorOptions): Promise<Shipped> {
  const shipped: Shipped = { statuses: {}, dropped: 0 }
  for (const batch of batches) if (!(await shipBatch(batch, options, shipped.statuses))) shipped.dropped++
  return shipped
}

/**
 * Sends a batch until the batch is accepted or dropped, and counts the answers. Returns whether the batch was accepted.
 */
async function shipBatch(batch: object[], options: VectorOptions, statuses: Shipped['statuses']): Promise<boolean> {
  const { uri, retryMs = 20, retryForMs = Number.POSITIVE_INFINITY } = options
  const request = requestOf(batch, options)
  const giveUpAt = performance.now() + retryForMs
  for (let [waitMs, nextMs] = [retryMs, retryMs]; ; [waitMs, nextMs] = [nextMs, waitMs + nextMs]) {
    const status = await fetch(uri, request).then(statusOf, () => 'none')
    statuses[status] = (statuses[status] ?? 0) + 1
    if (status === '200') return true
    if (!/^(none|408|429|5..)$/.test(status) || performance.now() > giveUpAt) return false
    await wait(Math.min(waitMs, MAX_RETRY_MS))
  }
}

async function statusOf(response: Response): Promise<string> {
  await response.arrayBuffer()
  return `${response.status}`
}

function requestOf(batch: object[], { framing, compression, token = TOKEN }: VectorOptions): RequestInit {
  const events = batch.map((event) => JSON.stringify(event))
  const isArray = framing === 'json array'
  const text = isArray ? `[${events.join(',')}]` : `${events.join('\n')}\n`
  const headers: Record<string, string> = {
    'content-type': isArray ? 'application/json' : 'application/x-ndjson',
    'user-agent': 'Vector/0.50.0 (x86_64-unknown-linux-gnu 9053198 2025-09-23 14:18:50.944442940)',
    'accept-encoding': 'identity',
    'x-api-key': token,
  }
  if (compression === 'gzip') headers['content-encoding'] = 'gzip'
  return { method: 'POST', headers, body: compression === 'gzip' ? new Uint8Array(gzipSync(text)) : text }
}
