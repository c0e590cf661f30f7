import { describe, expect, it } from 'vitest'
import { chartsOf } from '../../../src/page/answer/charts-of.js'
import type { Row } from '../../../src/page/api/api.js'
import { below, mulberry32, type Random } from '../../support/random.js'
import { testSeed } from '../../support/seed.js'

const RUNS = 200
const HOUR_US = 3_600e6
const NONE = Number.NaN

/** Returns columns of names and kinds: `t microseconds, n count`. */
const columns = (text: string) =>
  text.split(', ').map((column) => {
    const [name, kind] = column.split(' ') as [string, string]
    return { name, kind }
  })

/** Returns rows of cells, in the order of the columns. */
const rowsOf = (text: string, ...rows: unknown[][]): Row[] =>
  rows.map((cells) => Object.fromEntries(columns(text).map(({ name }, i) => [name, cells[i]])))

function charts(text: string, ...rows: unknown[][]) {
  const found = chartsOf(columns(text), rowsOf(text, ...rows))
  if (found === undefined) return undefined
  const plain = found.charts.map(({ title, kind, series, values, note }) => ({
    ...(title && { title }),
    kind,
    series: Object.fromEntries(series.map(({ label }, i) => [label, [...values[i]!]])),
    ...(note && { note }),
  }))
  return { timesS: [...found.axis.timesS], bucketS: found.axis.bucketS, charts: plain, omitted: found.omitted }
}

