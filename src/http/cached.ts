import type { Clock } from '../base/clock.js'
import type { Log } from '../base/log.js'
import type { Metrics } from '../base/metrics.js'
import type { Engine } from '../engine/engine.js'
import { type Answer, createCache, type Job } from './cache.js'
import { createFlights } from './flight.js'
import type { Gate } from './gate.js'
import type { HttpLimits } from './limits.js'
import { gatherAll, jsonReply } from './reply.js'
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
  hit(job: Job): Response | undefined
  /** Computes the answer and keeps it; callers of the same share one run. With `fresh` its time is read after the call. */
  miss(job: Job, caller: AbortSignal, fresh: boolean): Promise<Response>
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
    return { atMs, body: await gatherAll(rows, signal) }
  }

  return {
    hit(job) {
      const entry = cache.get(job.call.key)
      if (entry === undefined) return undefined
      const ageS = ageOf(entry)
      return reply(entry, `hit; ttl=${job.policy.ttlS - ageS}`, ageS)
    },
    async miss(job, caller, fresh) {
      const { value, collapsed } = await flights.join(job.call.key, { ...job, asked: 'now' }, caller, fresh)
      const forward = fresh ? 'fwd=request' : 'fwd=miss'
      if (collapsed) return reply(value, `${forward}; collapsed`, ageOf(value))
      return reply(value, value.stored ? `${forward}; stored` : forward)
    },
    close,
  }
}

/** The age is stated of what was not computed for the call that gets it (RFC 9111, 5.1). */
function reply({ body }: Answer, status: string, ageS?: number): Response {
  const headers: Record<string, string> = { 'Cache-Status': `logweir; ${status}` }
  if (ageS !== undefined) headers.Age = String(ageS)
  return jsonReply(body, 200, headers)
}
