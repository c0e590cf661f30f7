import type { Part } from '../../columns/batch.js'
import type { Frame } from '../../expressions/frame.js'
import type { LazyBatch } from '../lazy-batch.js'
import { extendKey, type Key } from '../partial-cache.js'
import { fold } from './fold.js'
import { createGatheredRows, type GatheredRows } from './gathered-rows.js'
import { createGroups, type Grouping, type Groups, merge, shrinkGroups } from './groups.js'
import { sinkKey } from './sink.js'

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
/** Parts that are grouped together. When a window has moved beyond the first of them, the others are read again. */
const MOST_PARTS = 32

type Cached = NonNullable<LazyBatch['cached']>

/**
 * Adds batches to groups. The groups of sealed parts are kept in the cache, and merged by the next run. Parts with few
 * rows that are found at once are grouped together: most of the time for each alone would be fixed work.
 */
export class PartGroups {
  readonly #total: Groups
  readonly #grouping: Grouping
  readonly #keyOf: (before: Key) => Key
  readonly #gathered: GatheredRows | undefined
  /** The parts of the gathered rows, all found by the same filters. */
  #run: Cached[] = []
  #isKeeping = true

  constructor(total: Groups, grouping: Grouping) {
    this.#total = total
    this.#grouping = grouping
    this.#keyOf = extendKey(() => sinkKey(grouping.sink))
    this.#gathered = createGatheredRows(grouping.expressions)
  }

  /** Adds the batch at a place, and the next ones if their groups are kept together. Returns how many it added. */
  add(input: readonly LazyBatch[], place: number): number | Promise<number> {
    const batch = input[place]!
    const { cached } = batch
    if (cached === undefined) return this.#addAlone(batch)
    if (!this.#canJoin(cached)) return this.end().then(() => this.add(input, place))
    const { partialCache } = this.#grouping.context
    const known = partialCache.get<KeptGroups>(cached.part, this.#keyOf(cached.key).hash)
    if (known !== undefined && areNext(known, input, place)) return this.#addKept(known)
    const next = (isGathered: boolean): number | Promise<number> => {
      if (!isGathered) return this.#addAlone(batch)
      this.#run.push(cached)
      return 1
    }
    const isGathered = this.#gathered === undefined ? false : (cached.offer?.(this.#gathered.add) ?? false)
    return isGathered instanceof Promise ? isGathered.then(next) : next(isGathered)
  }

  /** Groups the gathered rows. Call it after the last batch too. */
  async end(): Promise<void> {
    const parts = this.#run
    this.#run = []
    if (parts.length > 0) await this.#addRows(parts, this.#gathered!.take())
  }

  /** Whether the rows of a part can be grouped together with the gathered ones. */
  #canJoin({ key }: Cached): boolean {
    const [first] = this.#run
    return first === undefined || (first.key === key && this.#run.length < MOST_PARTS)
  }

  async #addKept({ parts, groups }: KeptGroups): Promise<number> {
    await this.end()
    await merge(this.#total, groups, this.#grouping)
    return parts.length
  }

  async #addAlone({ cached, read }: LazyBatch): Promise<number> {
    await this.end()
    await read((frame) =>
      cached === undefined ? fold(this.#total, frame, this.#grouping) : this.#addRows([cached], frame),
    )
    return 1
  }

  /** Groups the rows of adjacent parts, and keeps the groups. */
  async #addRows(parts: readonly Cached[], frame: Frame): Promise<void> {
    if (!this.#isKeeping) return fold(this.#total, frame, this.#grouping)
    const { partialCache, limits } = this.#grouping.context
    const groups = createGroups()
    await fold(groups, frame, this.#grouping)
    this.#isKeeping = groups.states.length <= Math.max(ALWAYS_KEPT_GROUPS, frame.rows * MAX_KEPT_GROUPS_A_ROW)
    const bytes = await shrinkGroups(groups, this.#grouping)
    if (bytes <= limits.bytes * MAX_KEPT_SHARE) {
      const [{ part, key }] = parts as [Cached]
      const kept: KeptGroups = { parts: parts.map(({ part }) => numberOf(part)), groups }
      partialCache.put(part, this.#keyOf(key).hash, kept, bytes)
    }
    await merge(this.#total, groups, this.#grouping)
  }
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
  const known = numbers.get(part)
  if (known !== undefined) return known
  numbers.set(part, ++lastNumber)
  return lastNumber
}
