import { describe, expect, it } from 'vitest'
import { readRange, readTime, TIME_FORMS } from '../../../src/page/shared/time-input.js'
import { UTC } from '../../../src/page/shared/zone.js'
import { intlZone } from './intl-zone.js'

const NOW = '2026-11-20T10:00:00.500'
const us = (iso: string) => Date.parse(`${iso}Z`) * 1_000
const iso = (time: number | undefined) =>
  time === undefined ? undefined : new Date(time / 1_000).toISOString().slice(0, -1).replace('.000', '')
const read = (text: string, more = {}) => iso(readTime(text, { zone: UTC, nowUs: us(NOW), ...more }))
const inBerlin = { zone: intlZone('Europe/Berlin') }
const inNewYork = { zone: intlZone('America/New_York') }

describe('a time that is typed', () => {
  it.each([
    ['now', NOW],
    ['15m', '2026-11-20T09:45:00.500'],
    ['-2h', '2026-11-20T08:00:00.500'],
    ['90 seconds ago', '2026-11-20T09:58:30.500'],
    ['1 day', '2026-11-19T10:00:00.500'],
    ['2w ago', '2026-11-06T10:00:00.500'],
    ['09:03', '2026-11-20T09:03:00'],
    [' 9:03:05 ', '2026-11-20T09:03:05'],
    ['10:00:00.250', '2026-11-20T10:00:00.250'],
    ['14:03', '2026-11-19T14:03:00'],
    ['2026-11-18', '2026-11-18T00:00:00'],
    ['2026-11-18 14:03', '2026-11-18T14:03:00'],
    ['2026-11-18T14:03:05,25', '2026-11-18T14:03:05.250'],
    ['2026-11-18T14:03:05Z', '2026-11-18T14:03:05'],
    ['2026-11-18 14:03 +02:00', '2026-11-18T12:03:00'],
    ['2026-11-18T14:03:00-0530', '2026-11-18T19:33:00'],
    ['2026-11-18 14:03 UTC', '2026-11-18T14:03:00'],
    ['today', '2026-11-20T00:00:00'],
    ['Yesterday  14:03', '2026-11-19T14:03:00'],
    ['1763632800', '2025-11-20T10:00:00'],
    ['1763632800123', '2025-11-20T10:00:00.123'],
    ['1763632800123456', '2025-11-20T10:00:00.123'],
    ['1763632800123456789', '2025-11-20T10:00:00.123'],
  ])('%s', (text, expected) => {
    expect(read(text)).toBe(expected)
  })

  it.each([
    '',
    'soon',
    '24:00',
    '14:60',
    '14:03:60',
    '14',
    '2026-02-30',
    '2026-13-01',
    '2026-11-20 25:00',
    '2026-11-20 14:03 CET',
    '2026-11-20 14:03 +02:75',
    '2026-11-20 x',
    '14:03 +02:00',
    '15 parsecs',
    '5 months',
    '-5',
    '12345678',
  ])('is none: "%s"', (text) => {
    expect(read(text)).toBeUndefined()
  })

  it('keeps microseconds', () => {
    expect(readTime('2026-11-18 14:03:05.123456', { zone: UTC, nowUs: 0 })).toBe(us('2026-11-18T14:03:05') + 123_456)
    expect(readTime('2026-11-18T14:03:05.1234567+01:00', { zone: UTC, nowUs: 0 })).toBe(
      us('2026-11-18T13:03:05') + 123_456,
    )
    expect(readTime('1763632800123456', { zone: UTC, nowUs: 0 })).toBe(1_763_632_800_123_456)
  })

  it('is read in the zone that times are shown in, unless it has an offset', () => {
    expect(read('10:30', inBerlin)).toBe('2026-11-20T09:30:00')
    expect(read('2026-11-20', inBerlin)).toBe('2026-11-19T23:00:00')
    expect(read('2026-07-20 10:00', inBerlin)).toBe('2026-07-20T08:00:00')
    expect(read('2026-07-20 10:00Z', inBerlin)).toBe('2026-07-20T10:00:00')
    // In New York the day is still the 19th.
    expect(read('today', { ...inNewYork, nowUs: us('2026-11-20T03:00') })).toBe('2026-11-19T05:00:00')
    expect(read('23:30', { ...inNewYork, nowUs: us('2026-11-20T03:00') })).toBe('2026-11-19T04:30:00')
  })

  it('of an hour that clocks show twice is the first one at the start of a range, the second at its end', () => {
    const text = '2026-11-01 01:30'
    expect(read(text, inNewYork)).toBe('2026-11-01T05:30:00')
    expect(read(text, { ...inNewYork, isEnd: true })).toBe('2026-11-01T06:30:00')
  })
})

describe('a range that is typed', () => {
  const range = (from: string, to: string, more = {}) => {
    const reading = readRange(from, to, { zone: UTC, nowUs: us(NOW), ...more })
    return 'range' in reading ? [iso(reading.range.fromUs), iso(reading.range.toUs)] : reading
  }

  it('is open without an end, and up to now', () => {
    for (const to of ['', ' ', 'now', ' Now']) expect(range('09:03', to)).toEqual(['2026-11-20T09:03:00', undefined])
  })

  it('includes the day that it ends with, also one of 23 or 25 hours', () => {
    expect(range('2026-11-17', '2026-11-18')).toEqual(['2026-11-17T00:00:00', '2026-11-19T00:00:00'])
    expect(range('2026-11-01', '2026-11-01', inNewYork)).toEqual(['2026-11-01T04:00:00', '2026-11-02T05:00:00'])
    expect(range('2026-03-08', '2026-03-08', inNewYork)).toEqual(['2026-03-08T05:00:00', '2026-03-09T04:00:00'])
  })

  it('ends with a time of day at the first one after its start', () => {
    expect(range('09:03', '09:10')).toEqual(['2026-11-20T09:03:00', '2026-11-20T09:10:00'])
    expect(range('23:50', '00:10')).toEqual(['2026-11-19T23:50:00', '2026-11-20T00:10:00'])
    expect(range('23:50', '23:45')).toEqual(['2026-11-19T23:50:00', '2026-11-20T23:45:00'])
    expect(range('09:10', '11:00')).toEqual(['2026-11-20T09:10:00', '2026-11-20T11:00:00'])
    expect(range('2026-11-10 14:03', '15:00')).toEqual(['2026-11-10T14:03:00', '2026-11-10T15:00:00'])
  })

  it('says which of its times is wrong, and what it may be', () => {
    expect(range('soon', '')).toEqual({ wrong: 'from', message: `“soon” is no time. Enter ${TIME_FORMS}.` })
    expect(range('', '')).toEqual({ wrong: 'from', message: `Enter a time: ${TIME_FORMS}.` })
    expect(range('1h', 'later')).toMatchObject({ wrong: 'to' })
    expect(range('09:10', '09:03')).toEqual({ wrong: 'to', message: 'The range ends before it starts.' })
    expect(range('2026-11-18', '2026-11-17')).toEqual({ wrong: 'to', message: 'The range ends before it starts.' })
  })
})
