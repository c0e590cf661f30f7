import type { CachedRows, LazyBatch, SliceBatch } from '../batches/lazy-batch.js'
import type { Key } from '../caches/partial-cache.js'
import type { Frame } from '../expressions/frame.js'
import { type CachedGroups, cacheGroups } from './cached-groups.js'
import { fold } from './fold.js'
import { createGatheredRows, type GatheredRows } from './gathered-rows.js'
import { createGroups, type Grouping, type Groups, merge } from './groups.js'
import { countOf, type KnownBatches, knownAt, mergeAdjacent, runAt } from './part-runs.js'
import { ReadAhead } from './read-ahead.js'

/** With more groups for each row, merging the groups of parts costs as much as grouping their rows again. */
const MAX_CACHED_GROUPS_A_ROW = 1 / 4
/** The same for a slice of a part that is cut, which is read some times at most. */
const MAX_BRIEF_GROUPS_A_ROW = 1 / 64
/** Groups that are cached whatever the rows. */
const ALWAYS_CACHED_GROUPS = 64
/**
 * Parts that are grouped together. When a window has moved beyond the first of the parts, the other parts are read
 * again.
 */
const MOST_PARTS = 32
/** With fewer groups for each row of a slice, merging the groups of slices one by one takes little time. */
const MIN_COMPACTED_GROUPS_A_ROW = 1 / 16

/**
 * Adds batches to groups. The groups of sealed parts are cached, and merged by the next run. Parts with few
 * rows that are found at once are grouped together: most of the time for each alone would be fixed work.
 */
export class PartGroups {
  readonly #total: Groups
  readonly #grouping: Grouping
  readonly #gathered: GatheredRows | undefined
  /** The parts of the gathered rows, all found by the same filters. */
  #run: CachedRows[] = []
  /** Whether groups of parts, and of the slices of parts that are cut, are few enough to be cached one by one. */
  #keepsParts = true
  #keepsBrief = true
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

  /** Whether some parts or slices have too many groups to be cached one by one. */
  get hasManyGroups(): boolean {
    return !(this.#keepsParts && this.#keepsBrief)
  }

  /** Adds the groups of all batches. */
  async addAll(input: readonly LazyBatch[]): Promise<void> {
    const batches = this.#joinSlices(input)
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
   * Joins adjacent slices without cached groups that are best read together: those of a part that is not cut, and those
   * of a part that is cut if the groups of each alone are too many to be cached.
   */
  #joinSlices(input: readonly LazyBatch[]): readonly LazyBatch[] {
    const batches: LazyBatch[] = []
    for (let place = 0; place < input.length; ) {
      const { slice } = input[place]
      const known = slice && this.#known(input, place)?.parts.length
      let end = place + (known ?? 1)
      if (slice !== undefined && this.#isJoined(input, place)) while (this.#continues(input, place, end)) end++
      if (known !== undefined || end === place + 1) batches.push(...input.slice(place, end))
      else batches.push(slice!.join(end - place))
      place = end
    }
    return batches
  }

  /** Whether the batch at a place is a slice to be read together with the slice at an earlier place. */
  #continues(input: readonly LazyBatch[], first: number, place: number): boolean {
    return input[place]?.slice?.part === input[first].slice!.part && this.#isJoined(input, place)
  }

  #isJoined(input: readonly LazyBatch[], place: number): boolean {
    const slice = input[place].slice!
    if (slice.isCut && !this.#hasManyIn(slice)) return false
    return input[place].cached !== undefined && this.#known(input, place) === undefined
  }

  #hasManyIn({ part, key }: SliceBatch): boolean {
    return this.#grouping.context.partialCache.get(part.owner, this.#manyKey(key)) !== undefined
  }

  /** The key of the note that the slices of a part have too many groups. */
  #manyKey = (key: Key) => `${this.#grouping.keyOf(key).hash} many`

