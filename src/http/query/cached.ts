import type { Log } from '../../base/log.js'
import type { MemoryBudget } from '../../base/memory/memory-budget.js'
import type { Metrics } from '../../base/metrics.js'
import type { SourceName } from '../../common/sources.js'
import type { Endpoint } from '../../endpoints/endpoint.js'
import type { AnswerColumn, Row } from '../../plan/answer.js'
import { innerPlansOf, type Plan } from '../../plan/plan.js'
import type { Encoder } from '../formats/format.js'
import { jsonFormat } from '../formats/json.js'
import { type Encoding, encodeAll } from '../reply/chunks.js'
import { serverTiming } from '../reply/server-timing.js'
import { answerReply, queryFields } from './answer.js'
import type { Arrivals } from './arrivals.js'
import { type CachedAnswer, type CacheJob, createCache, type ResultCache } from './cache.js'
import { type ComputeContext, compute } from './compute.js'
import type { ConcurrencyLimit } from './concurrency.js'
import type { CurrentRows } from './current-rows.js'
import { createEncodedForms, encodedIn } from './encoded-forms.js'
import type { HttpLimits } from './limits.js'
import type { Representation } from './negotiation.js'
import { createSingleFlight } from './single-flight.js'
import { startWarming } from './warm.js'

interface CachedOptions extends ComputeContext {
  concurrency: ConcurrencyLimit
  limits: HttpLimits
  metrics: Metrics
  log: Log
  memory: MemoryBudget
  /** If absent, empty answers are cached like any other. */
  arrivals?: Arrivals
  currentRows: Pick<CurrentRows, 'revision'>
}

/** Answers calls of endpoints with a cache policy. */
export interface Cached {
  /** Returns the cached answer, or undefined if there is none, or if the answer may lack records that arrived later. */
  hit(job: CacheJob, request: Request, representation: Representation): Response | Promise<Response> | undefined
  /**
   * Computes the answer and caches it. Callers with equal keys share a run, unless `fresh` is set and the run has
   * already read the time. Rejects with the errors of the run, and with `abandoned` if the client leaves.
   */
  miss(job: CacheJob, request: Request, representation: Representation, fresh: boolean): Promise<Response>
  /** Deletes the answers of an endpoint. Answers that are being computed will not be cached. */
  forget(endpoint: Endpoint): void
  /** Deletes all answers, after rows were deleted. Answers that are being computed will not be cached. */
  clear(): void
  /** Stops warming at once. */
  close(): void
}

/** `asked`: whether a client waits for the run (`now`), or warming started the run (`before`). */
type Run = CacheJob & { asked: 'now' | 'before' }

/** Creates the cached side of the queries and starts to warm the cache. */
export function createCached(options: CachedOptions): Cached {
  const { concurrency, clock, limits, metrics, log } = options
  const cache = createCache(limits, clock, metrics)
  const singleFlight = createSingleFlight(run)
  const removed = new WeakSet<CacheJob['endpoint']>()
  const close = startWarming({
    cache,
    clock,
    metrics,
    log,
    refresh: ({ job }, signal) => singleFlight.join(job.call.key, { ...job, asked: 'before' }, signal),
  })

  async function run(job: Run, caller: AbortSignal, begin: () => void) {
    const { revision } = options.currentRows
    const { answer, measured } = await concurrency.run((signal) => {
      begin()
      return encodedAnswer(job, signal, options, cache)
    }, caller)
    const isCurrent = !removed.has(job.endpoint) && revision === options.currentRows.revision
    return { answer, measured, isStored: isCurrent && cache.put(job, answer, job.asked) }
  }

  const ageS = ({ atMs }: CachedAnswer) => Math.floor((clock.monotonicMs() - atMs) / 1000)

  return {
    hit(job, request, representation) {
      const entry = cache.get(job.call.key)
      if (entry === undefined || isOutdated(entry, options)) return undefined
      const age = ageS(entry)
      return reply(request, entry, representation, `hit; ttl=${job.policy.ttlS - age}`, HIT, age)
    },
    async miss(job, request, representation, fresh) {
      const isCached = cache.get(job.call.key) !== undefined
      const { value, collapsed } = await singleFlight.join(
        job.call.key,
        { ...job, asked: 'now' },
        request.signal,
        fresh,
      )
      const forward = fresh ? 'fwd=request' : isCached ? 'fwd=stale' : 'fwd=miss'
      const { answer, measured, isStored } = value
      if (collapsed) return reply(request, answer, representation, `${forward}; collapsed`, COLLAPSED, ageS(answer))
      const status = isStored ? `${forward}; stored` : forward
      return reply(request, answer, representation, status, serverTiming('miss', measured))
    },
    forget(endpoint) {
      removed.add(endpoint)
      cache.forget(endpoint)
    },
    clear: cache.clear,
    close,
  }
}

