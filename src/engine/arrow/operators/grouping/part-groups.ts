import type { Part } from '../../columns/batch.js'
import type { Frame } from '../../expressions/frame.js'
import type { LazyBatch } from '../lazy-batch.js'
import { extendKey } from '../partial-cache.js'
import { fold } from './fold.js'
import { createGatheredRows } from './gathered-rows.js'
import { createGroups, type Grouping, type Groups, merge, shrinkGroups } from './groups.js'
import { groupExpressions, sinkKey } from './sink.js'

/** Adds batches to groups. The groups of sealed parts are kept in the cache, and merged by the next run. */
export interface PartGroups {
  /** Adds the batch at a place, and the next ones if their groups are kept together. Returns how many it added. */
  add(input: readonly LazyBatch[], place: number): number | Promise<number>
  /** Call it after the last batch. */
  end(): Promise<void>
}

/** The groups of adjacent parts, kept under the first; `parts` are numbers, so that a dropped part can be freed. */
interface KeptGroups {
  parts: readonly number[]
  groups: Groups
}

/** Groups of parts are kept only if they take at most this share of what a query may take. */
const MAX_KEPT_SHARE = 1 / 16
/** With more groups for each row, merging the groups of parts costs as much as grouping their rows again. */
const MAX_KEPT_GROUPS_A_ROW = 1 / 4
/** Groups that are kept whatever the rows. */
const ALWAYS_KEPT_GROUPS = 64

type Cached = NonNullable<LazyBatch['cached']>

/**
 * Parts with few rows that are found at once are grouped together: most of the time for each alone would be fixed work.
 */
export function createPartGroups(total: Groups, grouping: Grouping): PartGroups {
  const { sink, context } = grouping
  const { partialCache, limits } = context
  const keyOf = extendKey(() => sinkKey(sink))
  const gathered = createGatheredRows(groupExpressions(sink))
  /** The parts of the gathered rows, all found by the same filters. */
  let run: Cached[] = []
  let isWorthwhile = true

  /** Groups the rows of adjacent parts, and keeps the groups. */
  async function addRows(parts: readonly Cached[], frame: Frame): Promise<void> {
    if (!isWorthwhile) return fold(total, frame, grouping)
    const groups = createGroups()
    await fold(groups, frame, grouping)
    isWorthwhile = groups.states.length <= Math.max(ALWAYS_KEPT_GROUPS, frame.rows * MAX_KEPT_GROUPS_A_ROW)
    const bytes = await shrinkGroups(groups, grouping)
    if (bytes <= limits.bytes * MAX_KEPT_SHARE) {
      const [{ part, key }] = parts as [Cached]
      const kept: KeptGroups = { parts: parts.map(({ part }) => numberOf(part)), groups }
      partialCache.put(part, keyOf(key).hash, kept, bytes)
    }
    await merge(total, groups, grouping)
  }

  async function end(): Promise<void> {
    const parts = run
    run = []
    if (parts.length > 0) await addRows(parts, gathered!.take())
  }

  async function addKept({ parts, groups }: KeptGroups): Promise<number> {
    await end()
    await merge(total, groups, grouping)
    return parts.length
  }

  async function addAlone({ cached, read }: LazyBatch): Promise<number> {
    await end()
    await read((frame) => (cached === undefined ? fold(total, frame, grouping) : addRows([cached], frame)))
    return 1
  }

  function add(input: readonly LazyBatch[], place: number): number | Promise<number> {
    const batch = input[place]!
    const { cached } = batch
    if (cached === undefined) return addAlone(batch)
    if (run.length > 0 && run[0]!.key !== cached.key) return end().then(() => add(input, place))
    const known = partialCache.get<KeptGroups>(cached.part, keyOf(cached.key).hash)
    if (known !== undefined && areNext(known, input, place)) return addKept(known)
    const next = (isGathered: boolean): number | Promise<number> => {
      if (!isGathered) return addAlone(batch)
      run.push(cached)
      return 1
    }
    const isGathered = gathered === undefined ? false : (cached.offer?.(gathered.add) ?? false)
    return isGathered instanceof Promise ? isGathered.then(next) : next(isGathered)
  }

  return { add, end }
}

/** Whether the next batches are those of which groups are kept: all of these parts, found by the same filters. */
function areNext({ parts }: KeptGroups, input: readonly LazyBatch[], place: number): boolean {
  const { key } = input[place]!.cached!
  return parts.every((number, i) => {
    const cached = input[place + i]?.cached
    return cached?.key === key && numberOf(cached.part) === number
  })
}

const numbers = new WeakMap<Part, number>()
let lastNumber = 0

/** The number that stands for a part. */
function numberOf(part: Part): number {
  const number = numbers.get(part) ?? ++lastNumber
  numbers.set(part, number)
  return number
}
