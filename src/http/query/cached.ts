import type { Clock } from '../../base/clock.js'
import type { Log } from '../../base/log.js'
import type { Metrics } from '../../base/metrics.js'
import type { Endpoint } from '../../endpoints/endpoint.js'
import type { Engine } from '../../engine/engine.js'
import { answerColumns, type Plan, shapeOf } from '../../engine/plan.js'
import type { SourceName } from '../../sources.js'
import type { Encoder } from '../formats/format.js'
import { jsonFormat } from '../formats/json.js'
import { encodeAll } from '../reply/chunks.js'
import { type Measured, serverTiming } from '../reply/server-timing.js'
import { answerReply } from './answer.js'
import type { Arrivals } from './arrivals.js'
import { type Answer, createCache, type Job } from './cache.js'
import type { ConcurrencyLimit } from './concurrency.js'
import { createEncodedForms, encodedIn } from './encoded-forms.js'
import type { HttpLimits } from './limits.js'
import type { Representation } from './negotiation.js'
import { createSingleFlight } from './single-flight.js'
import { startWarming } from './warm.js'

interface Parts {
  engine: Pick<Engine, 'run'>
  concurrency: ConcurrencyLimit
  clock: Clock
  limits: HttpLimits
  metrics: Metrics
  log: Log
  /** Without it an answer without rows is kept like any other. */
  arrivals?: Arrivals
}

export interface Cached {
  /** The kept answer, or undefined. */
  hit(job: Job, request: Request, offer: Representation): Response | Promise<Response> | undefined
  /** Computes the answer and keeps it; callers of the same share one run. With `fresh` its time is read after the call. */
  miss(job: Job, request: Request, offer: Representation, fresh: boolean): Promise<Response>
  /** Forgets the answers of an endpoint, and keeps none that is still under way. */
  forget(endpoint: Endpoint): void
  /** Stops warming, at once. */
  close(): void
}

/** Answers the calls whose answers are kept. */
export function createCached({ engine, concurrency, clock, limits, metrics, log, arrivals }: Parts): Cached {
  const cache = createCache(limits, clock, metrics)
  const flights = createSingleFlight(run)
  const gone = new WeakSet<Endpoint>()
  const close = startWarming({
    cache,
    clock,
    metrics,
    log,
    refresh: ({ job }, signal) => flights.join(job.call.key, { ...job, asked: 'before' }, signal),
  })

  async function run(job: Job & { asked: 'now' | 'before' }, caller: AbortSignal, begin: () => void) {
    const { answer, measured } = await concurrency.run((signal) => compute(job, signal, begin), caller)
    return { answer, measured, isStored: !gone.has(job.endpoint) && cache.put(job, answer, job.asked) }
  }

  /** Whether an answer without rows may have some by now. At most one run each `emptyMs` comes of that. */
  function isOutdated({ atMs, emptySources }: Answer): boolean {
    if (arrivals === undefined || emptySources === undefined) return false
    return clock.monotonicMs() - atMs >= limits.emptyMs && arrivals.mayLack(emptySources, atMs)
  }

  /** In whole seconds. */
  const ageOf = ({ atMs }: Answer) => Math.floor((clock.monotonicMs() - atMs) / 1000)

  /** The age of an answer counts from before its time is read, never from after. */
  async function compute({ call }: Job, signal: AbortSignal, begin: () => void) {
    begin()
    const atMs = clock.monotonicMs()
    const plan = call.plan(clock.nowUs())
    const columns = answerColumns(plan)
    const measured: Measured = { ms: 0 }
    const rows = await engine.run(plan, { signal, onScanStats: (work) => (measured.work = work) })
    const encoder = countRows(jsonFormat.encoder(columns))
    const json = await encodeAll(rows, encoder, signal)
    measured.ms = clock.monotonicMs() - atMs
    const forms = createEncodedForms(json, columns, (forget) => cache.weigh(call.key, forget))
    const emptySources = encoder.rows() === 0 ? sourcesOf(plan) : undefined
    return { answer: { atMs, forms, emptySources }, measured }
  }

  return {
    hit(job, request, offer) {
      const entry = cache.get(job.call.key)
      if (entry === undefined || isOutdated(entry)) return undefined
      const ageS = ageOf(entry)
      return reply(request, entry, offer, `hit; ttl=${job.policy.ttlS - ageS}`, HIT, ageS)
    },
    async miss(job, request, offer, fresh) {
      const isKept = cache.get(job.call.key) !== undefined
      const { value, collapsed } = await flights.join(job.call.key, { ...job, asked: 'now' }, request.signal, fresh)
      const forward = fresh ? 'fwd=request' : isKept ? 'fwd=stale' : 'fwd=miss'
      const { answer, measured, isStored } = value
      if (collapsed) return reply(request, answer, offer, `${forward}; collapsed`, COLLAPSED, ageOf(answer))
      const status = isStored ? `${forward}; stored` : forward
      return reply(request, answer, offer, status, serverTiming('miss', measured))
    },
    forget(endpoint) {
      gone.add(endpoint)
      cache.forget(endpoint)
    },
    close,
  }
}

/** An encoder that counts the rows that it spells. */
function countRows(encoder: Encoder): Encoder & { rows(): number } {
  let rows = 0
  return {
    ...encoder,
    row(row) {
      rows += 1
      return encoder.row(row)
    },
    rows: () => rows,
  }
}

/** The sources that a plan reads; none if it is empty by its parameters. */
function sourcesOf(plan: Plan): readonly SourceName[] {
  const shape = shapeOf(plan)
  return shape === undefined || shape.fromUs > shape.throughUs ? [] : [shape.source]
}

/** A run is told of to the request that began it alone. */
const HIT = serverTiming('hit')
const COLLAPSED = serverTiming('collapsed')

/** The age is stated of what was not computed for the call that gets it (RFC 9111, 5.1). */
function reply(
  { headers }: Request,
  { forms }: Answer,
  offer: Representation,
  status: string,
  timing: string,
  ageS?: number,
): Response | Promise<Response> {
  const age = ageS === undefined ? undefined : { Age: String(ageS) }
  const own = { 'Cache-Status': `logweir; ${status}`, ...age, 'Server-Timing': timing }
  const body = encodedIn(forms, offer.format)
  if (body instanceof Promise) return body.then((made) => answerReply(headers, made, offer, own))
  return answerReply(headers, body, offer, own)
}
