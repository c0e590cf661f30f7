import type { Clock } from '../base/clock.js'
import type { Log } from '../base/log.js'
import type { Metrics } from '../base/metrics.js'
import type { Engine } from '../engine/engine.js'
import { type Answer, createCache, type Entry, type Job } from './cache.js'
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
    return { body: answer.body, stored: cache.put(job, answer, job.asked) }
  }

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
      return entry && hitReply(entry, clock.monotonicMs())
    },
    async miss(job, caller, fresh) {
      const { value, collapsed } = await flights.join(job.call.key, { ...job, asked: 'now' }, caller, fresh)
      const forward = fresh ? 'request' : 'miss'
      const fate = collapsed ? '; collapsed' : value.stored ? '; stored' : ''
      return jsonReply(value.body, 200, { 'Cache-Status': `logweir; fwd=${forward}${fate}` })
    },
    close,
  }
}

function hitReply({ body, atMs, job }: Entry, nowMs: number): Response {
  const ageS = Math.floor((nowMs - atMs) / 1000)
  return jsonReply(body, 200, { 'Cache-Status': `logweir; hit; ttl=${job.policy.ttlS - ageS}`, Age: String(ageS) })
}
