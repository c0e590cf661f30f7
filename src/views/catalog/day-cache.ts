import { LRUCache } from 'lru-cache'
import { MIB } from '../../base/units.js'
import { bytesOfValue } from '../../engine/execute/columns/value-bytes.js'
import type { Scalar } from '../../plan/values/values.js'
import type { LiveState } from './live-states.js'

/** A group of a view as a row, in the order of the columns. */
export type GroupRow = readonly Scalar[]

/** The rows of a view, a project and a UTC day that files have. */
export interface CachedDay {
  /** The files with the rows. Other files make the rows outdated. */
  states: readonly LiveState[]
  rows: readonly GroupRow[]
  isPartial: boolean
}

/** Rows of days that were read before. */
export interface DayCache {
  /** Returns the rows of a day if its files are exactly these. */
  get(place: DayPlace, states: readonly LiveState[]): CachedDay | undefined
  put(place: DayPlace, day: CachedDay): void
}

/** The key of the rows of a day. */
export interface DayPlace {
  identity: string
  project: string
  day: number
}

/** Bytes of the cached rows of all views. The least recently used are evicted. */
export const DAY_CACHE_BYTES = 16 * MIB
/** A day with more bytes is not cached. */
const ENTRY_BYTES = MIB
/** Approximate bytes of an entry's objects. */
const FIXED_BYTES = 256

/** Returns an empty cache. */
export function createDayCache(): DayCache {
  const days = new LRUCache<string, CachedDay>({
    maxSize: DAY_CACHE_BYTES,
    maxEntrySize: ENTRY_BYTES,
    sizeCalculation: ({ rows }, key) => FIXED_BYTES + 2 * key.length + rows.reduce((sum, row) => sum + bytesOf(row), 0),
  })
  const keyOf = ({ identity, project, day }: DayPlace) => `${identity} ${day} ${project}`
  return {
    get(place, states) {
      const found = days.get(keyOf(place))
      const isSame = found?.states.length === states.length && found.states.every((state, i) => state === states[i])
      return isSame ? found : undefined
    },
    put: (place, day) => void days.set(keyOf(place), day),
  }
}

const bytesOf = (row: GroupRow): number => row.reduce<number>((sum, value) => sum + bytesOfValue(value), 0)
