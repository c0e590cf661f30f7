import { LRUCache } from 'lru-cache'
import type { Clock } from '../../base/clock.js'
import type { Metrics } from '../../base/metrics.js'
import type { CachePolicy, Call, Endpoint } from '../../endpoints/endpoint.js'
import type { SourceName } from '../../sources.js'
import { type EncodedForms, encodedBytes } from './encoded-forms.js'
import type { HttpLimits } from './limits.js'

/** A call of an endpoint whose answers may be kept. */
export interface Job {
  endpoint: Endpoint
  policy: CachePolicy
  call: Call
}

/** What a job came to, and the moment whose rows it tells of (the clock's monotonic time). */
export interface Answer {
  forms: EncodedForms
  atMs: number
  /** If it has no rows, the sources in which there may be some later. */
  emptySources?: readonly SourceName[]
}

/** An answer that is kept, when it was last asked for, and when it was last tried to compute it anew. */
export interface Entry extends Answer {
  job: Job
  askedMs: number
  triedMs: number
}

export interface ResultCache {
  /** The entry of a key, unless it is older than its policy allows; marks it as asked for. */
  get(key: string): Entry | undefined
  /** Keeps an answer, unless a later one is kept or it is too large. Tells whether it is kept. */
  put(job: Job, answer: Answer, asked: 'now' | 'before'): boolean
  /** Counts another form that an entry has got, and calls `forget` where that makes the entry too large. */
  weigh(key: string, forget: () => void): void
  /** Forgets the answers of an endpoint. */
  forget(endpoint: Endpoint): void
  /** Forgets what has not been asked for within its time to live, and gives what is to be computed anew, oldest first. */
  due(): Entry[]
}

/** Objects and pointers of an entry, about. */
const ENTRY_BYTES = 512

/** A key is held by the entry and by its call, at up to two bytes a character. */
const sizeOf = (entry: Entry, key: string) => encodedBytes(entry.forms) + 4 * key.length + ENTRY_BYTES

/** The answers that are kept, the least recently used going first. Ages are of monotonic time: a wall clock may jump. */
export function createCache(
  limits: Pick<HttpLimits, 'cacheEntries' | 'cacheBytes' | 'cacheEntryBytes'>,
  clock: Clock,
  metrics: Pick<Metrics, 'cacheEntries' | 'cacheBytes'>,
): ResultCache {
  const entries = new LRUCache<string, Entry>({
    max: limits.cacheEntries,
    maxSize: limits.cacheBytes,
    maxEntrySize: limits.cacheEntryBytes,
    sizeCalculation: sizeOf,
  })

  function report(): void {
    metrics.cacheEntries.set(entries.size)
    metrics.cacheBytes.set(entries.calculatedSize)
  }

  function drop(key: string): void {
    entries.delete(key)
    report()
  }

  return {
    get(key) {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      const nowMs = clock.monotonicMs()
      if (nowMs - entry.atMs < entry.job.policy.ttlS * 1000) {
        entry.askedMs = nowMs
        return entry
      }
      drop(key)
      return undefined
    },
    put(job, answer, asked) {
      const { key } = job.call
      const known = entries.peek(key)
      if (known !== undefined && known.atMs > answer.atMs) return true
      const nowMs = clock.monotonicMs()
      const askedMs = asked === 'now' ? nowMs : (known?.askedMs ?? nowMs)
      entries.set(key, { ...answer, job, askedMs, triedMs: answer.atMs })
      report()
      return entries.has(key)
    },
    weigh(key, forget) {
      const entry = entries.peek(key)
      if (entry === undefined) return
      if (sizeOf(entry, key) > limits.cacheEntryBytes) forget()
      // A size is counted when a key is new.
      entries.delete(key)
      entries.set(key, entry)
      report()
    },
    forget(endpoint) {
      for (const [key, { job }] of [...entries]) if (job.endpoint === endpoint) drop(key)
    },
    due() {
      const nowMs = clock.monotonicMs()
      const all = [...entries.values()]
      for (const { askedMs, job } of all) if (nowMs - askedMs >= job.policy.ttlS * 1000) drop(job.call.key)
      return all
        .filter(({ triedMs, job }) => nowMs - triedMs >= job.policy.warmS * 1000 && entries.has(job.call.key))
        .sort((a, b) => a.triedMs - b.triedMs)
    },
  }
}
