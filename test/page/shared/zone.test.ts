import { describe, expect, it } from 'vitest'
import { instantOf, LOCAL, offsetText, UTC, wallText } from '../../../src/page/shared/zone.js'
import { below, mulberry32 } from '../../support/random.js'
import { testSeed } from '../../support/seed.js'
import { intlZone } from './intl-zone.js'

/** Zones with hours, half hours and quarters, with clocks set by an hour, by half an hour, and never. */
const NAMES = ['America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Pacific/Chatham', 'Europe/Berlin', 'UTC']
const wall = (text: string) => Date.parse(`${text}Z`)
const shown = (text: string, name: string, isLater = false) =>
  new Date(instantOf(wall(text), intlZone(name), isLater)).toISOString()

describe('a time zone', () => {
  it('shows what its clocks show', () => {
    const ms = Date.parse('2026-11-20T10:00:00.123Z')
    expect(NAMES.map((name) => wallText(ms, intlZone(name)))).toEqual([
      '2026-11-20T05:00:00.123',
      '2026-11-20T15:30:00.123',
      '2026-11-20T21:00:00.123',
      '2026-11-20T23:45:00.123',
      '2026-11-20T11:00:00.123',
      '2026-11-20T10:00:00.123',
    ])
    expect(NAMES.map((name) => offsetText(ms, intlZone(name)))).toEqual([
      '-05:00',
      '+05:30',
      '+11:00',
      '+13:45',
      '+01:00',
      'UTC',
    ])
    expect(offsetText(ms, UTC)).toBe('UTC')
  })

  it('finds the instant of a time that clocks show once', () => {
    expect(shown('2026-11-20T05:00:00.123', 'America/New_York')).toBe('2026-11-20T10:00:00.123Z')
    expect(shown('2026-07-01T00:00', 'Europe/Berlin')).toBe('2026-06-30T22:00:00.000Z')
  })

  it('finds both instants of a time that clocks show twice', () => {
    expect(shown('2026-11-01T01:30', 'America/New_York')).toBe('2026-11-01T05:30:00.000Z')
    expect(shown('2026-11-01T01:30', 'America/New_York', true)).toBe('2026-11-01T06:30:00.000Z')
    expect(shown('2026-04-05T01:45', 'Australia/Lord_Howe')).toBe('2026-04-04T14:45:00.000Z')
    expect(shown('2026-04-05T01:45', 'Australia/Lord_Howe', true)).toBe('2026-04-04T15:15:00.000Z')
  })

  it('reads a time that clocks skip as if they had not been set forward', () => {
    for (const isLater of [false, true])
      expect(shown('2026-03-08T02:30', 'America/New_York', isLater)).toBe('2026-03-08T07:30:00.000Z')
  })

  it('of this machine is as Date has it', () => {
    for (const ms of [Date.UTC(2026, 0, 1), Date.UTC(2026, 6, 1), Date.UTC(2026, 10, 20, 23, 59)]) {
      const date = new Date(ms)
      expect(wallText(ms, LOCAL).slice(11, 16)).toBe(date.toTimeString().slice(0, 5))
      expect(instantOf(wall(wallText(ms, LOCAL)), LOCAL)).toBe(ms)
    }
  })

  it('finds the instant of every time that it shows', () => {
    const seed = testSeed()
    const random = mulberry32(seed)
    for (const name of NAMES) {
      const zone = intlZone(name)
      for (let run = 0; run < 200; run++) {
        // Days around the changes of clocks in March, April, September, October and November.
        const dayMs = Date.UTC(2026, [2, 3, 8, 9, 10][below(random, 5)]!, 1 + below(random, 30))
        const ms = dayMs + below(random, 96) * 900_000
        const text = wallText(ms, zone)
        const [first, last] = [instantOf(wall(text), zone), instantOf(wall(text), zone, true)]
        const about = `seed ${seed}, ${name}, ${new Date(ms).toISOString()}`
        expect([first, last], about).toContain(ms)
        expect([wallText(first, zone), wallText(last, zone)], about).toEqual([text, text])
      }
    }
  })
})
