import { describe, expect, it } from 'vitest'
import type { RowKey } from '../../src/import/postgres/table-reader.js'
import { firstWindow, nextWindow, type Window } from '../../src/import/time-windows.js'
import { below, mulberry32 } from '../support/random.js'
import { testSeed } from '../support/seed.js'

const LIMIT = 10
const key = (timestampUs: number, id: string): RowKey => ({ id, timestampUs, bytes: 1, place: '(0,1)' })

/** The keys that the query of a window finds among `keys`, which are in the order of time and id. */
const keysIn = (keys: readonly RowKey[], { fromUs, beforeUs, afterId }: Window) =>
  keys
    .filter(({ timestampUs }) => timestampUs >= fromUs && timestampUs < beforeUs)
    .filter(({ timestampUs, id }) => afterId === undefined || timestampUs > fromUs || id > afterId)
    .slice(0, LIMIT)

/** Reads all keys of a range by windows. Returns the keys, and the number of queries. */
function readAll(keys: readonly RowKey[], range: { fromUs: number; throughUs: number }) {
  const read: RowKey[] = []
  let queries = 0
  for (let window: Window | undefined = firstWindow(range, keys.length, LIMIT); window !== undefined; queries++) {
    const found = keysIn(keys, window)
    read.push(...found)
    window = nextWindow(window, found, LIMIT)
  }
  return { read, queries }
}

describe('the windows of an import', () => {
  it('have each key of the range once, in order, however the times are spread', () => {
    const seed = testSeed()
    console.log(`time windows: seed ${seed}`)
    const random = mulberry32(seed)
    for (let run = 0; run < 300; run++) {
      const [spanUs, distinct] = [1 + below(random, 10 ** below(random, 13)), 1 + below(random, 60)]
      const times = Array.from({ length: distinct }, () => 1_700_000_000_000_000 + below(random, spanUs))
      const keys = Array.from({ length: below(random, 200) }, (_, i) => key(times[below(random, distinct)]!, `${i}`))
      keys.sort((a, b) => a.timestampUs - b.timestampUs || (a.id < b.id ? -1 : 1))
      if (keys.length === 0) continue
      const inside = keys
        .slice(below(random, keys.length))
        .filter(({ timestampUs }) => timestampUs < times[0]! + spanUs)
      if (inside.length === 0) continue
      const range = { fromUs: inside[0]!.timestampUs, throughUs: inside.at(-1)!.timestampUs }
      const expected = keys.filter(({ timestampUs: us }) => us >= range.fromUs && us <= range.throughUs)
      expect(readAll(keys, range).read, `seed ${seed}, run ${run}`).toEqual(expected)
    }
  })

  it('takes few queries for rows that are evenly spread, in bursts, or all at one moment', () => {
    const evenly = Array.from({ length: 1000 }, (_, i) => key(i * 1e6, `${i}`))
    expect(readAll(evenly, { fromUs: 0, throughUs: 999e6 }).queries).toBeLessThan(250)
    // Two bursts, ninety days apart.
    const bursts = Array.from({ length: 1000 }, (_, i) => key((i % 2) * 90 * 86_400e6 + i, `${i}`))
    bursts.sort((a, b) => a.timestampUs - b.timestampUs)
    const range = { fromUs: 0, throughUs: bursts.at(-1)!.timestampUs }
    expect(readAll(bursts, range).queries).toBeLessThan(300)
    const moment = Array.from({ length: 1000 }, (_, i) => key(5, String(i).padStart(4, '0')))
    expect(readAll(moment, { fromUs: 5, throughUs: 5 })).toEqual({ read: moment, queries: 101 })
  })
})
