import type { LazyBatch } from '../batches/lazy-batch.js'
import type { Part } from '../columns/batch.js'
import { type Grouping, type Groups, shrinkGroups } from './groups.js'

/**
 * The groups of adjacent parts, cached under the first part. `parts` are numbers, so that a dropped part can be freed.
 */
export interface CachedGroups {
  parts: readonly number[]
  groups: Groups
}

/** A batch of a part that never changes. */
export type Cached = NonNullable<LazyBatch['cached']>

/** Groups of parts are cached only if the groups take at most this share of the memory of a query. */
const MAX_CACHED_SHARE = 1 / 16

/**
 * Caches the groups of adjacent parts under a key, in their smallest form. Returns false if the groups take too much.
 */
export async function cacheGroups(
  parts: readonly Cached[],
  hash: string,
  groups: Groups,
  grouping: Grouping,
): Promise<boolean> {
  const { partialCache, limits } = grouping.context
  const bytes = (await shrinkGroups(groups, grouping)) + 8 * parts.length
  if (bytes > limits.bytes * MAX_CACHED_SHARE) return false
  const entry: CachedGroups = { parts: parts.map(({ part }) => numberOf(part)), groups }
  partialCache.put(parts[0].part, hash, entry, bytes)
  return true
}

/** Returns the cached groups under a key if the groups are of the next batches, found by the same filters. */
export function nextCached(
  batches: readonly LazyBatch[],
  place: number,
  hash: string,
  { context }: Grouping,
): CachedGroups | undefined {
  const { part, key } = batches[place].cached!
  const entry = context.partialCache.get<CachedGroups>(part, hash)
  const areNext = entry?.parts.every((number, i) => {
    const cached = batches[place + i]?.cached
    return cached?.key === key && numberOf(cached.part) === number
  })
  return areNext ? entry : undefined
}

const numbers = new WeakMap<Part, number>()
let lastNumber = 0

/** Returns the number that identifies a part. */
function numberOf(part: Part): number {
  const known = numbers.get(part)
  if (known !== undefined) return known
  numbers.set(part, ++lastNumber)
  return lastNumber
}
