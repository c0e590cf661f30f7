import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { TOKEN } from './program.js'

/** How a sink of Vector's is configured: encoding.codec with framing.method, and compression. */
export interface VectorOptions {
  uri: string
  framing: 'json array' | 'newline_delimited'
  compression: 'none' | 'gzip'
}

export interface Shipped {
  /** How often each status came; `none` where there was no answer. */
  statuses: Record<string, number>
  /** Batches that were given up. */
  dropped: number
}

const RETRY_MS = 20

/**
 * Sends batches of events as the http sink of Vector (vector.dev) does: one request a batch, its headers, and the same
 * body again on 408, 429, 5xx and where no answer came; a batch with any other refusal is dropped.
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
