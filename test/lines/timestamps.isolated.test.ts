import { describe, expect, it } from 'vitest'
import { MIB } from '../../src/base/units.js'
import { TIME_FIELDS } from '../../src/lines/input/line-source.js'
import { askLines, fileMaker, rowsOf } from './ask.js'

const ISO = '2026-11-20T10:00:00.123456Z'
const US = Date.UTC(2026, 10, 20, 10) * 1000 + 123_456

const times = async (content: string, flags: readonly string[] = []) => {
  const rows = await rowsOf('select timestamp from lines', [fileMaker()(content)], flags)
  return rows.map((row) => (row as { timestamp: number | null }).timestamp)
}
const ndjson = (lines: readonly object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('')

describe('the field of the timestamp', () => {
  it.each(TIME_FIELDS.map((name, i) => [name, i] as const))('is %s before the fields behind', async (name, i) => {
    const others = Object.fromEntries(TIME_FIELDS.slice(i + 1).map((other) => [other, '2000-01-01T00:00:00Z']))
    expect(await times(ndjson([{ ...others, [name]: ISO }, { [name]: ISO }, others]))).toEqual([US, US, null])
  })

  it('is that of the first line that has one, even if the value is no time or null', async () => {
    expect(await times(ndjson([{ a: 1 }, { ts: ISO }, { timestamp: ISO }]))).toEqual([null, US, null])
    expect(await times(ndjson([{ ts: 'no time' }, { timestamp: ISO }, { ts: ISO }]))).toEqual([null, null, US])
    expect(await times(`12\n[]\nx\n${ndjson([{ time: ISO }])}`)).toEqual([US])
    expect(await times(ndjson([{ a: { timestamp: ISO } }, { time: ISO }]))).toEqual([null, US])
  })

  it.each([
    ['far behind the first block', 3 * MIB],
    ['behind more than a thread starts with', 10 * MIB],
  ])('is found %s', async (_, bytes) => {
    const pad = ndjson([{ a: 'x'.repeat(1000) }])
    const count = Math.ceil(bytes / pad.length)
    const path = fileMaker()(pad.repeat(count) + ndjson([{ _time: ISO }, { timestamp: ISO }, { _time: ISO }]))
    expect(await rowsOf('select timestamp from lines where a is null', [path])).toEqual([
      { timestamp: US },
      { timestamp: null },
      { timestamp: US },
    ])
    const grouped = 'select timestamp, count(*) as n from lines group by 1 order by 1'
    expect(await rowsOf(grouped, [path])).toEqual([
      { timestamp: null, n: count + 1 },
      { timestamp: US, n: 2 },
    ])
  })

  it('is the same in all files', async () => {
    const write = fileMaker()
    const [none, first, second] = [[{ a: 1 }], [{ time: ISO }], [{ ts: ISO }, { time: ISO }]].map((lines) =>
      write(ndjson(lines)),
    )
    expect(await rowsOf('select timestamp from lines', [none!, first!, second!])).toEqual(
      [null, US, null, US].map((timestamp) => ({ timestamp })),
    )
  })

  it('may be in no line', async () => {
    const path = fileMaker()(ndjson([{ a: 1 }, { a: 2 }]))
    const conditions = ['timestamp is null', 'not (timestamp is not null)', "coalesce(timestamp < '2026-11-20', true)"]
    for (const where of conditions)
      expect(await rowsOf(`select a, timestamp from lines where ${where}`, [path]), where).toEqual([
        { a: 1, timestamp: null },
        { a: 2, timestamp: null },
      ])
    const never = ["timestamp > '1970-01-01'", "timestamp <= '2026-11-20'", 'timestamp is not null']
    for (const where of never) expect(await rowsOf(`select a from lines where ${where}`, [path]), where).toEqual([])
    const grouped = `select timestamp_trunc(timestamp, hour) as t, count(timestamp) as n, min(timestamp) as first
      from lines group by t`
    expect(await rowsOf(grouped, [path])).toEqual([{ t: null, n: 0, first: null }])
  })

  it('may be named', async () => {
    const lines = ndjson([{ timestamp: '2000-01-01T00:00:00Z', at: ISO, 'a b': ISO }, { at: ISO }, { timestamp: ISO }])
    expect(await times(lines, ['--time-field', 'at'])).toEqual([US, US, null])
    expect(await times(lines, ['--time-field', 'a b'])).toEqual([US, null, null])
    expect(await times(lines, ['--time-field', 'none'])).toEqual([null, null, null])
  })

  it('is a column of its own: the field is reached in backticks behind the table', async () => {
    const path = fileMaker()('{"timestamp":"no time","line":"text","@timestamp":1}\n')
    const sql = 'select timestamp, lines.`timestamp` as a, lines.`line` as b, l.`@timestamp` as c from lines as l'
    const { error } = await askLines(sql, [path])
    expect(error).toBeDefined()
    const rows = await rowsOf(sql.replaceAll('lines.`', 'l.`'), [path])
    expect(rows).toEqual([{ timestamp: null, a: 'no time', b: 'text', c: 1 }])
    expect(await rowsOf('select lines.`timestamp` as a, lines.`line` as b from lines', [path])).toEqual([
      { a: 'no time', b: 'text' },
    ])
  })
})

describe('times', () => {
  it.each<[what: string, value: unknown, us: number | null]>([
    ['a text with microseconds', ISO, US],
    ['an offset', '2026-11-20T12:00:00.123456+02:00', US],
    ['seconds', 1_795_168_800, 1_795_168_800_000_000],
    ['milliseconds', 1_795_168_800_123, 1_795_168_800_123_000],
    ['microseconds', 1_795_168_800_123_456, 1_795_168_800_123_456],
    ['a day', '2026-11-20', Date.UTC(2026, 10, 20) * 1000],
  ])('are read as on the service: %s', async (_, value, us) => {
    expect(await times(ndjson([{ ts: value }]))).toEqual([us])
  })

  it('that cannot be read are null, counted and told', async () => {
    const values = ['no time', '', true, {}, [], '2026-13-01T00:00:00Z', 1e300]
    const path = fileMaker()(ndjson([{ ts: ISO }, ...values.map((ts) => ({ ts })), { a: 1 }]))
    const { text, told } = await askLines('select count(*) as n, count(timestamp) as times from lines', [path])
    expect([text, told]).toEqual([
      `{"n":${values.length + 2},"times":1}\n`,
      [`${values.length} lines without a timestamp: the value is no time.`],
    ])
  })

  it('that no query reads are not told', async () => {
    const path = fileMaker()(ndjson([{ ts: 'no time', a: 1 }]))
    expect(await askLines('select a from lines', [path])).toEqual({ text: '{"a":1}\n', told: [], error: undefined })
  })

  it('that are null are absent, not unreadable', async () => {
    const path = fileMaker()(ndjson([{ ts: ISO }, { ts: null }]))
    const { text, told } = await askLines('select timestamp from lines', [path])
    expect([text, told]).toEqual([`{"timestamp":${US}}\n{"timestamp":null}\n`, []])
  })
})
