import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { TOKEN } from './program.js'

/** The configuration of a Vector sink: encoding.codec with framing.method, and compression. */
export interface VectorOptions {
  uri: string
  framing: 'json array' | 'newline_delimited'
  compression: 'none' | 'gzip'
}

export interface Shipped {
  /** The number of answers by status; `none` counts requests without an answer. */
  statuses: Record<string, number>
  /** The number of dropped batches. */
  dropped: number
}

const RETRY_MS = 20

/**
 * Sends batches of events as the http sink of Vector (vector.dev) does: one request per batch, with its headers;
 * retries on 408, 429, 5xx and if there is no answer; drops a batch on any other refusal.
 */
export async function shipLikeVector(batches: Iterable<object[]>, options: VectorOptions): Promise<Shipped> {
  const shipped: Shipped = { statuses: {}, dropped: 0 }
  for (const batch of batches) {
    const request = requestOf(batch, options)
    for (;;) {
      const status = await fetch(options.uri, request).then(statusOf, () => 'none')
      shipped.statuses[status] = (shipped.statuses[status] ?? 0) + 1
      if (status === '200') break
      if (!/^(none|408|429|5..)$/.test(status)) {
        shipped.dropped++
        break
      }
      await wait(RETRY_MS)
    }
  }
  return shipped
}

async function statusOf(response: Response): Promise<string> {
  await response.arrayBuffer()
  return `${response.status}`
}

function requestOf(batch: object[], { framing, compression }: VectorOptions): RequestInit {
  const events = batch.map((event) => JSON.stringify(event))
  const isArray = framing === 'json array'
  const text = isArray ? `[${events.join(',')}]` : `${events.join('\n')}\n`
  const headers: Record<string, string> = {
    'content-type': isArray ? 'application/json' : 'application/x-ndjson',
    'user-agent': 'Vector/0.50.0 (x86_64-unknown-linux-gnu 9053198 2025-09-23 14:18:50.944442940)',
    'accept-encoding': 'identity',
    'x-api-key': TOKEN,
  }
  if (compression === 'gzip') headers['content-encoding'] = 'gzip'
  return { method: 'POST', headers, body: compression === 'gzip' ? new Uint8Array(gzipSync(text)) : text }
}
