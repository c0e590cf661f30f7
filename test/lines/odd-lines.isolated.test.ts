import { describe, expect, it } from 'vitest'
import { MIB } from '../../src/base/units.js'
import { askLines, fileMaker, rowsOf } from './ask.js'
import { parsedRows } from './parsed-rows.js'

/** A line of so many bytes: an object with the field `a` of 7. */
const lineOf = (bytes: number) => `{"a":7,"pad":"${'x'.repeat(bytes - 16)}"}`
const nested = (levels: number) => `{"a":8,"deep":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
const MARK = '\ufeff'

const told = async (content: string | Uint8Array, sql = 'select a from lines') => {
  const { text, told, error } = await askLines(sql, [fileMaker()(content)])
  expect(error).toBeUndefined()
  return { rows: parsedRows(text), told }
}

describe('lines that are no rows', () => {
  it.each<[what: string, line: string | Uint8Array, sentence: string]>([
    ['an array', '[{"a":1}]', 'no JSON object'],
    ['a number', '12', 'no JSON object'],
    ['a text', '"a"', 'no JSON object'],
    ['null', 'null', 'no JSON object'],
    ['no JSON', '{"a":1', 'no JSON'],
    ['two objects', '{"a":1}{"a":2}', 'no JSON'],
    ['a byte order mark within the input', `${MARK}{"a":1}`, 'no JSON'],
    ['a NUL byte', '{"a":1}\0', 'no JSON'],
    ['a NUL byte in a text', '{"a":"\0"}', 'no JSON'],
    ['129 levels', nested(129), 'nested too deep'],
    ['invalid UTF-8', Buffer.from('{"a":"\xff"}', 'latin1'), 'no valid UTF-8'],
    ['a surrogate in UTF-8', Buffer.from('{"a":"\xed\xa0\x80"}', 'latin1'), 'no valid UTF-8'],
    ['1 MiB and a byte', lineOf(MIB + 1), 'longer than 1 MiB'],
    ['2 MiB less a byte', lineOf(2 * MIB - 1), 'longer than 1 MiB'],
    ['2 MiB', lineOf(2 * MIB), 'longer than 1 MiB'],
    ['2 MiB and a byte', lineOf(2 * MIB + 1), 'longer than 1 MiB'],
    // Three of these are less than the bytes of a file that threads read.
    ['2.5 MiB', lineOf(2.5 * MIB), 'longer than 1 MiB'],
  ])('are counted and told: %s', async (_, line, sentence) => {
    const parts = ['{"a":1}\n', line, '\n', '{"a":2}\n', line, '\n\n', '{"a":3}\n', line]
    const content = Buffer.concat(parts.map((part) => Buffer.from(part)))
    expect(await told(content)).toEqual({
      rows: [{ a: 1 }, { a: 2 }, { a: 3 }],
      told: [`3 lines left out: ${sentence}.`],
    })
    const count = await told(content, 'select count(*) as n from lines')
    expect(count).toEqual({ rows: [{ n: 3 }], told: [`3 lines left out: ${sentence}.`] })
  })

  it('are told by kind, with thousands', async () => {
    const content = `${'[]\n'.repeat(1_234)}{"a":1}\nx\n`
    const sentences = ['1 line left out: no JSON.', '1,234 lines left out: no JSON object.']
    expect(await told(content)).toEqual({ rows: [{ a: 1 }], told: sentences })
  })

  it('are told once if the lines are read several times', async () => {
    const sql = 'select a, timestamp from lines union all select a, timestamp from lines'
    const content = `[]\n{"a":1,"ts":"no time"}\n${lineOf(3 * MIB)}\n`
    const row = { a: 1, timestamp: null }
    expect(await told(content, sql)).toEqual({
      rows: [row, row],
      told: [
        '1 line left out: no JSON object.',
        '1 line left out: longer than 1 MiB.',
        '1 line without a timestamp: the value is no time.',
      ],
    })
    const times =
      'select a from lines union all select count(timestamp) from lines union all select a from lines limit 1'
    expect(await told(content, times)).toMatchObject({
      told: expect.arrayContaining(['1 line left out: no JSON object.']),
    })
  })
})

describe('lines that are rows', () => {
  it.each<[what: string, content: string | Uint8Array, expected: unknown[]]>([
    ['a byte order mark, CRLF, blank lines, no final newline', `${MARK}{"a":1}\r\n\r\n \t\r\n\n{"a":2}`, [1, 2]],
    ['white space around', ' \t{"a":1} \r\n\t{ "a" : 2 }\t', [1, 2]],
    ['128 levels', nested(128), [8]],
    ['1 MiB', `${lineOf(MIB)}\n${lineOf(MIB)}\n${lineOf(MIB)}`, [7, 7, 7]],
    ['an escaped NUL', '{"a":"\\u0000"}', ['\0']],
    ['a lone surrogate, as U+FFFD', '{"a":"\\ud800"}', ['\ufffd']],
    ['no fields', '{}\n{"a":1}', [null, 1]],
    ['a large number', '{"a":12345678901234567890}', [Number('12345678901234567890')]],
    ['an escaped key', '{"\\u0061":1}', [1]],
    ['nothing', '', []],
    ['line breaks alone', '\n\r\n\n', []],
    ['a byte order mark alone', MARK, []],
  ])('%s', async (_, content, expected) => {
    expect(await told(content)).toEqual({ rows: expected.map((a) => ({ a })), told: [] })
  })

  it('have their text as sent, without the line break', async () => {
    const lines = [' {"a": 1.0}\t', '{"b":"\\u00e9é"}', `{"c":"${'y'.repeat(3)}"}`]
    const content = `${lines[0]}\r\n${lines[1]}\n\n${lines[2]}`
    const rows = await rowsOf('select line, length(line) as n from lines', [fileMaker()(content)])
    expect(rows).toEqual(lines.map((line) => ({ line, n: line.length })))
  })

  it('have objects and numbers as sent', async () => {
    const path = fileMaker()('{"o":{"b": 1.50, "a":[1e2,  "\\u0041"]},"n":9007199254740993}\n')
    const { text } = await askLines('select o, n, o.a from lines', [path])
    expect(text).toMatch(/^\{"o":\{"b": ?1\.50, ?"a":\[1e2, *"(\\u0041|A)"\]\},"n":9007199254740993,"a":\[.*\]\}\n$/)
  })
})

describe('names of JavaScript', () => {
  const line = '{"__proto__":{"x":1},"constructor":"c","toString":2,"hasOwnProperty":3,"a":{"__proto__":4}}'

  it.each([
    ['select `__proto__`, `__proto__`.x, constructor, toString, a.__proto__ as y from lines'],
    ['select __proto__ as p, __proto__.x from lines'],
  ])('are fields: %s', async (sql) => {
    const { text } = await askLines(sql, [fileMaker()(`${line}\n{}\n`)])
    const [first, second] = text.trimEnd().split('\n')
    expect(first).toContain('{"x":1},"')
    expect(Object.entries(JSON.parse(second!)).every(([, value]) => value === null)).toBe(true)
  })

  it.each([
    [
      'select a as `__proto__`, n as constructor, n as toString from lines',
      '{"__proto__":1,"constructor":2,"toString":2}\n',
    ],
    ['select a as `__proto__`, count(*) as constructor from lines group by 1', '{"__proto__":1,"constructor":1}\n'],
    ['select a as `__proto__` from lines order by a limit 5', '{"__proto__":1}\n'],
    ['select a as `__proto__` from lines limit 5', '{"__proto__":1}\n'],
    ['select a as `__proto__` from lines union all select n from lines', '{"__proto__":1}\n{"__proto__":2}\n'],
    ['select distinct a as `__proto__` from lines', '{"__proto__":1}\n'],
  ])('are columns: %s', async (sql, expected) => {
    const path = fileMaker()('{"a":1,"n":2}\n')
    expect(await askLines(sql, [path])).toEqual({ text: expected, told: [], error: undefined })
    expect((await askLines(sql, [path], ['--format', 'json'])).text).toContain('"__proto__":1')
    expect((await askLines(sql, [path], ['--format', 'csv'])).text).toMatch(/^__proto__.*\r\n1/)
    expect((await askLines(sql, [path], ['--format', 'table'])).text).toMatch(/^ *__proto__.*\n *1/)
  })

  it('are groups', async () => {
    const keys = ['__proto__', 'constructor', 'toString', '']
    const path = fileMaker()(
      keys
        .map((a) => `${JSON.stringify({ a })}\n`)
        .join('')
        .repeat(2),
    )
    const rows = await rowsOf('select a, count(*) as n from lines group by a', [path])
    expect(rows).toEqual(expect.arrayContaining(keys.map((a) => ({ a, n: 2 }))))
  })

  it('has the value that the service has for a key that comes twice', async () => {
    const path = fileMaker()('{"a":1,"b":{"c":1},"a":2,"b":{"c":2}}\n')
    expect(await rowsOf('select a, b.c from lines where a = 2', [path])).toEqual([{ a: 2, c: 2 }])
  })
})
