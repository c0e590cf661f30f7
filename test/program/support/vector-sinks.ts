import { SINK_NAMES, type SinkEvent } from '../../support/supabase/vector-events.js'
import { type Shipped, shipLikeVector, type VectorOptions } from './vector.js'

/** How a self-hosted Supabase's Vector sends: plain JSON arrays. */
const SINK_OPTIONS = { framing: 'json array', compression: 'none' } as const

export interface SinkOptions extends Pick<VectorOptions, 'token' | 'retryMs' | 'retryForMs'> {
  /** Maximum of events in a batch. */
  batchEvents?: number
}

/** How long the events of a stack are kept while the service does not answer. */
const RETRY_FOR_MS = 30_000

/**
 * Sends events as the seven sinks of a self-hosted Supabase's Vector do: each sink sends separate batches in turn.
 * `url` is the URL of the service, as `http://127.0.0.1:4000`. Resolves when each batch is accepted or dropped.
 */
export async function shipToSinks(
  url: string,
  events: Iterable<SinkEvent>,
  options: SinkOptions = {},
): Promise<Shipped> {
  const { batchEvents = 100, ...others } = options
  const all = [...events]
  const perSink = await Promise.all(
    SINK_NAMES.map((name) => {
      const ofSink = all.filter(({ sink }) => sink === name).map(({ event }) => event)
      const uri = `${url}/api/logs?source_name=${name}`
      return shipLikeVector(batchesOf(ofSink, batchEvents), {
        retryForMs: RETRY_FOR_MS,
        ...SINK_OPTIONS,
        ...others,
        uri,
      })
    }),
  )
  return perSink.reduce(sumOf)
}

function* batchesOf<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let i = 0; i < items.length; i += size) yield items.slice(i, i + size)
}

function sumOf(a: Shipped, b: Shipped): Shipped {
  const keys = [...new Set([...Object.keys(a.statuses), ...Object.keys(b.statuses)])]
  const statuses = Object.fromEntries(keys.map((key) => [key, (a.statuses[key] ?? 0) + (b.statuses[key] ?? 0)]))
  return { statuses, dropped: a.dropped + b.dropped }
}
