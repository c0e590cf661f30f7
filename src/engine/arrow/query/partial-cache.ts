import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Metrics } from '../../../base/metrics.js'
import type { Part } from '../columns/batch.js'

/**
 * What has been computed of sealed parts, which never change, and may be asked for again: bounded by bytes, what was not
 * asked for the longest goes first.
 */
export interface PartialCache {
  /** What is kept of a part under a key. */
  get<T extends object>(part: Part, key: string): T | undefined
  /** Keeps what takes so many bytes, unless there is something under the key or the part is gone. */
  put(part: Part, key: string, value: object, bytes: number): void
  /** These parts are gone: lets go of all that is kept of them. A run that is under way may still compute something of them. */
  dropParts(parts: readonly Part[]): void
  /** Lets go of everything. */
  clear(): void
  /** Bytes of all that is kept, about. */
  bytes(): number
}

interface Entry {
  part: Part
  key: string
  value: object
}

/** Objects and pointers of an entry, about. */
const ENTRY_BYTES = 256

/**
 * The key of what follows from these values alone, plain data. A digest: the text of a plan, which each run makes anew, would
 * be the most of what an entry takes.
 */
export const cacheKey = (...values: readonly unknown[]) => hash('sha256', JSON.stringify(values), 'base64url')

export function createPartialCache(
  limitBytes: number,
  metrics: Pick<Metrics, 'memoBytes' | 'memoRecalls'>,
): PartialCache {
  const byPart = new WeakMap<Part, Map<string, Entry>>()
  const gone = new WeakSet<Part>()
  const recalls = { kept: metrics.memoRecalls.labels('kept'), none: metrics.memoRecalls.labels('none') }
  const entries = new LRUCache<Entry, Entry>({
    maxSize: Math.max(1, Math.floor(limitBytes)),
    dispose({ part, key }) {
      const ofPart = byPart.get(part)!
      ofPart.delete(key)
      if (ofPart.size === 0) byPart.delete(part)
    },
  })

  return {
    get<T extends object>(part: Part, key: string) {
      const known = byPart.get(part)?.get(key)
      recalls[known === undefined ? 'none' : 'kept'].inc()
      return known && (entries.get(known)!.value as T)
    },
    put(part, key, value, bytes) {
      if (byPart.get(part)?.has(key) || gone.has(part)) return
      const entry = { part, key, value }
      entries.set(entry, entry, { size: ENTRY_BYTES + key.length + bytes })
      // Room for it may have been made by what else was kept of the part.
      const ofPart = byPart.get(part) ?? new Map<string, Entry>()
      if (entries.has(entry)) byPart.set(part, ofPart.set(key, entry))
      metrics.memoBytes.set(entries.calculatedSize)
    },
    dropParts(parts) {
      for (const part of parts) {
        gone.add(part)
        for (const entry of [...(byPart.get(part)?.values() ?? [])]) entries.delete(entry)
      }
      metrics.memoBytes.set(entries.calculatedSize)
    },
    clear() {
      entries.clear()
      metrics.memoBytes.set(0)
    },
    bytes: () => entries.calculatedSize,
  }
}
