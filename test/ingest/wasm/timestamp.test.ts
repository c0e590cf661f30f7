import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseIso8601 } from '../../../src/base/time/iso8601.js'
import { timestampOfNumber, timestampOfText } from '../../../src/ingest/wasm/timestamp.js'
import { runs } from '../../support/runs.js'

/** Puts the text between other bytes, so that a read beyond the text changes the result. */
function within<T>(read: (bytes: Uint8Array, start: number, end: number) => T, text: string): T {
  const bytes = Buffer.from(`9.e1${text}5e9.`)
  return read(bytes, 4, bytes.length - 4)
}

const ofText = (text: string) => within(timestampOfText, text)
const ofNumber = (text: string) => within(timestampOfNumber, text)

const BASE = Date.UTC(2026, 10, 20, 10) * 1000

describe('I7: ISO 8601', () => {
  it.each([
    ['2026-11-20T10:00:00Z', BASE],
    ['2026-11-20T10:00:00.1Z', BASE + 100_000],
    ['2026-11-20T10:00:00.123456Z', BASE + 123_456],
    ['2026-11-20T10:00:00.123456999Z', BASE + 123_456],
    ['2026-11-20T10:00:00.000000001Z', BASE],
    ['2026-11-20t10:00:00z', BASE],
    ['2026-11-20 10:00', BASE],
    ['2026-11-20T15:30:00+05:30', BASE],
    ['2026-11-20T15:30:00.5+0530', BASE + 500_000],
    ['2026-11-20T08:00:00-02', BASE],
    ['2026-11-20', Date.UTC(2026, 10, 20) * 1000],
    ['2024-02-29T23:59:59.999999Z', Date.UTC(2024, 2, 1) * 1000 - 1],
    ['2026-11-20T10:00:00,1Z', BASE + 100_000],
    ['2026-11-20 10:00:00,123456789 UTC', BASE + 123_456],
    ['2026-11-20 10:00 UTC', BASE],
    ['2026-11-20T10:00:00 Z', BASE],
    ['2026-11-20 15:30:00.5 +05:30', BASE + 500_000],
    ['2026-11-20 08:00:00 -0200', BASE],
    ['2026-11-20 08:00:00 -02', BASE],
    ['1969-12-31T23:59:59.999999Z', -1],
    ['9999-12-31T23:59:59Z', Date.UTC(9999, 11, 31, 23, 59, 59) * 1000],
  ])('%s', (text, timestampUs) => expect(ofText(text)).toBe(timestampUs))

  it.each([
    '',
    'now',
    '2026-11-20T10:00:00.Z',
    '2026-11-20T10:00:00.1234567890Z',
    '2026-11-20T24:00:00Z',
    '2026-11-20T10:60:00Z',
    '2026-11-20T10:00:60Z',
    '2026-02-29T10:00:00Z',
    '2025-02-29T10:00:00Z',
    '2026-13-01T10:00:00Z',
    '2026-00-01T10:00:00Z',
    '2026-11-00T10:00:00Z',
    '2026-11-20T1a:00:00Z',
    '2026-11-20T10:00:00.12a456Z',
    '2026-11-20T10-00-00Z',
    '2026/11/20T10:00:00Z',
    '2026-11-20T10:00:00Z ',
    ' 2026-11-20T10:00:00Z',
    '2026-11-20T10:00:00ZZ',
    '2026-11-20T10:00:00+24:00',
    '+2026-11-20T10:00:00Z',
    '2026-11-20T10:00:00,Z',
    '2026-11-20T10:00:00.1,2Z',
    '2026-11-20T10:00:00  Z',
    '2026-11-20T10:00:00UTC',
    '2026-11-20T10:00:00 utc',
    '2026-11-20T10:00:00 UTC+01',
    '2026-11-20 10:00:00 ',
    '2026-11-20 UTC',
    '２026-11-20T10:00:00Z',
  ])('refuses %j', (text) => expect(ofText(text)).toBeNaN())

  it('reads as the general reader does, whatever is damaged', () => {
    const character = fc.constantFrom(...'0123459:-.,TZtz +UCé')
    const edits = fc.array(fc.tuple(fc.nat(29), character), { maxLength: 3 })
    const date = fc.date({ min: new Date(0), max: new Date('9999-12-31T00:00:00Z'), noInvalidDate: true })
    fc.assert(
      fc.property(date, fc.stringMatching(/^[0-9]{0,9}$/), edits, (day, fraction, changes) => {
        const dot = fraction === '' ? '' : '.'
        const characters = [...`${day.toISOString().slice(0, 19)}${dot}${fraction}Z`]
        for (const [at, replacement] of changes) characters[at % characters.length] = replacement
        const text = characters.join('')
        expect(ofText(text)).toBe(parseIso8601(text) ?? Number.NaN)
      }),
      { numRuns: runs(5_000) },
    )
  })
})

