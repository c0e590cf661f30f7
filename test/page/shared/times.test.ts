import { describe, expect, it } from 'vitest'
import { bucketTime, fullTime, startTimes, tick, timestamp, zoneName } from '../../../src/page/shared/times.js'
import { LOCAL, UTC } from '../../../src/page/shared/zone.js'
import { intlZone } from './intl-zone.js'

const US = Date.UTC(2026, 10, 20, 10, 0, 0, 123) * 1_000 + 456
const DAY_S = Date.UTC(2026, 10, 20) / 1_000

/** Chooses a zone, as a click on the button does. */
function choose(name: 'utc' | 'local') {
  let changes = 0
  const button = { textContent: '', title: '', addEventListener() {} }
  const { toggle } = startTimes(button as unknown as HTMLButtonElement, () => changes++)
  if ((button.textContent === 'UTC') !== (name === 'utc')) {
    toggle()
    expect(changes).toBe(1)
  }
  return button
}

describe('times', () => {
  it('are in UTC if the user chooses so', () => {
    expect(choose('utc')).toMatchObject({ textContent: 'UTC', title: expect.stringMatching(/^Times are in UTC\./) })
    expect(zoneName()).toBe('UTC')
    expect(timestamp(US)).toBe('2026-11-20 10:00:00.123')
    expect(fullTime(US)).toBe('2026-11-20 10:00:00.123456 UTC')
    expect(fullTime(US - 456)).toBe('2026-11-20 10:00:00.123000 UTC')
    expect(fullTime(253402300799999999n)).toBe('9999-12-31 23:59:59.999999 UTC')
    expect(fullTime(-62135596799999999n)).toBe('0001-01-01 00:00:00.000001 UTC')
    expect(fullTime(-1)).toBe('1969-12-31 23:59:59.999999 UTC')
    expect(fullTime(US, intlZone('Asia/Kolkata'))).toBe('2026-11-20 15:30:00.123456 +05:30')
  })

  it('are local times otherwise', () => {
    expect(choose('local')).toMatchObject({ textContent: 'Local time', title: expect.stringContaining(LOCAL.name) })
    expect(zoneName()).toBe(LOCAL.name)
    const date = new Date(US / 1_000)
    expect(timestamp(US).slice(11, 19)).toBe(date.toTimeString().slice(0, 8))
    expect(tick(US / 1e6, 60)).toBe(date.toTimeString().slice(0, 5))
  })

  it('of buckets and axes have the digits of their size', () => {
    choose('utc')
    expect([86_400, 3_600, 60, 1, 0].map((bucketS) => bucketTime(DAY_S, bucketS))).toEqual([
      '2026-11-20',
      '2026-11-20 00:00',
      '2026-11-20 00:00',
      '2026-11-20 00:00:00',
      '2026-11-20 00:00:00',
    ])
    expect(bucketTime(DAY_S + 0.5, 0)).toBe('2026-11-20 00:00:00.500')
    // A day that begins at another hour than midnight, as a day of UTC does in other zones.
    expect(bucketTime(DAY_S + 3_600, 86_400)).toBe('2026-11-20 01:00')
    expect([90 * 86_400, 86_400, 3_600, 1].map((stepS) => tick(DAY_S, stepS))).toEqual([
      '2026-11',
      '11-20',
      // A range of several days has no other date on the axis.
      '11-20',
      '11-20',
    ])
    expect([3_600, 1].map((stepS) => tick(DAY_S + 3_600, stepS))).toEqual(['01:00', '01:00:00'])
    // The first tick of a day has the date, also if the day has no midnight.
    expect([-1, 1].map((hours) => tick(DAY_S + 3_600, 3_600, DAY_S + hours * 1_800))).toEqual(['11-20', '01:00'])
  })

  it('can be in UTC again', () => {
    choose('local')
    choose('utc')
    expect(fullTime(US)).toBe(fullTime(US, UTC))
  })
})