  /** Returns the cached groups of the batch at a place, and perhaps of the next batches. */
  #known(input: readonly LazyBatch[], place: number): CachedGroups | undefined {
    return knownAt({ input, grouping: this.#grouping }, place)
  }

  /**
   * Adds the batch at a place, and the next batches if the groups are cached together. Returns the number of added
   * batches.
   */
  #add(input: readonly LazyBatch[], place: number, ahead: ReadAhead): number | Promise<number> {
    const { cached } = input[place]
    if (cached === undefined) return this.#addAlone(input, place, ahead)
    if (!this.#canJoin(cached)) return this.#end().then(() => this.#add(input, place, ahead))
    const known = this.#known(input, place)
    if (known !== undefined) return this.#addCached(input, place, known)
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
  #canJoin({ key }: CachedRows): boolean {
    const [first] = this.#run
    return first === undefined || (first.key === key && this.#run.length < MOST_PARTS)
  }

  async #addCached(input: readonly LazyBatch[], place: number, own: CachedGroups): Promise<number> {
    await this.#end()
    const known = { input, grouping: this.#grouping, total: this.#total }
    const isSlice = input[place].slice !== undefined
    const { groups, parts } = isSlice ? await this.#slicesAt(known, place, own) : await runAt(known, place, own)
    await merge(this.#total, groups, this.#grouping)
    this.#cachedMerges++
    return parts.length
  }

  /** Returns the cached groups of a slice, merged once with those of the next slices if there are many groups. */
  async #slicesAt(known: KnownBatches, place: number, own: CachedGroups): Promise<CachedGroups> {
    const { input, grouping } = known
    const { part } = input[place].slice!
    const adjacent = [own]
    for (let end = place + own.parts.length; input[end]?.slice?.part === part; ) {
      const next = knownAt(known, end)
      if (next === undefined) break
      adjacent.push(next)
      end += next.parts.length
    }
    const areFew = countOf(adjacent) < grouping.context.sliceRows * MIN_COMPACTED_GROUPS_A_ROW
    if (adjacent.length === 1 || areFew) return own
    const groups = await mergeAdjacent(known, place, adjacent, grouping.keyOf(input[place].cached!.key).hash)
    return groups === undefined ? own : { parts: adjacent.flatMap(({ parts }) => parts), groups }
  }

  async #addAlone(input: readonly LazyBatch[], place: number, ahead: ReadAhead): Promise<number> {
    await this.#end()
    const { cached, slice, joined = cached && [cached] } = input[place]
    const isBrief = slice?.isCut === true && joined?.length === 1
    await ahead.read(
      place,
      (frame) => (joined === undefined ? this.#fold(frame) : this.#addRows(joined, frame, isBrief)),
      (next) => this.#isAlone(input, next),
    )
    return 1
  }

  /** Whether a batch is neither known nor gathered with others. */
  #isAlone(input: readonly LazyBatch[], place: number): boolean {
    const { cached } = input[place]
    if (cached === undefined) return true
    if (this.#gathered !== undefined && cached.gather !== undefined) return false
    return this.#known(input, place) === undefined
  }

  /** Groups the rows of adjacent parts, and caches the groups. */
  async #addRows(parts: readonly CachedRows[], frame: Frame, isBrief = false): Promise<void> {
    if (!(isBrief ? this.#keepsBrief : this.#keepsParts)) return this.#fold(frame)
    this.#isComplete = false
    const groups = createGroups(this.#total)
    await fold(groups, frame, this.#grouping)
    const share = isBrief ? MAX_BRIEF_GROUPS_A_ROW : MAX_CACHED_GROUPS_A_ROW
    const areFew = groups.states.length <= Math.max(ALWAYS_CACHED_GROUPS, frame.rows * share)
    if (!isBrief) this.#keepsParts = areFew
    else if (!areFew) this.#noteMany(parts[0])
    await cacheGroups(parts, this.#grouping.keyOf(parts[0].key).hash, groups, this.#grouping)
    await merge(this.#total, groups, this.#grouping)
  }

  #noteMany({ part, key }: CachedRows): void {
    this.#keepsBrief = false
    this.#grouping.context.partialCache.put(part.owner, this.#manyKey(key), {}, 0)
  }

  #fold(frame: Frame): Promise<void> {
    this.#isComplete = false
    return fold(this.#total, frame, this.#grouping)
  }
}