/** The same rule over exact fractions: the text as mantissa / 10^scale, cut towards zero. */
function reference(text: string): number {
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text)!
  let mantissa = BigInt(whole + fraction)
  let scale = BigInt(fraction.length) - BigInt(exponent)
  if (scale < 0n) {
    mantissa *= 10n ** -scale
    scale = 0n
  }
  const unit = 10n ** scale
  const below = (limit: bigint) => sign === '-' || mantissa < limit * unit
  const us = (numerator: bigint, denominator = 1n) => (mantissa * numerator) / (unit * denominator)
  const cut = below(10n ** 11n)
    ? us(1_000_000n)
    : below(10n ** 14n)
      ? us(1000n)
      : below(10n ** 17n)
        ? us(1n)
        : us(1n, 1000n)
  return Number(sign === '-' ? -cut : cut)
}

describe('I7: digits as a text', () => {
  it.each([
    '1763632800',
    '1763632800.123456',
    '1763632800123',
    '1763632800123456',
    '1763632800123456789',
    '007',
    '0',
  ])('%s are the number', (digits) => expect(ofText(digits)).toBe(ofNumber(digits)))

  it.each([
    '-1763632800',
    '+1763632800',
    '1.7e9',
    '1763632800.',
    '.5',
    '1,5',
    '1763632800 ',
    '0x10',
    '1_000',
  ])('refuses %j', (text) => expect(ofText(text)).toBeNaN())

  it('are no time of an ISO 8601 parameter', () => expect(parseIso8601('1763632800')).toBeUndefined())
})

describe('I7: numbers', () => {
  it.each([
    ['0', 0],
    ['-0', 0],
    ['0.0e-5', 0],
    ['1763632800', 1763632800_000000],
    ['1763632800.123456', 1763632800_123456],
    ['1763632800.1234569', 1763632800_123456],
    ['1763632800123', 1763632800_123000],
    ['1763632800123.4567', 1763632800_123456],
    ['1763632800123456', 1763632800_123456],
    ['1763632800123456.9', 1763632800_123456],
    ['1763632800123456789', 1763632800_123456],
    ['1.7636328001234567e9', 1763632800_123456],
    ['17636328001234567E-7', 1763632800_123456],
    ['0.0000017636328e15', 1763632800_000000],
    ['99999999999', 99999999999_000000],
    ['100000000000', 100000000_000000],
    ['1e11', 100000000_000000],
    ['99999999999999', 99999999999_999000],
    ['100000000000000', 100000000_000000],
    ['100000000000000000', 100000000_000000],
    ['0.000001', 1],
    ['0.0000009', 0],
    ['-0.0000019', -1],
    ['-1.5', -1_500_000],
    ['1e400', Number.POSITIVE_INFINITY],
    ['1e99999999999999999999', Number.POSITIVE_INFINITY],
    ['-1e400', Number.NEGATIVE_INFINITY],
    ['1e-400', 0],
    ['1e-99999999999999999999', 0],
    [`1${'0'.repeat(5000)}e-4991`, 1_000_000_000_000_000],
  ])('%s', (text, timestampUs) => expect(ofNumber(text) + 0).toBe(timestampUs))

  it('are what exact fractions give', () => {
    const digits = (max: number) =>
      fc.stringMatching(new RegExp(`^[0-9]{1,${max}}$`)).map((text) => text.replace(/^0+(?=\d)/, ''))
    const text = fc
      .tuple(
        fc.constantFrom('', '', '-'),
        digits(19),
        fc.option(digits(12)),
        fc.option(fc.integer({ min: -25, max: 12 })),
      )
      .map(([sign, whole, fraction, exponent]) => {
        const end = exponent === null ? '' : `e${exponent}`
        return `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${end}`
      })
    fc.assert(
      fc.property(text, (number) => {
        const wanted = reference(number)
        const found = ofNumber(number)
        if (Math.abs(wanted) <= Number.MAX_SAFE_INTEGER) expect(found + 0).toBe(wanted + 0)
        else expect(Number.isFinite(found) ? Math.abs(found / wanted - 1) : 0).toBeLessThan(1e-12)
      }),
      { numRuns: runs(5_000) },
    )
  })
})
