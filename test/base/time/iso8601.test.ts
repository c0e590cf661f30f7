import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { daysSinceEpoch, formatIso8601, parseIso8601 } from '../../../src/base/time/iso8601.js'
import { isoUs } from '../../oracle/time.js'
import { runs } from '../../support/runs.js'

const MIDNIGHT_US = 1_795_132_800_000_000
const TEN_US = MIDNIGHT_US + 36_000_000_000

const TAKEN: readonly (readonly [text: string, timestampUs: number])[] = [
  ['2026-11-20', MIDNIGHT_US],
  ['2026-11-20T10:00', TEN_US],
  ['2026-11-20T10:00Z', TEN_US],
  ['2026-11-20T10:00:00', TEN_US],
  ['2026-11-20T10:00:00Z', TEN_US],
  ['2026-11-20t10:00:00z', TEN_US],
  ['2026-11-20 10:00:00', TEN_US],
  ['2026-11-20T10:00:00.1Z', TEN_US + 100_000],
  ['2026-11-20T10:00:00.000001', TEN_US + 1],
  ['2026-11-20T10:00:00.0000019Z', TEN_US + 1],
  ['2026-11-20T10:00:00.999999999Z', TEN_US + 999_999],
  ['2026-11-20T10:00:00+05:30', TEN_US - 19_800_000_000],
  ['2026-11-20T10:00:00+0530', TEN_US - 19_800_000_000],
  ['2026-11-20T10:00:00-02', TEN_US + 7_200_000_000],
  ['2026-11-20T10:00-00:00', TEN_US],
  ['2026-11-20T10:00:00,1Z', TEN_US + 100_000],
  ['2026-11-20 10:00:00 Z', TEN_US],
  ['2026-11-20 10:00 UTC', TEN_US],
  ['2026-11-20 12:00:00.5 +0200', TEN_US + 500_000],
  ['2026-11-20T00:30:00+23:59', MIDNIGHT_US + 1_800_000_000 - 86_340_000_000],
  ['1970-01-01', 0],
  ['1969-12-31T23:59:59.999999Z', -1],
  ['1969-12-31T23:59:59.9999999Z', -1],
  ['2024-02-29', 1_709_164_800_000_000],
  ['2000-02-29', 951_782_400_000_000],
  ['0000-02-29', -62_162_121_600_000_000],
  ['9999-12-31T23:59:59Z', 253_402_300_799_000_000],
]

const REFUSED = [
  '',
  'now',
  '2026',
  '2026-11',
  '2026-11-20T',
  '2026-11-20T10',
  '2026-11-20Z',
  '2026-11-20+01:00',
  '2026-11-20T10:00:00.Z',
  '2026-11-20T10:00:00.1234567890Z',
  '2026-11-20T10:00.5Z',
  '2026-11-20T10:00,5Z',
  '2026-11-20T10:00:00,Z',
  '2026-11-20  10:00:00',
  '2026-11-20T10:00:00  Z',
  '2026-11-20T10:00:00UTC',
  '2026-11-20T10:00:00 UTC ',
  '2026-11-20T10:00:00+5',
  '2026-11-20T10:00:00+05:3',
  '2026-11-20T10:00:00+05:',
  '2026-11-20T10:00:00+24:00',
  '2026-11-20T10:00:00+05:60',
  '2026-11-20T10:00:00Z+01:00',
  ' 2026-11-20',
  '2026-11-20 ',
  '2026-11-20\n',
  '2026-02-29',
  '1900-02-29',
  '2026-02-30',
  '2026-04-31',
  '2026-00-10',
  '2026-13-10',
  '2026-11-00',
  '2026-11-32',
  '2026-11-20T24:00:00Z',
  '2026-11-20T23:60:00Z',
  '2026-11-20T23:59:60Z',
  '-2026-11-20',
  '+02026-11-20',
  '20261120T100000Z',
  '2026-W47-5',
  '２０２６-11-20',
]

const digits = (max: number, width = 2) => fc.integer({ min: 0, max }).map((n) => String(n).padStart(width, '0'))
const offset = fc.oneof(
  fc.constantFrom('', 'Z', 'z'),
  fc.tuple(fc.constantFrom('+', '-'), digits(25), fc.constantFrom('', ':'), digits(61)).map((parts) => parts.join('')),
  fc.tuple(fc.constantFrom('+', '-'), digits(25)).map((parts) => parts.join('')),
)
const seconds = fc
  .tuple(digits(61), fc.option(fc.stringMatching(/^\d{0,10}$/)))
  .map(([second, fraction]) => `:${second}${fraction === null ? '' : `.${fraction}`}`)
const time = fc
  .tuple(fc.constantFrom('T', 't', ' '), digits(25), digits(61), fc.oneof(fc.constant(''), seconds), offset)
  .map(([separator, hour, minute, rest, zone]) => `${separator}${hour}:${minute}${rest}${zone}`)
const day = fc.tuple(digits(9999, 4), digits(13), digits(32)).map((parts) => parts.join('-'))
const plausible = fc.tuple(day, fc.oneof(fc.constant(''), time)).map((parts) => parts.join(''))

describe('an ISO 8601 time', () => {
  it.each(TAKEN)('%s is taken', (text, timestampUs) => {
    expect(parseIso8601(text)).toBe(timestampUs)
  })

  it.each(REFUSED)('%j is refused', (text) => {
    expect(parseIso8601(text)).toBeUndefined()
  })

  it('is what Date and BigInt make of it, whatever is plausible', () => {
    fc.assert(
      fc.property(plausible, (text) => {
        const expected = isoUs(text)
        expect(parseIso8601(text)).toBe(expected === undefined ? undefined : Number(expected))
      }),
      { numRuns: runs(10_000) },
    )
  })

  it('is undefined, not an error, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(parseIso8601(text)).toBe(isoUs(text) === undefined ? undefined : Number(isoUs(text)))
      }),
    )
  })
})

it('the days since the epoch are those of Date', () => {
  const everyDay = fc.date({ min: new Date('0000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  fc.assert(
    fc.property(everyDay, (date) => {
      const days = Math.floor(date.getTime() / 86_400_000)
      expect(daysSinceEpoch(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate())).toBe(days)
    }),
  )
})

describe('formatIso8601', () => {
  it('writes what parseIso8601 reads', () => {
    const everyMicrosecond = fc.integer({ min: -9e15, max: 9e15 })
    fc.assert(fc.property(everyMicrosecond, (timestampUs) => parseIso8601(formatIso8601(timestampUs)) === timestampUs))
  })

  it('leaves out a fraction of 0', () => {
    expect(formatIso8601(253402300799999999n)).toBe('9999-12-31T23:59:59.999999Z')
    expect(formatIso8601(-62135596799999999n)).toBe('0001-01-01T00:00:00.000001Z')
    expect(formatIso8601(10413792000000000n)).toBe('2300-01-01T00:00:00Z')
    expect(formatIso8601(TEN_US)).toBe('2026-11-20T10:00:00Z')
    expect(formatIso8601(TEN_US + 1)).toBe('2026-11-20T10:00:00.000001Z')
    expect(formatIso8601(-1)).toBe('1969-12-31T23:59:59.999999Z')
  })
})
