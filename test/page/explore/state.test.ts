import { describe, expect, it } from 'vitest'
import type { FilterEntry } from '../../../src/page/api/explore.js'
import { fragmentOf, type State, stateOf } from '../../../src/page/explore/model/state.js'
import { boundsOf, isoOf, type Range, usOf } from '../../../src/page/shared/range.js'
import { below, mulberry32 } from '../../support/random.js'
import { testSeed } from '../../support/seed.js'

const RUNS = 200

const EMPTY: State = {
  view: 'explore',
  project: '',
  source: 'edge_logs',
  range: { preset: '1hr' },
  filters: [],
  isErrors: false,
  search: '',
  record: '',
  sql: '',
  endpoint: '',
  params: {},
}

describe('the state in the URL', () => {
  it('is empty if all is at its default, whatever is in the fragment', () => {
    expect(fragmentOf(EMPTY)).toBe('')
    for (const fragment of [
      '',
      '#',
      '#source=No-Source&range=2min&from=soon&filter={&record=x&view=y&errors=2',
      '#filter=1',
    ])
      expect(stateOf(fragment), fragment).toEqual(EMPTY)
  })

  it('reads links of versions that had charts only', () => {
    expect(stateOf('#project=p&interval=7day')).toEqual({ ...EMPTY, project: 'p', range: { preset: '7day' } })
  })

  it('drops filters that are none, and an end before the start', () => {
    const none = [{ field: 'a', op: 'like' }, { op: '=' }, null, 3, [], [{ field: 'a', op: 'exists' }, 3], [[]]]
    const filter = JSON.stringify([{ field: 'a', op: '=', value: 1 }, ...none])
    expect(stateOf(`#filter=${encodeURIComponent(filter)}`).filters).toEqual([{ field: 'a', op: '=', value: 1 }])
    const from = '2026-11-20T10:00:00.000001Z'
    const fromUs = Date.UTC(2026, 10, 20, 10) * 1_000 + 1
    expect(stateOf(`#from=${from}&to=2026-11-20T09:00:00Z`).range).toEqual({ fromUs, toUs: undefined })
  })

  it('is the same after it was written and read', () => {
    const seed = testSeed()
    const random = mulberry32(seed)
    const pick = <Value>(...values: Value[]) => values[below(random, values.length)]!
    const filter = (): FilterEntry =>
      pick<FilterEntry>(
        { field: 'a.b', op: '=', value: pick<unknown>('x & y=#%', 5, true, 1.5, '') },
        { field: ['a.b', 'c'], op: 'in', value: ['a', 1] },
        { field: 'ü', op: 'exists' },
        [
          { field: 'a', op: '>=', value: 400 },
          { field: 'b', op: 'missing' },
        ],
      )
    const range = (): Range =>
      pick<Range>(
        { preset: pick('5min', '1hr', '7day') },
        { fromUs: 1_763_632_800_000_001, toUs: undefined },
        { fromUs: 1_763_632_800_123_456, toUs: 1_763_632_900_000_000 + below(random, 1_000) },
      )
    for (let run = 0; run < RUNS; run++) {
      const view = pick('explore', 'charts', 'sql', 'api')
      const endpoint = view === 'api' ? pick('', 'logs.all') : ''
      const state: State = {
        view,
        project: pick('', 'abc', 'a&b=c#d +%'),
        source: pick('edge_logs', 'auth_logs', 'pgbouncer_logs', 'nginx'),
        range: range(),
        filters: Array.from({ length: below(random, 4) }, filter),
        isErrors: pick(true, false),
        search: pick('', 'a b', '"§&=#+%'),
        record: pick('', '1763632800000001.12'),
        // A query, an endpoint and the endpoint's values are in the URL of their view only.
        sql: view === 'sql' ? pick('', "select '&=#+%'\nfrom edge_logs -- ü") : '',
        endpoint,
        params:
          endpoint === '' ? {} : pick<State['params']>({}, { source: 'a&b', view: 'charts', search: '', x: '1 #' }),
      }
      expect(stateOf(fragmentOf(state)), `seed ${seed}, run ${run}`).toEqual(state)
    }
  })
})

describe('a range', () => {
  it('ends now if it is a preset', () => {
    expect(boundsOf({ preset: '5min' }, 1_000e6)).toEqual({ fromUs: 700e6, toUs: undefined })
    expect(boundsOf({ fromUs: 1, toUs: 2 }, 1_000e6)).toEqual({ fromUs: 1, toUs: 2 })
  })

  it('is written with all microseconds', () => {
    expect(isoOf(1_763_632_800_000_100)).toBe('2025-11-20T10:00:00.000100Z')
    for (const us of [0, 1, 999_999, 1_763_632_800_123_456]) expect(usOf(isoOf(us))).toBe(us)
    expect(usOf('2025-11-20T10:00:00Z')).toBe(1_763_632_800_000_000)
  })
})
