import type { LazyBatch } from '../batches/lazy-batch.js'
import { isQuickToCopy } from './aggregate.js'
import { type CachedGroups, cacheGroups, nextCached, partNumber } from './cached-groups.js'
import { copyOf, type Grouping, type Groups, merge } from './groups.js'

/** A run of a rank has about so many runs of the rank below. */
const RUNS_OF_RUN = 4
const MOST_RANK = 6
/** The groups of fewer parts are merged one by one. */
const MIN_PARTS = 8
/** Merged groups that are more than this share of the groups of the parts save too little to be cached. */
const MAX_MERGED_SHARE = 1 / 2

/** Adjacent batches that were grouped before, and the groups that a query adds to. */
export interface KnownBatches {
  input: readonly LazyBatch[]
  grouping: Grouping
  total: Groups
}

/** Returns the cached groups of the batch at a place, and perhaps of the next batches. */
export function knownAt(
  { input, grouping }: Pick<KnownBatches, 'input' | 'grouping'>,
  place: number,
): CachedGroups | undefined {
  const cached = input[place]?.cached
  return cached && nextCached(input, place, grouping.keyOf(cached.key).hash, grouping)
}

/**
 * Returns the cached groups of the longest run of whole parts at a place, given those of the part at the place. Merges
 * the groups of a run once, and caches the merged groups. Whether a part begins a run of a rank depends on the part
 * alone: a window that has moved on meets the same runs, and merges some runs instead of all parts. Only a run that the
 * next part of the rank ends is merged, since later parts continue an open run.
 */
export async function runAt(known: KnownBatches, place: number, own: CachedGroups): Promise<CachedGroups> {
  let run = own
  if (known.input.length < MIN_PARTS) return run
  for (let rank = 1; rank <= (rankAt(known, place, place) ?? 0); rank++) {
    const longer = await runOfRank(known, place, rank, run)
    if (longer === undefined) return run
    run = longer
  }
  return run
}

/** Returns the run of a rank at a place, given the run of the rank below. Undefined if there is none to be cached. */
async function runOfRank(
  known: KnownBatches,
  place: number,
  rank: number,
  first: CachedGroups,
): Promise<CachedGroups | undefined> {
  const { input, grouping } = known
  const { part, key } = input[place].cached!
  const hash = `${grouping.keyOf(key).hash} run ${rank}`
  const cached = nextCached(input, place, hash, grouping)
  if (cached !== undefined) return cached
  const { partialCache } = grouping.context
  if (partialCache.get(part.owner, `${hash} is large`) !== undefined) return undefined
  const runs = await runsBelow(known, place, rank, first)
  if (runs === undefined || runs.length === 1) return runs?.[0]
  const groups = await mergeAdjacent(known, place, runs, hash, MAX_MERGED_SHARE * countOf(runs))
  if (groups === undefined) partialCache.put(part.owner, `${hash} is large`, {}, 0)
  return groups && { parts: runs.flatMap(({ parts }) => parts), groups }
}

/** Returns the runs of lower ranks at a place, of a run that ends. Undefined if one of the parts is not known. */
async function runsBelow(
  known: KnownBatches,
  place: number,
  rank: number,
  first: CachedGroups,
): Promise<CachedGroups[] | undefined> {
  const runs = [first]
  const end = endOfRun(known, place, rank)
  if (end === undefined) return undefined
  for (let next = place + first.parts.length; next < end; next += runs.at(-1)!.parts.length) {
    const own = knownAt(known, next)
    if (own === undefined) return undefined
    runs.push(await runAt(known, next, own))
  }
  return runs
}

/** Returns the place of the part that ends the run of a rank. Undefined if the run is open. */
function endOfRun(known: KnownBatches, place: number, rank: number): number | undefined {
  for (let end = place + 1; ; end++) {
    const next = rankAt(known, end, place)
    if (next === undefined || next >= rank) return next && end
  }
}

/** Returns the rank of the whole part at a place. Undefined if no part found like the part at `first` is there. */
function rankAt({ input }: KnownBatches, place: number, first: number): number | undefined {
  const cached = input[place]?.cached
  if (cached === undefined || cached.slice !== undefined || cached.key !== input[first].cached!.key) return undefined
  return rankOf(partNumber(cached.part))
}

/** Returns a rank for a number, as if by chance: each rank is as rare among the ranks from it on as a run is long. */
function rankOf(number: number): number {
  let rank = 0
  for (let rest = scatter(number); rank < MOST_RANK && rest % RUNS_OF_RUN === 0; rank++) rest = rest / RUNS_OF_RUN
  return rank
}

/** Scatters a number over 32 bits: the finaliser of MurmurHash3 (A. Appleby). */
function scatter(number: number): number {
  let hash = Math.imul(number ^ (number >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/**
 * Merges the groups of adjacent batches from a place on, and caches the result under a hash. Undefined if the
 * merged groups are more than `mostGroups`, or take too much memory or time to copy.
 */
export async function mergeAdjacent(
  { input, grouping, total }: KnownBatches,
  place: number,
  adjacent: readonly CachedGroups[],
  hash: string,
  mostGroups = Number.POSITIVE_INFINITY,
): Promise<Groups | undefined> {
  const { aggregation } = grouping
  const isQuick = ({ groups }: CachedGroups) => groups.states.every((states) => isQuickToCopy(aggregation, states))
  if (!adjacent.every(isQuick)) return undefined
  const [first, ...others] = adjacent
  const groups = copyOf(first.groups, total)
  for (const other of others) await merge(groups, other.groups, grouping)
  if (groups.states.length > mostGroups) return undefined
  const batches = input.slice(place, place + lengthOf(adjacent)).map(({ cached }) => cached!)
  return (await cacheGroups(batches, hash, groups, grouping)) ? groups : undefined
}

/** The number of groups, those of each batch counted. */
export const countOf = (adjacent: readonly CachedGroups[]) =>
  adjacent.reduce((sum, { groups }) => sum + groups.states.length, 0)

/** The number of batches that have the cached groups. */
const lengthOf = (adjacent: readonly CachedGroups[]) => adjacent.reduce((sum, { parts }) => sum + parts.length, 0)
