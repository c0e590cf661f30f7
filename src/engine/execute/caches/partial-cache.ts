import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { CacheMetrics } from '../fields/cache-metrics.js'

/**
 * Cache of partial results of rows that never change: sealed parts, and slices of parts. `owner` identifies the part.
 * Bounded by bytes. Evicts the least recently used entries.
 */
export interface PartialCache {
  /** Returns the entry of a part under a key, or undefined. */
  get<T extends object>(owner: object, key: string): T | undefined
  /** Adds an entry of about `bytes` bytes, or replaces the entry with that key. Ignored if the part was dropped. */
  put(owner: object, key: string, value: object, bytes: number): void
  /**
   * Removes all entries of parts that no later run reads. Runs in progress may still compute results of these parts.
   * `put` ignores the results.
   */
  drop(owners: readonly object[]): void
  /** Removes all entries. */
  clear(): void
  /** Returns the approximate memory of all entries in bytes. */
  bytes(): number
}

/** A cache that keeps nothing. */
export const NO_PARTIAL_CACHE: PartialCache = {
  get: () => undefined,
  put() {},
  drop() {},
  clear() {},
  bytes: () => 0,
}

interface Entry {
  owner: object
  key: string
  value: object
}

/** Approximate bytes of the objects and pointers of an entry. */
const ENTRY_BYTES = 256

/**
 * Identifies the operators so far. Made on the first use: most runs look nothing up in the cache. Operators that depend
 * on the same plain data have the same key.
 */
export class Key {
  readonly #make: () => unknown
  readonly #before: Key | undefined
  #text: string | undefined
  #hash: string | undefined

  /** `make` returns everything that the operators depend on, beyond the operators of the key `before`. */
  constructor(make: () => unknown, before?: Key) {
    this.#make = make
    this.#before = before
  }

  /** All that the operators depend on: a line of JSON for each. */
  get text(): string {
    this.#text ??= (this.#before === undefined ? '' : `${this.#before.text}\n`) + JSON.stringify(this.#make())
    return this.#text
  }

  /** The key of a cache entry: a hash, because the text of a plan would be the largest part of an entry. */
  get hash(): string {
    this.#hash ??= hash('sha256', this.text, 'base64url')
    return this.#hash
  }
}

/**
 * Returns a function that adds an operator to a key. Returns the same new key for the same key, as batches share keys.
 */
export function extendKey(make: () => unknown): (before: Key) => Key {
  const extended = new Map<Key, Key>()
  return (before) => {
    const known = extended.get(before) ?? new Key(make, before)
    extended.set(before, known)
    return known
  }
}

/** Creates an empty cache of at most `limitBytes`. */
export function createPartialCache(limitBytes: number, metrics: CacheMetrics): PartialCache {
  const byOwner = new WeakMap<object, Map<string, Entry>>()
  const dropped = new WeakSet<object>()
  const entries = new LRUCache<Entry, Entry>({
    maxSize: Math.max(1, Math.floor(limitBytes)),
    dispose({ owner, key }) {
      const entriesOf = byOwner.get(owner)!
      entriesOf.delete(key)
      if (entriesOf.size === 0) byOwner.delete(owner)
    },
  })

  return {
    get<T extends object>(owner: object, key: string) {
      const entry = byOwner.get(owner)?.get(key)
      metrics.countLookup(entry !== undefined)
      return entry && (entries.get(entry)!.value as T)
    },
    put(owner, key, value, bytes) {
      if (dropped.has(owner)) return
      const before = byOwner.get(owner)?.get(key)
      if (before !== undefined) entries.delete(before)
      const entry = { owner, key, value }
      entries.set(entry, entry, { size: ENTRY_BYTES + key.length + bytes })
      // The new entry may have evicted the other entries of the part, and with the entries the part's map.
      const entriesOf = byOwner.get(owner) ?? new Map<string, Entry>()
      if (entries.has(entry)) byOwner.set(owner, entriesOf.set(key, entry))
      metrics.setBytes(entries.calculatedSize)
    },
    drop(owners) {
      for (const owner of owners) {
        dropped.add(owner)
        for (const entry of [...(byOwner.get(owner)?.values() ?? [])]) entries.delete(entry)
      }
      metrics.setBytes(entries.calculatedSize)
    },
    clear() {
      entries.clear()
      metrics.setBytes(0)
    },
    bytes: () => entries.calculatedSize,
  }
}
