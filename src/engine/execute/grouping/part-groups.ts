import type { LazyBatch } from '../batches/lazy-batch.js'
import type { Frame } from '../expressions/frame.js'
import { type Cached, type CachedGroups, cacheGroups, nextCached } from './cached-groups.js'
import { fold } from './fold.js'
import { createGatheredRows, type GatheredRows } from './gathered-rows.js'
import { createGroups, type Grouping, type Groups, merge } from './groups.js'
import { ReadAhead } from './read-ahead.js'

/** With more groups for each row, merging the groups of parts costs as much as grouping their rows again. */
const MAX_CACHED_GROUPS_A_ROW = 1 / 4
/** Groups that are cached whatever the rows. */
const ALWAYS_CACHED_GROUPS = 64
/**
 * Parts that are grouped together. When a window has moved beyond the first of the parts, the other parts are read
 * again.
 */
const MOST_PARTS = 32

/**
 * Adds batches to groups. The groups of sealed parts are cached, and merged by the next run. Parts with few
 * rows that are found at once are grouped together: most of the time for each alone would be fixed work.
 */
export class PartGroups {
  readonly #total: Groups
  readonly #grouping: Grouping
  readonly #gathered: GatheredRows | undefined
  /** The parts of the gathered rows, all found by the same filters. */
  #run: Cached[] = []
  #isCaching = true
  #cachedMerges = 0
  #isComplete = true

  constructor(total: Groups, grouping: Grouping) {
    this.#total = total
    this.#grouping = grouping
    this.#gathered = createGatheredRows(grouping.expressions)
  }

  /** The number of merges of cached groups. 0 if some batches had no cached groups. */
  get cachedMerges(): number {
    return this.#isComplete ? this.#cachedMerges : 0
  }

  /** Whether the parts have too many groups to be cached one by one. */
  get hasManyGroups(): boolean {
    return !this.#isCaching
  }

  /** Adds the groups of all batches. */
  async addAll(batches: readonly LazyBatch[]): Promise<void> {
    const ahead = new ReadAhead(batches, this.#grouping)
    try {
      for (let i = 0; i < batches.length; ) {
        const added = this.#add(batches, i, ahead)
        i += added instanceof Promise ? await added : added
        const pause = this.#grouping.context.yieldIfDue()
        if (pause !== undefined) await pause
      }
      await this.#end()
    } finally {
      await ahead.end()
    }
  }

  /**
   * Adds the batch at a place, and the next batches if the groups are cached together. Returns the number of added
   * batches.
   */
  #add(input: readonly LazyBatch[], place: number, ahead: ReadAhead): number | Promise<number> {
    const { cached } = input[place]
    if (cached === undefined) return this.#addAlone(input, place, ahead)
    if (!this.#canJoin(cached)) return this.#end().then(() => this.#add(input, place, ahead))
    const known = nextCached(input, place, this.#grouping.keyOf(cached.key).hash, this.#grouping)
    if (known !== undefined) return this.#addCached(known)
    const next = (isGathered: boolean): number | Promise<number> => {
      if (!isGathered) return this.#addAlone(input, place, ahead)
      this.#run.push(cached)
      return 1
    }
    const isGathered = this.#gathered === undefined ? false : (cached.gather?.(this.#gathered.add) ?? false)
    return isGathered instanceof Promise ? isGathered.then(next) : next(isGathered)
  }

  /** Groups the gathered rows. */
  async #end(): Promise<void> {
    const parts = this.#run
    this.#run = []
    if (parts.length > 0) await this.#addRows(parts, this.#gathered!.take())
  }

  /** Whether the rows of a part can be grouped together with the gathered rows. */
  #canJoin({ key }: Cached): boolean {
    const [first] = this.#run
    return first === undefined || (first.key === key && this.#run.length < MOST_PARTS)
  }

  async #addCached({ parts, groups }: CachedGroups): Promise<number> {
    await this.#end()
    await merge(this.#total, groups, this.#grouping)
    this.#cachedMerges++
    return parts.length
  }

  async #addAlone(input: readonly LazyBatch[], place: number, ahead: ReadAhead): Promise<number> {
    await this.#end()
    const { cached } = input[place]
    await ahead.read(
      place,
      (frame) => (cached === undefined ? this.#fold(frame) : this.#addRows([cached], frame)),
      (next) => this.#isAlone(input, next),
    )
    return 1
  }

  /** Whether a batch is neither known nor gathered with others. */
  #isAlone(input: readonly LazyBatch[], place: number): boolean {
    const { cached } = input[place]
    if (cached === undefined) return true
    if (this.#gathered !== undefined && cached.gather !== undefined) return false
    return nextCached(input, place, this.#grouping.keyOf(cached.key).hash, this.#grouping) === undefined
  }

  /** Groups the rows of adjacent parts, and caches the groups. */
  async #addRows(parts: readonly Cached[], frame: Frame): Promise<void> {
    if (!this.#isCaching) return this.#fold(frame)
    this.#isComplete = false
    const groups = createGroups(this.#total)
    await fold(groups, frame, this.#grouping)
    this.#isCaching = groups.states.length <= Math.max(ALWAYS_CACHED_GROUPS, frame.rows * MAX_CACHED_GROUPS_A_ROW)
    await cacheGroups(parts, this.#grouping.keyOf(parts[0].key).hash, groups, this.#grouping)
    await merge(this.#total, groups, this.#grouping)
  }

  #fold(frame: Frame): Promise<void> {
    this.#isComplete = false
    return fold(this.#total, frame, this.#grouping)
  }
}
