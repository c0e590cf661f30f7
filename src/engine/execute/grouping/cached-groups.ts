import type { CachedRows, LazyBatch } from '../batches/lazy-batch.js'
import type { Part } from '../columns/batch.js'
import { type Grouping, type Groups, shrinkGroups } from './groups.js'

/**
 * The groups of adjacent parts or slices, cached under the first. `parts` are numbers, so that a dropped part can be
 * freed.
 */
export interface CachedGroups {
  parts: readonly number[]
  groups: Groups
}

/** Groups of parts are cached only if the groups take at most this share of the memory of a query. */
const MAX_CACHED_SHARE = 1 / 16

/**
 * Caches the groups of adjacent parts under a key, in their smallest form. Returns false if the groups take too much.
 */
export async function cacheGroups(
  parts: readonly CachedRows[],
  hash: string,
  groups: Groups,
  grouping: Grouping,
): Promise<boolean> {
  const { partialCache, limits } = grouping.context
  const bytes = (await shrinkGroups(groups, grouping)) + 8 * parts.length
  if (bytes > limits.bytes * MAX_CACHED_SHARE) return false
  const entry: CachedGroups = { parts: parts.map(numberOf), groups }
  partialCache.put(parts[0].part.owner, keyOf(parts[0], hash), entry, bytes)
  return true
}

/** Returns the cached groups under a key if the groups are of the next batches, found by the same filters. */
export function nextCached(
  batches: readonly LazyBatch[],
  place: number,
  hash: string,
  { context }: Grouping,
): CachedGroups | undefined {
  const first = batches[place].cached!
  const { key } = first
  const entry = context.partialCache.get<CachedGroups>(first.part.owner, keyOf(first, hash))
  const areNext = entry?.parts.every((number, i) => {
    const cached = batches[place + i]?.cached
    return cached?.key === key && numberOf(cached) === number
  })
  return areNext ? entry : undefined
}

const keyOf = ({ slice }: CachedRows, hash: string) => (slice === undefined ? hash : `${hash} ${slice}`)

const numbers = new WeakMap<object, number>()
let lastNumber = 0
/** More than the slices of a part. */
const NUMBERS_OF_PART = 2 ** 20

/** Returns the number that identifies a part or a slice. */
const numberOf = ({ part, slice = NUMBERS_OF_PART - 1 }: CachedRows) => partNumber(part) * NUMBERS_OF_PART + slice

/** Returns the number that identifies a part in this process. */
export function partNumber({ owner }: Part): number {
  const known = numbers.get(owner)
  const number = known ?? ++lastNumber
  if (known === undefined) numbers.set(owner, number)
  return number
}
