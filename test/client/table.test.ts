import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { table, tableWithin } from '../../src/client/table/table.js'
import { cut, widthOf } from '../../src/client/table/width.js'

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
        '2026-11-20T10:00:00.000000Z      5           a',
        '2026-11-20T10:00:00.000001Z   1234      1.5  漢字',
        '2026-11-20T10:00:01.000000Z      0       22        {"deep":[1,"x"]}',
        '',
      ].join('\n'),
    )
    expect(table([], plain())).toBe('no rows\n')
  })

  it('has every microsecond and digit of numbers that no double holds', () => {
    const rows = [
      { timestamp: '253402300799999999', n: '9007199254740993' },
      { timestamp: '9999-12-31T23:59:59.999998Z', n: 5 },
      { timestamp: '10413792000000001', n: null },
      { timestamp: '0001-01-01T00:00:00.000001', n: '-9007199254740993' },
      { timestamp: '-62135596799999998', n: '18446744073709551615' },
      { timestamp: '9007199254740993', n: 0 },
    ]
    expect(table(rows, plain(30))).toBe(
      [
        'timestamp                                       n',
        '9999-12-31T23:59:59.999999Z      9007199254740993',
        '9999-12-31T23:59:59.999998Z                     5',
        '2300-01-01T00:00:00.000001Z',
        '0001-01-01T00:00:00.000001Z     -9007199254740993',
        '0001-01-01T00:00:00.000002Z  18446744073709551615',
        '2255-06-05T23:47:34.740993Z                     0',
        '',
      ].join('\n'),
    )
  })

  it('has a bold heading where it may', () => {
    expect(table([{ a: 'b' }], { columns: 80, isPlain: false })).toBe('\u001b[1ma\u001b[22m\nb\n')
    const wrapped = table([{ one_two: 1, other: 'o'.repeat(9) }], { columns: 14, isPlain: false })
    expect(
      wrapped.split('\n').filter((line) => line.startsWith('\u001b[1m') && line.endsWith('\u001b[22m')),
    ).toHaveLength(2)
  })

  it.each([
    [95.61704687500001, '95.617'],
    [-95.61704687500001, '-95.617'],
    [0.30000000000000004, '0.3'],
    [1234.5, '1234.5'],
    [2.9999999, '3'],
    [0.000123456, '0.000123'],
    [1e21, '1e+21'],
    [5e-324, '5e-324'],
    [9_007_199_254_740_991, '9007199254740991'],
    [0, '0'],
    [-0, '0'],
  ])('shows %d as %s', (number, text) => {
    expect(
      table([{ n: number }], plain())
        .split('\n')[1]!
        .trim(),
    ).toBe(text)
  })

  it('leaves numbers within JSON as they are', () => {
    expect(table([{ metadata: { n: 95.61704687500001 } }], plain())).toContain('{"n":95.61704687500001}')
  })

  it.each([
    [
      'without fractions',
      1_795_168_800_000_000,
      '2026-11-20T11:00:00',
      ['2026-11-20T10:00:00Z', '2026-11-20T11:00:00Z'],
    ],
    [
      'with fractions',
      1_795_168_800_500_000,
      '2026-11-20T11:00:00',
      ['2026-11-20T10:00:00.500000Z', '2026-11-20T11:00:00.000000Z'],
    ],
    ['of texts alone', '2026-11-20T10:00:00', '2026-11-20T11:00:00', ['2026-11-20T10:00:00Z', '2026-11-20T11:00:00Z']],
    ['beside what is no time', 1_795_168_800_000_000, 'soon', ['2026-11-20T10:00:00Z', 'soon']],
  ])('shows times %s in one form', (_, one, other, expected) => {
    const lines = table([{ timestamp: one }, { timestamp: other }, { timestamp: null }], plain()).split('\n')
    expect(lines.slice(1, 4)).toEqual([...expected, ''])
  })

  const LOG = {
    id: 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
    timestamp: 1_795_168_800_123_456,
    event_message: 'GET | 200 | /rest/v1/todos?select=*',
    metadata: { request: { path: '/rest/v1/todos', headers: 'h'.repeat(200) } },
  }

  it('has the time and the message first', () => {
    expect(table([LOG], plain()).split('\n')[0]).toMatch(/^timestamp +event_message +id +metadata$/)
    expect(table([{ b: 1, event_message: 'm' }], plain()).split('\n')[0]).toBe('event_message  b')
    expect(table([{ b: 1, timestamp: 1, a: 'a' }], plain()).split('\n')[0]).toMatch(/^timestamp +b +a$/)
  })

  it.each([80, 100, 120, 160])('gives the message its width before id and metadata, on %d columns', (columns) => {
    const [, row] = table([LOG], plain(columns)).split('\n')
    const [, message, id, metadata] = row!.split(/ {2,}/)
    const room = columns - 27 - 6 - 'metadata'.length - 3 * 2
    expect(widthOf(message!)).toBe(Math.min(LOG.event_message.length, room))
    const messages = [...Array(30)].map((_, i) => ({ ...LOG, event_message: 'm'.repeat(i * 10) }))
    for (const line of table(messages, plain(columns)).split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(columns)
    expect([id, metadata].map((cell) => cell!.length > 0)).toEqual([true, true])
  })

  const STATS = {
    timestamp: 1_795_168_800_000_000,
    min_execution_time: 12,
    max_execution_time: 480,
    avg_execution_time: 95.61704687500001,
    p95_execution_time: 400,
    p99_execution_time: 470,
    count: 320,
    error_count: 4,
  }

  it('keeps headings whole over narrow numbers: on one line if there is room, else on several', () => {
    const names = Object.keys(STATS)
    expect(table([STATS], plain(160)).split('\n')[0]!.split(/ +/)).toEqual(names)
    for (const columns of [80, 90, 100, 120, 139, 140]) {
      const lines = table([STATS], plain(columns)).split('\n')
      const heading = lines.slice(0, -2)
      expect(heading.join('')).not.toContain('…')
      expect(heading.every((line) => widthOf(line) <= columns)).toBe(true)
      // The characters of all headings, on any line.
      const letters = (text: string) => [...text.replaceAll(/\s/g, '')].sort().join('')
      expect(letters(heading.join(''))).toBe(letters(names.join('')))
      expect(lines.at(-2)!.trim().split(/ +/)).toEqual([
        '2026-11-20T10:00:00Z',
        '12',
        '480',
        '95.617',
        '400',
        '470',
        '320',
        '4',
      ])
    }
    expect(table([STATS], plain(100)).split('\n').slice(0, 3)).toEqual([
      '                            min_        max_        avg_        p95_        p99_',
      '                      execution_  execution_  execution_  execution_  execution_             error_',
      'timestamp                   time        time        time        time        time  count       count',
    ])
  })

  it('has the columns that are named, in that order', () => {
    expect(table([LOG], plain(), ['id', 'timestamp'])).toBe(
      `id                                    timestamp\n${LOG.id}  2026-11-20T10:00:00.123456Z\n`,
    )
    expect(() => table([LOG], plain(), ['id', 'event_mesage'])).toThrow(
      '--columns: there is no column "event_mesage". Did you mean event_message?',
    )
    expect(() => table([LOG], plain(), ['x'])).toThrow(
      '--columns: there is no column "x". There are: timestamp, event_message, id, metadata.',
    )
    expect(table([], plain(), ['x'])).toBe('no rows\n')
  })

  it('cuts the widest cells to the terminal, and the others not', () => {
    const rows = [{ id: 'short', message: 'm'.repeat(90), metadata: { long: 'x'.repeat(2_000_000) } }]
    const [heading, row] = table(rows, plain(40)).split('\n')
    expect(heading).toBe('id     message          metadata')
    expect(row).toBe(`short  ${'m'.repeat(14)}…  {"long":"xxxxx…`)
    expect(widthOf(row!)).toBeLessThanOrEqual(40)
  })

  it('never cuts a number or a time', () => {
    const rows = [{ timestamp: '2026-11-20T10:00:00', total_rest_requests: 12_345_678, name: 'n'.repeat(50) }]
    expect(table(rows, plain(40))).toBe(
      [
        '                          total_',
        '                           rest_',
        'timestamp               requests  name',
        `2026-11-20T10:00:00Z    12345678  ${'n'.repeat(5)}…`,
        '',
      ].join('\n'),
    )
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
        // A column that contains a text is not numeric.
        const given = [...some, { id: '', 'event\u001bmessage': '', metadata: '' }]
        const lines = table(given, plain(columns)).split('\n')
        expect(lines.length).toBeGreaterThanOrEqual(given.length + 2)
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

describe('a table within a screen', () => {
  const value = fc.oneof(fc.integer(), fc.string(), fc.constantFrom(null, true, '漢字'.repeat(9), 1.5))
  const rows = fc.array(fc.dictionary(fc.constantFrom('a', 'a_long_name_of_a_column', 'event_message', 'd'), value), {
    maxLength: 30,
  })
  const size = fc.record({ columns: fc.integer({ min: 8, max: 60 }), lines: fc.integer({ min: 1, max: 20 }) })

  it('fits in both directions, and counts the rows that it does not show', () => {
    fc.assert(
      fc.property(rows, size, (all, { columns, lines }) => {
        const shown = tableWithin(all, { columns, lines, isPlain: true }).split('\n')
        expect(shown.pop()).toBe('')
        expect(shown.length).toBeLessThanOrEqual(lines)
        for (const line of shown) expect(widthOf(line)).toBeLessThanOrEqual(columns)
        const count = /^… (\d+) more rows?$/.exec(shown.at(-1)!)
        if (columns < 15 || lines < 6 || count === null) return
        const whole = table(all.slice(0, lines), { columns, isPlain: true }).split('\n').length - 1
        const headings = whole - Math.min(all.length, lines)
        expect(Number(count[1])).toBe(all.length - (shown.length - headings - 1))
      }),
    )
  })

  it('is the whole table if there is room', () => {
    fc.assert(
      fc.property(rows, (all) => {
        const columns = 200
        const whole = table(all, { columns, isPlain: false })
        expect(tableWithin(all, { columns, lines: 40, isPlain: false })).toBe(whole)
      }),
    )
  })

  it('says how many rows there are besides', () => {
    const all = Array.from({ length: 1_005 }, (_, n) => ({ n }))
    const within = (count: number, lines: number) =>
      tableWithin(all.slice(0, count), { columns: 20, lines, isPlain: true }).split('\n').slice(0, -1)
    expect(within(3, 4)).toEqual(['n', '0', '1', '2'])
    expect(within(4, 4)).toEqual(['n', '0', '1', '… 2 more rows'])
    expect(within(1_005, 3).at(-1)).toBe('… 1,004 more rows')
    expect(within(2, 2)).toEqual(['n', '… 2 more rows'])
    expect(within(5, 0)).toEqual(['n'])
  })
})