/** Computes an answer as JSON. `cache` is notified of the sizes of the other forms of the answer. */
async function encodedAnswer({ call }: CacheJob, signal: AbortSignal, options: CachedOptions, cache: ResultCache) {
  const memory = options.memory.open()
  try {
    const running = { signal, memory }
    const computed = await compute(options, call, running, (rows, columns) => encodeCounted(rows, columns, running))
    const { encoded, plan, columns, warnings, viewNotes, atMs, measured } = computed
    const forms = createEncodedForms(encoded.json, columns, (discard) => cache.resize(call.key, discard))
    const emptySources = encoded.rows === 0 ? sourcesOf(plan) : undefined
    return { answer: { atMs, forms, emptySources, warnings, viewNotes }, measured }
  } finally {
    memory.release()
  }
}

/** Whether an empty answer may have rows by now. Causes at most a single run per `emptyMs`. */
function isOutdated({ atMs, emptySources }: CachedAnswer, { arrivals, clock, limits }: CachedOptions): boolean {
  if (arrivals === undefined || emptySources === undefined) return false
  return clock.monotonicMs() - atMs >= limits.emptyMs && arrivals.mayLack(emptySources, atMs)
}

/** Encodes and counts all rows, as JSON of any length. */
async function encodeCounted(rows: AsyncIterable<Row>, columns: readonly AnswerColumn[], encoding: Encoding) {
  const encoder = countRows(jsonFormat.encoder(columns))
  return { json: await encodeAll(rows, encoder, encoding), rows: encoder.rows() }
}

/** Wraps an encoder. `rows` returns how many rows were encoded. */
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

/** The sources that a plan reads. Empty if the parameters make the plan empty. */
function sourcesOf(plan: Plan): readonly SourceName[] {
  if (plan.some((operator) => operator.op === 'limit' && operator.rows === 0)) return []
  return plan.flatMap((operator) => {
    if (!('fromUs' in operator)) return innerPlansOf(operator).flatMap(sourcesOf)
    if (operator.fromUs > operator.throughUs) return []
    return operator.op === 'scan' ? operator.sources : operator.view.sources
  })
}

// Only the request that started a run gets the timing of the run.
const HIT = serverTiming('hit')
const COLLAPSED = serverTiming('collapsed')

/** `ageS` is given if the answer was not computed for this request (RFC 9111, 5.1). */
function reply(
  { headers }: Request,
  { forms, warnings, viewNotes }: CachedAnswer,
  representation: Representation,
  status: string,
  timing: string,
  ageS?: number,
): Response | Promise<Response> {
  const age = ageS === undefined ? undefined : { Age: String(ageS) }
  const own = {
    'Cache-Status': `logweir; ${status}`,
    ...age,
    'Server-Timing': timing,
    ...queryFields({ warnings, viewNotes }),
  }
  const body = encodedIn(forms, representation.format)
  if (body instanceof Promise) return body.then((made) => answerReply(headers, made, representation, own))
  return answerReply(headers, body, representation, own)
}
