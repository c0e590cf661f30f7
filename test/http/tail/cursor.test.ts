import fc from 'fast-check'
import { expect, it } from 'vitest'
import { advance, readCursor, writeCursor } from '../../../src/http/tail/cursor.js'

it('is read as it was written', () => {
  const live = fc.record({
    channel: fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 12, maxLength: 12 }),
    number: fc.nat(),
  })
  const cursor = fc.record({
    timestampUs: fc.integer({ min: -(10 ** 15), max: 4 * 10 ** 15 }),
    rank: fc.nat(),
    live: fc.option(live, { nil: undefined }),
  })
  fc.assert(
    fc.property(cursor, (given) => {
      expect(readCursor(writeCursor(given))).toEqual(given)
    }),
  )
})

it.each([
  '1',
  '1.',
  '1.2.3',
  '1.2.0123456789ab',
  '1.2.0123456789ag.4',
  ' 1.2',
  '1.2\n',
  '1e3.2',
  '1.-2',
  '9'.repeat(17),
])('nothing else is one: %j', (text) => {
  expect(readCursor(text)).toBeUndefined()
})

it('the newest row moves a place, a late one and one of a time to come do not', () => {
  const place = { timestampUs: 10, rank: 2 }
  expect(advance(place, 11, 20)).toEqual({ timestampUs: 11, rank: 1 })
  expect(advance(place, 10, 20)).toEqual({ timestampUs: 10, rank: 3 })
  expect(advance(place, 9, 20)).toBe(place)
  expect(advance(place, 21, 20)).toBe(place)
})
