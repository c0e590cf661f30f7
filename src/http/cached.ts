import type { Clock } from '../base/clock.js'
import type { Log } from '../base/log.js'
import type { Metrics } from '../base/metrics.js'
import type { Engine } from '../engine/engine.js'
import { type Answer, createCache, type Job } from './cache.js'
import { createFlights } from './flight.js'
import type { Gate } from './gate.js'
import { gatherAll } from './gather.js'
import type { HttpLimits } from './limits.js'
import { CODED_JSON_HEADERS, codedReply } from './reply.js'
import { startWarming } from './warm.js'

interface Parts {
  engine: Pick<Engine, 'run'>
  gate: Gate
  clock: Clock
  limits: HttpLimits
  metrics: Metrics
  log: Log
}

export interface Cached {
  /** The kept answer, or undefined. */
  hit(job: Job, request: Request): Response | Promise<Response> | undefined
  /** Computes the answer and keeps it; callers of the same share one run. With `fresh` its time is read after the call. */
  miss(job: Job, request: Request, fresh: boolean): Promise<Response>
  /** Stops warming, at once. */
  close(): void
}

/** Answers the calls whose answers are kept. */
export function createCached({ engine, gate, clock, limits, metrics, log }: Parts): Cached {
  const cache = createCache(limits, clock, metrics)
  const flights = createFlights(run)
  const close = startWarming({
    cache,
    clock,
    metrics,
    log,
    refresh: ({ job }, signal) => flights.join(job.call.key, { ...job, asked: 'before' }, signal),
  })

  async function run(job: Job & { asked: 'now' | 'before' }, caller: AbortSignal, begin: () => void) {
    const answer = await gate.run((signal) => compute(job, signal, begin), caller)
    return { ...answer, stored: cache.put(job, answer, job.asked) }
  }

  /** In whole seconds. */
  const ageOf = ({ atMs }: Answer) => Math.floor((clock.monotonicMs() - atMs) / 1000)

  /** The age of an answer counts from before its time is read, never from after. */
  async function compute({ call }: Job, signal: AbortSignal, begin: () => void): Promise<Answer> {
    begin()
    const atMs = clock.monotonicMs()
    const rows = await engine.run(call.plan(clock.nowUs()), { signal })
    return { atMs, body: { plain: await gatherAll(rows, signal), onGzip: () => cache.weigh(call.key) } }
  }

  return {
    hit(job, request) {
      const entry = cache.get(job.call.key)
      if (entry === undefined) return undefined
      const ageS = ageOf(entry)
      return reply(request, entry, `hit; ttl=${job.policy.ttlS - ageS}`, ageS)
    },
    async miss(job, request, fresh) {
      const { value, collapsed } = await flights.join(job.call.key, { ...job, asked: 'now' }, request.signal, fresh)
      const forward = fresh ? 'fwd=request' : 'fwd=miss'
      if (collapsed) return reply(request, value, `${forward}; collapsed`, ageOf(value))
      return reply(request, value, value.stored ? `${forward}; stored` : forward)
    },
    close,
  }
}

/** The age is stated of what was not computed for the call that gets it (RFC 9111, 5.1). */
function reply({ headers }: Request, { body }: Answer, status: string, ageS?: number): Response | Promise<Response> {
  const age = ageS === undefined ? undefined : { Age: String(ageS) }
  return codedReply(headers, body, { 'Cache-Status': `logweir; ${status}`, ...age, ...CODED_JSON_HEADERS })
}