describe('chartsOf', () => {
  it('draws one count as bars over all buckets, whatever the order of the rows', () => {
    const hours = [3, 0, 1].map((hour) => [hour * HOUR_US, 10 + hour])
    expect(charts('t microseconds, n count', ...hours)).toEqual({
      timesS: [0, 3_600, 7_200, 10_800],
      bucketS: 3_600,
      charts: [{ kind: 'bars', series: { n: [10, 11, 0, 13] } }],
      omitted: [],
    })
  })

  it('draws other numbers as lines, with gaps in empty buckets, also of texts that are times', () => {
    for (const kind of ['datetime', 'text']) {
      const found = charts(
        `n double, t ${kind}`,
        [1.5, '2026-11-20T10:00:00'],
        [null, '2026-11-20T10:01:00'],
        [-2, '2026-11-20T10:03:00.000'],
      )
      expect(found).toMatchObject({ bucketS: 60, charts: [{ kind: 'lines', series: { n: [1.5, NONE, NONE, -2] } }] })
    }
    const days = charts('t text, n integer', ['2026-11-20', 1], [null, 7], ['2026-11-21', 2])
    expect(days).toMatchObject({ bucketS: 86_400, charts: [{ series: { n: [1, 2] } }] })
  })

  it('keeps times that are of no buckets, and connects them', () => {
    const found = charts('t microseconds, n count', [5e6 + 1, 3], [1e6, 1], [3e6, 2])
    expect(found).toEqual({
      timesS: [1, 3, 5.000001],
      bucketS: 0,
      charts: [{ kind: 'lines', series: { n: [1, 2, 3] } }],
      omitted: [],
    })
  })

  it('is undefined without a time, a number, or two times', () => {
    const text = 't microseconds, n count'
    expect(charts('url text, n count', ['/a', 1], ['/b', 2])).toBeUndefined()
    expect(charts('t microseconds, m json, l any', [1e6, '{}', 1], [2e6, '{}', 2])).toBeUndefined()
    expect(charts('a text, n count', ['2026-11-20T10:00:00', 1], ['soon', 2])).toBeUndefined()
    expect(charts('t microseconds, n double', [1e6, null], [2e6, null])).toBeUndefined()
    expect(charts(text)).toBeUndefined()
    expect(charts(text, [1e6, 1], [1e6, 2], [null, 3])).toBeUndefined()
  })

  it('is undefined for groups with the latest of their times, of which each series would have one point', () => {
    const groups = [
      ['23505', 29, 3, 60e6],
      ['42P01', 25, 4, 120e6],
    ]
    expect(charts('code text, errors count, users count, latest microseconds', ...groups)).toBeUndefined()
    expect(charts('code text, errors count, users count, last_seen microseconds', ...groups)).toBeUndefined()
    expect(charts('code text, errors count, users count, hour microseconds', ...groups)).toBeDefined()
    // A key that has several times is a series, and so are rows without a key.
    const twice = [
      ['a', 1, 0],
      ['a', 2, 60e6],
    ]
    expect(charts('code text, n count, first microseconds', ...twice)).toBeDefined()
    expect(charts('last microseconds, n count', [0, 1], [60e6, 2])).toBeDefined()
  })

  it('puts columns of similar size in one chart, counts apart from others', () => {
    const text =
      't microseconds, calls count, p95 double, rate double, errors count, p99 double, zero double, rare count'
    const found = charts(text, [0, 90, 80, 0.5, 10, 400, 0, 1], [HOUR_US, 100, 90, 0.25, 5, 300, 0, 0])!
    expect(found.charts.map(({ kind, series }) => [kind, Object.keys(series)])).toEqual([
      ['lines', ['calls', 'errors']],
      ['lines', ['p95', 'p99', 'zero']],
      ['lines', ['rate']],
      ['bars', ['rare']],
    ])
  })

  it('leaves to the table what is beyond four charts', () => {
    const found = charts(
      't microseconds, a double, b double, c double, d double, e double',
      [0, 1, 1e2, 1e4, 1e6, 1e8],
      [HOUR_US, 1, 1e2, 1e4, 1e6, 1e8],
    )!
    expect([found.charts.length, found.omitted]).toEqual([4, ['e']])
  })

  it('has one series per key, which may be of several columns, and skips those with one value', () => {
    const text = 't microseconds, project text, method text, ok boolean, n count, p95 double'
    const found = charts(
      text,
      [HOUR_US, 'p', 'POST', true, 5, 0.5],
      [0, 'p', 'GET', true, 1, 0.1],
      [0, 'p', 'GET', false, 2, 0.2],
      [0, 'p', null, false, 3, null],
    )!
    const by = 'by method, ok'
    expect(found.charts).toEqual([
      {
        title: `n ${by}`,
        kind: 'bars',
        series: { '(null) · false': [3, 0], 'GET · false': [2, 0], 'GET · true': [1, 0], 'POST · true': [0, 5] },
      },
      {
        title: `p95 ${by}`,
        kind: 'lines',
        series: {
          '(null) · false': [NONE, NONE],
          'GET · false': [0.2, NONE],
          'GET · true': [0.1, NONE],
          'POST · true': [NONE, 0.5],
        },
      },
    ])
    const single = charts('t microseconds, level text, n count', [0, '', 1], [HOUR_US, '', 2])!
    expect(single.charts).toEqual([{ title: 'n by level', kind: 'bars', series: { '(empty)': [1, 2] } }])
  })

  it('sums the keys after the eight most frequent of a count, and says how many of others are missing', () => {
    const keys = Array.from({ length: 11 }, (_, i) => `k${i}`)
    const rows = [0, HOUR_US].flatMap((t) => keys.map((key, i) => [t, key, t === 0 ? 100 - i : 1, i]))
    const found = charts('t microseconds, key text, n count, mean double', ...rows)!
    const [counts, means] = found.charts
    expect(Object.keys(counts!.series)).toEqual([...keys.slice(0, 8), 'other (3)'])
    expect(counts!.series['other (3)']).toEqual([92 + 91 + 90, 3])
    expect(counts!.note).toBeUndefined()
    expect(Object.keys(means!.series)).toEqual(keys.slice(0, 8))
    expect(means!.note).toBe('3 less frequent: only in the table')
  })

  it('splits by no text that names single rows, and draws the highest of several rows of one time', () => {
    const rows = Array.from({ length: 20 }, (_, i) => [Math.floor(i / 2) * HOUR_US, `id ${i}`, i, 1])
    const found = charts('t microseconds, id text, n double, c count', ...rows)!
    const highest = Array.from({ length: 10 }, (_, i) => 2 * i + 1)
    expect(found.charts).toEqual([
      { kind: 'lines', series: { n: highest }, note: 'highest of rows with the same time' },
      { kind: 'bars', series: { c: Array(10).fill(2) } },
    ])
  })

  it('draws each value once, at its time', () => {
    const seed = testSeed()
    const random = mulberry32(seed)
    for (let run = 0; run < RUNS; run++) {
      const rows = randomRows(random)
      const text = `seed ${seed}, run ${run}: ${JSON.stringify(rows)}`
      const found = chartsOf(columns('t microseconds, key text, n count'), rows)
      if (new Set(rows.map(({ t }) => t)).size < 2) {
        expect(found, text).toBeUndefined()
        continue
      }
      const { axis, charts: drawn } = found!
      const expected = new Map<string, number>()
      for (const { t, key, n } of rows) expected.set(`${t} ${key}`, (expected.get(`${t} ${key}`) ?? 0) + n)
      const actual = new Map<string, number>()
      for (const [s, { label }] of drawn[0]!.series.entries())
        for (const [i, value] of drawn[0]!.values[s]!.entries())
          if (value > 0) actual.set(`${Math.round(axis.timesS[i]! * 1e6)} ${label}`, value)
      expect(actual, text).toEqual(new Map([...expected].filter(([, value]) => value > 0)))
    }
  })
})

/** Returns rows with at most three keys and times of buckets, of months or of none, in any order. */
function randomRows(random: Random): { t: number; key: string; n: number }[] {
  const kind = below(random, 3)
  const timeUs = (i: number) =>
    [i * HOUR_US, Date.UTC(2026, i) * 1_000, Date.UTC(2026, 10, 20) * 1_000 + i * 1_234_567][kind]!
  return Array.from({ length: 2 + below(random, 30) }, () => ({
    t: timeUs(below(random, 20)),
    key: `key ${below(random, 3)}`,
    n: below(random, 4),
  }))
}
