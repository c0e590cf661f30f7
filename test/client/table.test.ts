import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { table } from '../../src/client/table.js'
import { cut, widthOf } from '../../src/client/width.js'

const plain = (columns = Number.POSITIVE_INFINITY) => ({ columns, isPlain: true })

describe('table', () => {
  it('has a heading, numbers on the right, times that can be read, and nothing for null', () => {
    const rows = [
      { timestamp: 1_795_168_800_000_000, count: 5, average: null, name: 'a' },
      { timestamp: 1_795_168_800_000_001, count: 1234, average: 1.5, name: '漢字' },
      { timestamp: 1_795_168_801_000_000, count: 0, average: 22, extra: { deep: [1, 'x'] } },
    ]
    expect(table(rows, plain())).toBe(
      [
        'timestamp                    count  average  name  extra',
        '2026-11-20T10:00:00Z             5           a',
        '2026-11-20T10:00:00.000001Z   1234      1.5  漢字',
        '2026-11-20T10:00:01Z             0       22        {"deep":[1,"x"]}',
        '',
      ].join('\n'),
    )
    expect(table([], plain())).toBe('no rows\n')
  })

  it('has a bold heading where it may', () => {
    expect(table([{ a: 'b' }], { columns: 80, isPlain: false })).toBe('\u001b[1ma\u001b[22m\nb\n')
  })

  it('cuts the widest cells to the terminal, and the others not', () => {
    const rows = [{ id: 'short', message: 'm'.repeat(90), metadata: { long: 'x'.repeat(2_000_000) } }]
    const [heading, row] = table(rows, plain(40)).split('\n')
    expect(heading).toBe('id     message          metadata')
    expect(row).toBe(`short  ${'m'.repeat(14)}…  {"long":"xxxxx…`)
    expect(widthOf(row!)).toBeLessThanOrEqual(40)
  })

  it('never cuts a number or a time, but their headings', () => {
    const rows = [{ timestamp: '2026-11-20T10:00:00', total_rest_requests: 12_345_678, name: 'n'.repeat(50) }]
    const [heading, row] = table(rows, plain(40)).split('\n')
    expect(heading).toBe('timestamp            total_r…  name')
    expect(row).toBe(`2026-11-20T10:00:00  12345678  ${'n'.repeat(7)}…`)
  })

  it('fits any rows into a terminal, a line a row, and drives it nowhere', () => {
    const cell = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.double(),
      fc.constant(null),
      fc.jsonValue(),
    )
    const rows = fc.array(fc.record({ id: cell, 'event\u001bmessage': cell, metadata: cell }), { minLength: 1 })
    fc.assert(
      fc.property(rows, fc.integer({ min: 22, max: 120 }), (some, columns) => {
        // With a text in it no column is one of numbers.
        const given = [...some, { id: '', 'event\u001bmessage': '', metadata: '' }]
        const lines = table(given, plain(columns)).split('\n')
        expect(lines.length).toBe(given.length + 2)
        for (const line of lines) {
          expect(widthOf(line)).toBeLessThanOrEqual(columns)
          expect(line).not.toMatch(/\p{Cc}/u)
        }
      }),
    )
  })
})

describe('the width of a text', () => {
  it.each([
    ['abc', 3],
    ['äö', 2],
    ['a\u0308', 1],
    ['漢字', 4],
    ['🙂', 2],
    ['한글', 4],
    ['', 0],
  ])('%s', (text, width) => {
    expect(widthOf(text)).toBe(width)
  })

  it('is never over what it is cut to', () => {
    expect(cut('abcdef', 6)).toBe('abcdef')
    expect(cut('abcdefg', 6)).toBe('abcde…')
    expect(cut('漢字漢字', 6)).toBe('漢字…')
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, most) => {
        expect(widthOf(cut(text, most))).toBeLessThanOrEqual(most)
        expect(widthOf(text) > most).toBe(cut(text, most) !== text)
      }),
    )
  })
})
