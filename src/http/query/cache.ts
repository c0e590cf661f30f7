import { LRUCache } from 'lru-cache'
import type { Metrics } from '../../base/metrics.js'
import type { Clock } from '../../base/time/clock.js'
import type { SourceName } from '../../common/sources.js'
import type { CachePolicy, Call, Endpoint } from '../../endpoints/endpoint.js'
import type { QueryNotes } from './compute.js'
import { type EncodedForms, encodedBytes } from './encoded-forms.js'
import type { HttpLimits } from './limits.js'

/** A call of an endpoint with a cache policy. */
export interface CacheJob {
  endpoint: Pick<Endpoint, 'name'>
  policy: CachePolicy
  call: Call
}

/** The answer of a job, and the time as of which the rows are complete (the clock's monotonic milliseconds). */
export interface CachedAnswer extends Partial<QueryNotes> {
  forms: EncodedForms
  atMs: number
  /** If the answer has no rows: the sources in which rows may appear later. */
  emptySources?: readonly SourceName[]
}

/** A cached answer, when a client last asked for it, and when a refresh was last tried (monotonic milliseconds). */
export interface CacheEntry extends CachedAnswer {
  job: CacheJob
  askedMs: number
  triedMs: number
}

/** The cached answers. The least recently used are evicted if a limit is exceeded. */
export interface ResultCache {
  /**
   * Returns the entry of a key and marks the entry as used. Undefined if there is no entry, or if older than the TTL.
   */
  get(key: string): CacheEntry | undefined
  /**
   * Caches an answer, unless a later answer is cached or the answer is too large. Returns whether the key has an entry
   * now.
   */
  put(job: CacheJob, answer: CachedAnswer, asked: 'now' | 'before'): boolean
  /**
   * Updates the size of an entry that has a new encoded form. Calls `discard` first if the form makes the entry too
   * large.
   */
  resize(key: string, discard: () => void): void
  /** Deletes the answers of an endpoint. */
  forget(endpoint: Endpoint): void
  /** Deletes all answers. */
  clear(): void
  /** Deletes entries not used within the TTL. Returns entries due for a refresh, the least recently tried first. */
  due(): CacheEntry[]
}

/** Approximate bytes of an entry's objects and pointers. */
const ENTRY_BYTES = 512

/** The entry and the call each have a copy of the key, at up to two bytes per character. */
const sizeOf = ({ forms, warnings = '', viewNotes = '' }: CacheEntry, key: string) =>
  encodedBytes(forms) + 4 * key.length + warnings.length + viewNotes.length + ENTRY_BYTES

interface State {
  entries: LRUCache<string, CacheEntry>
  limits: Pick<HttpLimits, 'cacheEntries' | 'cacheBytes' | 'cacheEntryBytes'>
  clock: Clock
  metrics: Pick<Metrics, 'cacheEntries' | 'cacheBytes'>
}

/** Creates an empty cache. Ages are measured in monotonic time, because a wall clock may jump. */
export function createCache(limits: State['limits'], clock: Clock, metrics: State['metrics']): ResultCache {
  const entries = new LRUCache<string, CacheEntry>({
    max: limits.cacheEntries,
    maxSize: limits.cacheBytes,
    maxEntrySize: limits.cacheEntryBytes,
    sizeCalculation: sizeOf,
  })
  const state: State = { entries, limits, clock, metrics }
  return {
    get: (key) => get(state, key),
    put: (job, answer, asked) => put(state, job, answer, asked),
    resize: (key, discard) => resize(state, key, discard),
    forget(endpoint) {
      for (const [key, { job }] of [...entries]) if (job.endpoint === endpoint) remove(state, key)
    },
    clear() {
      entries.clear()
      report(state)
    },
    due: () => due(state),
  }
}

function get(state: State, key: string): CacheEntry | undefined {
  const entry = state.entries.get(key)
  if (entry === undefined) return undefined
  const nowMs = state.clock.monotonicMs()
  if (nowMs - entry.atMs < entry.job.policy.ttlS * 1000) {
    entry.askedMs = nowMs
    return entry
  }
  remove(state, key)
  return undefined
}

function put(state: State, job: CacheJob, answer: CachedAnswer, asked: 'now' | 'before'): boolean {
  const { entries, clock } = state
  const { key } = job.call
  const earlier = entries.peek(key)
  if (earlier !== undefined && earlier.atMs > answer.atMs) return true
  const nowMs = clock.monotonicMs()
  const askedMs = asked === 'now' ? nowMs : (earlier?.askedMs ?? nowMs)
  entries.set(key, { ...answer, job, askedMs, triedMs: answer.atMs })
  report(state)
  return entries.has(key)
}

function resize(state: State, key: string, discard: () => void): void {
  const { entries, limits } = state
  const entry = entries.peek(key)
  if (entry === undefined) return
  if (sizeOf(entry, key) > limits.cacheEntryBytes) discard()
  // The LRU cache computes a size only when a key is new.
  entries.delete(key)
  entries.set(key, entry)
  report(state)
}

function due(state: State): CacheEntry[] {
  const { entries, clock } = state
  const nowMs = clock.monotonicMs()
  const all = [...entries.values()]
  for (const { askedMs, job } of all) if (nowMs - askedMs >= job.policy.ttlS * 1000) remove(state, job.call.key)
  return all
    .filter(({ triedMs, job }) => nowMs - triedMs >= job.policy.warmS * 1000 && entries.has(job.call.key))
    .sort((a, b) => a.triedMs - b.triedMs)
}

function remove(state: State, key: string): void {
  state.entries.delete(key)
  report(state)
}

function report({ entries, metrics }: State): void {
  metrics.cacheEntries.set(entries.size)
  metrics.cacheBytes.set(entries.calculatedSize)
}
