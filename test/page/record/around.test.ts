import { describe, expect, it } from 'vitest'
import type { Row } from '../../../src/page/api/api.js'
import { AROUND_US, mergeAround, queryPart } from '../../../src/page/record/around.js'
import { distanceText } from '../../../src/page/record/record-around.js'
import { isoOf as isoMicros } from '../../../src/page/shared/range.js'
import { below, mulberry32, type Random } from '../../support/random.js'
import { testSeed } from '../../support/seed.js'

const NOW_US = Date.UTC(2026, 10, 20, 10) * 1_000
const row = (timestamp: number, id: string, rank = 1): Row => ({ id, timestamp, event_message: '', metadata: {}, rank })
const idsOf = (rows: readonly Row[]) => rows.map(({ id }) => id)

describe('a time', () => {
  it('is ISO 8601 with microseconds', () => {
    expect(isoMicros(NOW_US)).toBe('2026-11-20T10:00:00.000000Z')
    expect(isoMicros(NOW_US + 1)).toBe('2026-11-20T10:00:00.000001Z')
    expect(isoMicros(NOW_US - 1)).toBe('2026-11-20T09:59:59.999999Z')
  })

  it('has a distance from another one', () => {
    expect([0, 1_204_000, -1_204_000, 60e6, -12, 999].map(distanceText)).toEqual([
      '+0.000 s',
      '+1.204 s',
      '−1.204 s',
      '+60.000 s',
      '−0.000012 s',
      '+0.000999 s',
    ])
  })
})

/** Reads `2026-11-20T10:00:00.123456Z`. */
const usOf = (text: string) => Date.parse(`${text.slice(0, 23)}Z`) * 1_000 + Number(text.slice(23, 26))

/** Answers as `logs.explore`, from the given rows. */
function explore(rows: readonly Row[], asked: Record<string, string>[] = []) {
  return async (params: Record<string, string>) => {
    asked.push(params)
    const [from, to] = [usOf(params.start!), usOf(params.end!)]
    const [afterUs, afterRank] = (params.after ?? '0.0').split('.').map(Number) as [number, number]
    const found = rows
      .filter(({ timestamp }) => (timestamp as number) >= from && (timestamp as number) < to)
      .filter(({ timestamp, rank }) =>
        timestamp === afterUs ? (rank as number) > afterRank : (timestamp as number) > afterUs,
      )
      .sort((a, b) => (b.timestamp as number) - (a.timestamp as number) || (b.rank as number) - (a.rank as number))
    const limit = Number(params.limit)
    return params.after === undefined ? found.slice(0, limit) : found.slice(-limit)
  }
}

describe('the rows of a source around a time', () => {
  it('are those of a minute before and after, both ends included', async () => {
    const times = [-AROUND_US - 1, -AROUND_US, -1, 0, 1, AROUND_US, AROUND_US + 1]
    const asked: Record<string, string>[] = []
    const part = await queryPart(
      NOW_US,
      explore(
        times.map((by) => row(NOW_US + by, String(by))),
        asked,
      ),
    )
    expect(part).toEqual({ rows: expect.anything(), isCut: false })
    expect(idsOf(part.rows)).toEqual(['60000000', '1', '0', '-1', '-60000000'])
    expect(asked).toEqual([{ start: isoMicros(NOW_US - 60e6), end: isoMicros(NOW_US + 60e6 + 1), limit: '101' }])
  })

  it('are the nearest of each side if there are many', async () => {
    const times = Array.from({ length: 401 }, (_, i) => i - 200)
    const part = await queryPart(NOW_US, explore(times.map((by) => row(NOW_US + by * 1_000, String(by)))))
    expect(part.isCut).toBe(true)
    expect(idsOf(part.rows)).toEqual(Array.from({ length: 100 }, (_, i) => String(50 - i)))
  })
})

describe('the rows of all sources around a row', () => {
  const center = { source: 'b', row: row(NOW_US, 'center', 7) }

  it('are in the order of time, then of the sources, then of arrival', () => {
    const parts = [
      { source: 'a', rows: [row(NOW_US + 5, 'a3'), row(NOW_US, 'a2', 2), row(NOW_US, 'a1', 1)], isCut: false },
      { source: 'b', rows: [row(NOW_US + 5, 'b2'), row(NOW_US, 'center', 3), row(NOW_US - 1, 'b1')], isCut: false },
    ]
    const { rows, at } = mergeAround(center, parts)
    expect(rows.map(({ source, row: { id } }) => `${source} ${id}`)).toEqual([
      'b b1',
      'a a1',
      'a a2',
      'b center',
      'a a3',
      'b b2',
    ])
    expect(at).toBe(3)
  })

  it('have the row itself, also if its source has too many of its time, or could not be read', () => {
    const others = { source: 'b', rows: [row(NOW_US + 1, 'later'), row(NOW_US, 'other')], isCut: true }
    expect(mergeAround(center, [others])).toMatchObject({ at: 1, rows: [{ row: { id: 'other' } }, center, {}] })
    expect(mergeAround(center, [])).toEqual({ at: 0, rows: [center] })
    const elsewhere = { source: 'a', rows: [row(NOW_US, 'center')], isCut: false }
    expect(mergeAround(center, [elsewhere]).rows.length).toBe(2)
  })

  it('are each there once, sorted, with the row itself at its place', () => {
    const seed = testSeed()
    const random = mulberry32(seed)
    for (let run = 0; run < 200; run++) {
      const parts = ['a', 'b', 'c'].map((source) => ({ source, rows: randomRows(random, source), isCut: false }))
      const own = parts[1]!.rows
      const middle = { source: 'b', row: own[below(random, own.length)]! }
      const { rows, at } = mergeAround(middle, parts)
      const about = `seed ${seed}, run ${run}`
      expect(rows[at]!.row.id, about).toBe(middle.row.id)
      expect(rows.map(({ row: { id } }) => id).sort(), about).toEqual(parts.flatMap((part) => idsOf(part.rows)).sort())
      for (const [i, { row: one }] of rows.entries())
        expect(one.timestamp as number, about).toBeGreaterThanOrEqual((rows[i - 1]?.row.timestamp as number) ?? 0)
    }
  })
})

/** Returns rows of few times, newest first. */
function randomRows(random: Random, source: string): Row[] {
  const times = Array.from({ length: 1 + below(random, 9) }, () => NOW_US + below(random, 5))
  return times.sort((a, b) => b - a).map((time, i) => row(time, `${source}${i}`))
}
