import { DAY_US } from '../../base/units.js'
import type { ViewRange, ViewRun } from '../../engine/engine.js'
import type { Part } from '../../engine/execute/columns/batch.js'
import { readKeys } from '../../engine/execute/columns/key-bytes.js'
import type { Scalar } from '../../plan/values/values.js'
import { type GroupStream, keyBytesOf, projectKey, type StateGroup } from '../state/group.js'
import { mergeGroups } from '../state/merge.js'
import { mergingOf } from '../state/merged-states.js'
import { readAhead, type StreamAhead } from '../state/read-ahead.js'
import { groupsOfFile } from '../state/read-file.js'
import { boundsOfRead } from './bounds.js'
import type { Catalog, GroupableEngine } from './catalog.js'
import type { CachedDay, DayPlace, GroupRow } from './day-cache.js'
import type { KeptView } from './kept-view.js'
import type { LiveState } from './live-states.js'
import { leaveOut, type TouchedBuckets } from './touched-buckets.js'

type Rows = ReturnType<GroupableEngine['groupable']>

/** The rows of a view at a single moment. */
export interface Reading {
  catalog: Catalog
  view: KeptView
  /** The starts of the buckets that are read. */
  range: ViewRange
  run: ViewRun
  /** Whether the limit of a group's project hides the group. */
  isExpired(group: StateGroup): boolean
  states: readonly LiveState[]
  /** The files with groups of deleted rows. */
  stale: ReadonlyMap<LiveState, StaleFile>
  rows: Rows
  /** The parts with rows that no file has. */
  uncovered: readonly Part[]
}

/** The buckets of a file whose groups are not read, and the file's segments, whose rows are grouped instead. */
export interface StaleFile {
  buckets: readonly TouchedBuckets[]
  parts: Part[]
}

/** Files of so many days are read ahead of the day of the groups that are merged. */
const DAYS_AHEAD = 16

/** Reads the files of days, and keeps the rows of whole days that are in files alone. */
export class DayReader {
  readonly #reading: Reading
  /** The newest first. */
  readonly #days: readonly number[]
  readonly #statesByDay: ReadonlyMap<number, readonly LiveState[]>
  /** Whether a day has groups that no file has. */
  readonly #hasOthers: (day: number) => boolean
  /** By the place of the day. */
  readonly #ahead = new Map<number, readonly StreamAhead[]>()
  #next = 0

  constructor(reading: Reading, days: readonly number[], hasOthers: (day: number) => boolean) {
    this.#reading = reading
    this.#days = days
    this.#hasOthers = hasOthers
    const byDay = new Map<number, LiveState[]>()
    for (const state of reading.states) byDay.set(state.facts.day, [...(byDay.get(state.facts.day) ?? []), state])
    this.#statesByDay = byDay
  }

  /** The rows of a day as cached, or the streams of its files. */
  read(place: number): CachedDay | readonly GroupStream[] {
    const cached = this.#cached(place)
    if (cached !== undefined) return cached
    for (this.#next = Math.max(this.#next, place); this.#next < this.#days.length; this.#next++) {
      if (this.#next >= place + DAYS_AHEAD) break
      if (this.#cached(this.#next) === undefined) this.#ahead.set(this.#next, this.#states(this.#next).map(this.#open))
    }
    return this.#ahead.get(place) ?? []
  }

  /** Merges the streams of a day. Returns the rows of its groups in the range, some at a time. */
  async *merge(place: number, streams: readonly GroupStream[]): AsyncGenerator<readonly GroupRow[], void> {
    const { view, range, run, catalog, isExpired } = this.#reading
    const isRead = (group: StateGroup) =>
      group.bucketUs >= range.fromUs && group.bucketUs <= range.throughUs && !isExpired(group)
    const at = this.#placeOf(place)
    const kept: GroupRow[] | undefined = at && []
    const merging = mergingOf(view.aggregation, run.yieldIfDue)
    let isPartial = false
    for await (const groups of mergeGroups(streams, boundsOfRead(view), merging)) {
      const found = groups.filter(isRead)
      isPartial ||= found.some((group) => group.isPartial)
      if (isPartial) run.onNote?.('partial')
      const rows = found.map((group) => rowOf(group, view, (states) => merging.codec.read(states)))
      if (kept !== undefined && kept.length + rows.length <= MOST_CACHED_ROWS) kept.push(...rows)
      else if (kept !== undefined) kept.length = MOST_CACHED_ROWS + 1
      yield rows
    }
    await this.#end(place)
    if (at === undefined || kept === undefined || kept.length > MOST_CACHED_ROWS) return
    catalog.days.put(at, { states: this.#states(place), rows: kept, isPartial })
  }

  /** Closes the files that are open. */
  async end(): Promise<void> {
    for (const place of this.#ahead.keys()) await this.#end(place)
  }

  readonly #open = (state: LiveState): StreamAhead => readAhead(streamOf(this.#reading, state))

  #states(place: number): readonly LiveState[] {
    return this.#statesByDay.get(this.#days[place]) ?? []
  }

  #cached(place: number): CachedDay | undefined {
    const at = this.#placeOf(place)
    return at && this.#reading.catalog.days.get(at, this.#states(place))
  }

  /** The place of a whole day of a project in the cache. Undefined if the day has other rows than those of files. */
  #placeOf(place: number): DayPlace | undefined {
    const { view, range } = this.#reading
    const { project, fromUs, throughUs } = range
    const day = this.#days[place]
    const isWhole = fromUs <= day * DAY_US && throughUs >= (day + 1) * DAY_US - 1
    if (project === undefined || !isWhole || this.#hasOthers(day)) return undefined
    return { identity: view.identity, project, day }
  }

  async #end(place: number): Promise<void> {
    const streams = this.#ahead.get(place) ?? []
    this.#ahead.delete(place)
    for (const stream of streams) await stream.end()
  }
}

/** A day with more rows is not cached. */
const MOST_CACHED_ROWS = 10_000

function streamOf({ catalog: { files }, view, range, stale }: Reading, state: LiveState): GroupStream {
  const { project, fromUs, throughUs } = range
  const wanted = project === undefined ? undefined : { project: projectKey(project), fromUs, toUs: throughUs + 1 }
  const stream = groupsOfFile(files, state, view.states, wanted)
  const buckets = stale.get(state)?.buckets
  return buckets === undefined ? stream : leaveOut(stream, buckets)
}

/** The values of a group, in the order of the columns of a view. */
function rowOf(
  group: StateGroup,
  { keys, aggregation }: KeptView,
  read: (bytes: Buffer) => ReturnType<ReturnType<typeof mergingOf>['codec']['read']>,
): Scalar[] {
  const states = read(group.states)
  return [...readKeys(keyBytesOf(group), keys), ...aggregation.outputs.map(({ fold, finish }) => finish(states[fold]))]
}
