import { describe, expect, it } from 'vitest'
import { timeTicks } from '../../src/page/plot/time-ticks.js'
import { UTC, wallText } from '../../src/page/shared/zone.js'
import { intlZone } from './shared/intl-zone.js'

const [HOUR_S, DAY_S] = [3_600, 86_400]
const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Asia/Tokyo'].map(intlZone)

/** Returns the ticks between two times in UTC, as clocks in the zone show the ticks. */
function ticks(from: string, to: string, stepS: number, zone = UTC): string[] {
  const [fromS, toS] = [from, to].map((text) => Date.parse(`${text}Z`) / 1_000) as [number, number]
  return timeTicks(fromS, toS, stepS, zone).map((seconds) => wallText(seconds * 1_000, zone).slice(0, 16))
}

describe('ticks of a time axis', () => {
  it.each([UTC, ...ZONES])('are at midnight and noon of $name', (zone) => {
    const found = ticks('2026-11-21T03:20', '2026-11-28T03:20', 12 * HOUR_S, zone)
    expect(found).toHaveLength(14)
    expect(new Set(found.map((text) => text.slice(11)))).toEqual(new Set(['00:00', '12:00']))
  })

  it('stay there when clocks are set forward or back, or skip midnight', () => {
    const berlin = intlZone('Europe/Berlin')
    for (const [from, to] of [
      ['2026-03-27T00:00', '2026-03-31T00:00'],
      ['2026-10-23T00:00', '2026-10-27T00:00'],
    ] as const) {
      const found = ticks(from, to, 12 * HOUR_S, berlin)
      expect(found).toHaveLength(8)
      expect(found.every((text) => /T(?:00|12):00$/.test(text))).toBe(true)
    }
    expect(ticks('2026-09-05T12:00', '2026-09-07T12:00', DAY_S, intlZone('America/Santiago'))).toEqual([
      '2026-09-06T01:00',
      '2026-09-07T00:00',
    ])
  })

  it('have an hour that clocks show twice at both times', () => {
    const found = ticks('2026-10-24T23:00', '2026-10-25T02:00', HOUR_S, intlZone('Europe/Berlin'))
    expect(found.map((text) => text.slice(11))).toEqual(['01:00', '02:00', '02:00', '03:00'])
  })

  it('include both ends, and are at Mondays or starts of months for longer steps', () => {
    expect(ticks('2026-11-21T10:00', '2026-11-21T10:10', 300)).toEqual([
      '2026-11-21T10:00',
      '2026-11-21T10:05',
      '2026-11-21T10:10',
    ])
    expect(ticks('2026-11-20T00:00', '2026-12-01T00:00', 7 * DAY_S)).toEqual(['2026-11-23T00:00', '2026-11-30T00:00'])
    const newYork = intlZone('America/New_York')
    expect(ticks('2025-11-15T00:00', '2026-06-15T00:00', 90 * DAY_S, newYork)).toEqual([
      '2026-01-01T00:00',
      '2026-04-01T00:00',
    ])
    expect(ticks('2023-06-01T00:00', '2026-06-01T00:00', 365 * DAY_S)).toEqual(
      ['2024', '2025', '2026'].map((year) => `${year}-01-01T00:00`),
    )
  })
})
