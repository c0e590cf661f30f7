import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFakeClock } from './support/clock.js'
import { appendAll, ask, openEngine } from './support/engine.js'
import { edge, invocation } from './support/records.js'

/** Imported by name at run time: the module has no types. */
const RUNS = join(import.meta.dirname, '../scripts/runs.mjs')

/** The time zone that the scripts set. Undefined if a test is run by itself. */
const ZONE = process.env.TZ

/** A moment with another hour and another day in the shifted zone. */
const NOW_US = Date.UTC(2026, 10, 20, 23, 45) * 1000

describe('K2: time zones', () => {
  it('K2: unit tests run under UTC, and under a zone whose offset is no whole hour', async () => {
    const { ALL, SHIFTED } = (await import(RUNS)) as {
      ALL: { timeZone: string; project: string }[]
      SHIFTED: string[]
    }
    const offsets = ALL.filter(({ project }) => project === 'unit').map(({ timeZone }) => offsetMinutes(timeZone))
    expect(offsets).toContain(0)
    expect(offsets.filter((minutes) => minutes % 60 !== 0)).not.toEqual([])
    expect(SHIFTED.map(offsetMinutes).filter((minutes) => minutes % 60 === 0)).toEqual([])
  })

  it('K2: the zone that was asked for is the one that this process is in', () => {
    expect(new Date(NOW_US / 1000).getTimezoneOffset() + offsetMinutes(ZONE)).toBe(0)
  })

  it('K2: buckets, windows and bounds are in UTC, whatever the zone of the process', async () => {
    const engine = openEngine({ clock: createFakeClock(NOW_US) })
    const metadata = { request: { url: 'https://a.co/', path: '/rest' } }
    await appendAll(engine, [edge({ timestampUs: NOW_US, metadata }), invocation({ timestampUs: NOW_US })])
    const daily = await ask(engine, 'usage.api-counts', { project: 'a', interval: 'daily' }, NOW_US)
    expect(daily).toMatchObject([{ timestamp: '2026-11-20T00:00:00', total_rest_requests: 1 }])
    const hourly = await ask(engine, 'usage.api-counts', { project: 'a', interval: 'hourly' }, NOW_US)
    expect(hourly).toMatchObject([{ timestamp: '2026-11-20T23:00:00', total_rest_requests: 1 }])
    for (const [interval, hour] of Object.entries({ '7day': 0, '1day': 23 })) {
      const stats = await ask(engine, 'functions.invocation-stats', { project: 'a', interval }, NOW_US)
      expect(stats).toMatchObject([{ timestamp: Date.UTC(2026, 10, 20, hour) * 1000, count: 1 }])
    }
    const since = (iso_timestamp_start: string) =>
      ask(engine, 'logs.all', { project: 'a', iso_timestamp_start }, NOW_US)
    expect([await since('2026-11-20T23:44'), await since('2026-11-20T23:45')]).toMatchObject([[{}], []])
    expect([await since('2026-11-20'), await since('2026-11-21')]).toMatchObject([[{}], []])
    await engine.close()
  })
})

/** Returns the minutes east of UTC at that moment, by the calendar of the zone. */
function offsetMinutes(timeZone: string | undefined): number {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  const name = format.formatToParts(NOW_US / 1000).find(({ type }) => type === 'timeZoneName')!.value
  const [, sign, hours, minutes] = /^GMT(?:([+-])(\d\d):(\d\d))?$/.exec(name)!
  return sign === undefined ? 0 : Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes))
}
