import * as flechette from '@uwdata/flechette'
import { tableFromIPC } from 'apache-arrow'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { arrowFormat } from '../../../src/http/formats/arrow.js'
import { csvFormat } from '../../../src/http/formats/csv.js'
import type { Format } from '../../../src/http/formats/format.js'
import { jsonFormat } from '../../../src/http/formats/json.js'
import { ndjsonFormat } from '../../../src/http/formats/ndjson.js'
import { readJson } from '../../../src/http/formats/read-json.js'
import { encodeAll } from '../../../src/http/reply/chunks.js'
import type { AnswerColumn, ColumnKind, Row } from '../../../src/plan/answer.js'
import { RawJson } from '../../../src/plan/values/values.js'
import { plainRows, READERS } from '../readers.js'
import { columnsAndRows } from './any-rows.js'

const FORMATS = new Map<string, Format>([
  ['application/json', jsonFormat],
  ['application/x-ndjson', ndjsonFormat],
  ['text/csv', csvFormat],
  ['application/vnd.apache.arrow.stream', arrowFormat],
])

async function* asRows(rows: readonly Row[]): AsyncGenerator<Row> {
  yield* rows
}
const spell = (rows: readonly Row[], format: Format, columns: readonly AnswerColumn[]) =>
  encodeAll(asRows(rows), format.encoder(columns))
const encodedText = async (...given: Parameters<typeof spell>) => Buffer.from(await spell(...given)).toString()

describe('rows of any values', () => {
  test.each(READERS)('come back from $name as they were', async ({ accept, read, hasTexts }) => {
    await fc.assert(
      fc.asyncProperty(columnsAndRows, async ([columns, rows]) => {
        const body = await spell(rows, FORMATS.get(accept)!, columns)
        const asTexts = hasTexts ? columns.filter(({ kind }) => kind === 'any').map(({ name }) => name) : []
        expect(read(body, columns)).toEqual(plainRows(rows, asTexts))
      }),
    )
  })

  test.each([...FORMATS.values()])('are the same bytes in $name when they were kept as JSON', async (format) => {
    await fc.assert(
      fc.asyncProperty(columnsAndRows, async ([columns, rows]) => {
        const json = await spell(rows, jsonFormat, columns)
        const kept = await encodeAll(readJson(json, columns), format.encoder(columns))
        expect(Buffer.from(kept).equals(Buffer.from(await spell(rows, format, columns)))).toBe(true)
      }),
    )
  })
})

describe('times that no double holds', () => {
  const kinds: AnswerColumn[] = [
    { name: 't', kind: 'microseconds' },
    { name: 'd', kind: 'datetime' },
  ]
  const FAR = [
    ['253402300799999999', '9999-12-31T23:59:59.999999'],
    ['253402300799999998', '9999-12-31T23:59:59.999998'],
    ['10413792000000001', '2300-01-01T00:00:00.000001'],
    ['9007199254740993', '2255-06-05T23:47:34.740993'],
    ['-9007199254740993', '1684-07-28T00:12:25.259007'],
    ['-62135596799999999', '0001-01-01T00:00:00.000001'],
  ] as const
  const rows = FAR.map(([us, text]): Row => ({ t: new RawJson(us), d: text }))

  test('have all digits in JSON, NDJSON and CSV', async () => {
    const json = FAR.map(([us, text]) => `{"t":${us},"d":"${text}"}`)
    expect(await encodedText(rows, jsonFormat, kinds)).toBe(`{"result":[${json.join(',')}]}`)
    expect(await encodedText(rows, ndjsonFormat, kinds)).toBe(json.map((one) => `${one}\n`).join(''))
    const lines = FAR.map(([us, text]) => `${us},${text}\r\n`)
    expect(await encodedText(rows, csvFormat, kinds)).toBe(`t,d\r\n${lines.join('')}`)
  })

  test('have all microseconds in Arrow', async () => {
    const table = tableFromIPC(await spell(rows, arrowFormat, kinds))
    const expected = BigInt64Array.from(FAR, ([us]) => BigInt(us))
    expect(table.getChild('t')!.data[0]!.values).toEqual(expected)
    expect(table.getChild('d')!.data[0]!.values).toEqual(expected)
  })

  test.each([...FORMATS.values()])('are the same bytes in $name when they were kept as JSON', async (format) => {
    const json = await spell(rows, jsonFormat, kinds)
    const kept = await encodeAll(readJson(json, kinds), format.encoder(kinds))
    expect(Buffer.from(kept)).toEqual(Buffer.from(await spell(rows, format, kinds)))
  })
})

const columns: AnswerColumn[] = [
  { name: 'id', kind: 'text' },
  { name: 'metadata', kind: 'json' },
  { name: 'mean', kind: 'double' },
]
const row = (id: string, json: string, mean: number | null): Row => ({ id, metadata: new RawJson(json), mean })

test('NDJSON holds a row with line ends in its metadata on one line, and ends each', async () => {
  const rows = [row('a', '{\r\n "a":\n"\\n"}', 1), row('b', '{}', null)]
  expect(await encodedText(rows, ndjsonFormat, columns)).toBe(
    '{"id":"a","metadata":{  "a": "\\n"},"mean":1}\n{"id":"b","metadata":{},"mean":null}\n',
  )
  expect(await encodedText([], ndjsonFormat, columns)).toBe('')
})

test('CSV quotes what needs it, keeps numbers to the letter and formulas as they are', async () => {
  const rows = [row('=1+1', '{"n":1.0}', 0.1), row('', '[]', null), row(' a', '{}', 1e21), row('a\nb', '{}', -1)]
  expect(await encodedText(rows, csvFormat, columns)).toBe(
    'id,metadata,mean\r\n=1+1,"{""n"":1.0}",0.1\r\n"",[],\r\n" a",{},1e+21\r\n"a\nb",{},-1\r\n',
  )
  expect(await encodedText([], csvFormat, columns)).toBe('id,metadata,mean\r\n')
  expect(await encodedText([], csvFormat, [])).toBe('')
})

describe('an Arrow stream', () => {
  const TIME = 'Timestamp<MICROSECOND, UTC>'
  const TYPES: Record<ColumnKind, string> = {
    text: 'Utf8',
    json: 'Utf8',
    microseconds: TIME,
    datetime: TIME,
    integer: 'Int64',
    count: 'Int64',
    double: 'Float64',
    boolean: 'Bool',
    any: 'Utf8',
  }
  const all = (Object.keys(TYPES) as ColumnKind[]).map((kind): AnswerColumn => ({ name: kind, kind }))
  const values = { text: 'a', json: new RawJson('{}'), microseconds: 1, datetime: '2026-11-20T10:00:00', integer: -1 }

  test.each([
    ['no row', []],
    ['a row', [{ ...values, count: 1, double: 1, boolean: true, any: 'a' }]],
    ['nulls alone', [Object.fromEntries(all.map(({ name }) => [name, null]))]],
  ])('has the types of its columns with %s', async (_, rows: Row[]) => {
    const { schema, numRows } = tableFromIPC(await spell(rows, arrowFormat, all))
    expect(schema.fields.map(({ name, type }) => [name, `${type}`])).toEqual(Object.entries(TYPES))
    expect(schema.fields.every(({ nullable }) => nullable)).toBe(true)
    expect(numRows).toBe(rows.length)
  })

  test('holds microseconds as they are', async () => {
    const timestampUs = 1_763_632_800_123_456
    const bytes = await spell([{ microseconds: timestampUs }], arrowFormat, [
      { name: 'microseconds', kind: 'microseconds' },
    ])
    expect(tableFromIPC(bytes).getChild('microseconds')!.data[0]!.values).toEqual(BigInt64Array.of(BigInt(timestampUs)))
  })

  test('holds the microseconds of datetimes, and every digit of integers', async () => {
    const rows = [{ at: '2026-11-20T10:00:00.123456', n: new RawJson('9007199254740993') }]
    const table = tableFromIPC(
      await spell(rows, arrowFormat, [
        { name: 'at', kind: 'datetime' },
        { name: 'n', kind: 'integer' },
      ]),
    )
    expect(table.getChild('at')!.data[0]!.values).toEqual(BigInt64Array.of(1_795_168_800_123_456n))
    expect(table.getChild('n')!.data[0]!.values).toEqual(BigInt64Array.of(9_007_199_254_740_993n))
  })

  test('rounds a long integer among doubles, and has no integer beyond 64 bits', async () => {
    const rows = [{ double: new RawJson('9007199254740993'), integer: 2 ** 63 }]
    const table = tableFromIPC(
      await spell(rows, arrowFormat, [
        { name: 'double', kind: 'double' },
        { name: 'integer', kind: 'integer' },
      ]),
    )
    expect(table.getChild('double')!.get(0)).toBe(9_007_199_254_740_992)
    expect(table.getChild('integer')!.get(0)).toBeNull()
  })

  test('has a batch for each 64 KiB, and one for each longer row', async () => {
    const sizes = async (bytes: readonly number[]) => {
      const rows = bytes.map((length) => ({ text: 'x'.repeat(length) }))
      const stream = await spell(rows, arrowFormat, [{ name: 'text', kind: 'text' }])
      expect(flechette.tableFromIPC(stream).numRows).toBe(bytes.length)
      return tableFromIPC(stream).batches.map(({ numRows }) => numRows)
    }
    expect(await sizes(Array(200).fill(1024))).toEqual([64, 64, 64, 8])
    expect(await sizes([100_000, 1, 100_000, 100_000])).toEqual([1, 2, 1])
    expect(await sizes([65_536])).toEqual([1])
  })
})

test('a long answer that was kept as JSON is read in slices, so that others get their turn', async () => {
  const rows = Array.from({ length: 200 }, (_, i) => row(`${i}`, `{"a":"${'x'.repeat(4_000)}"}`, i))
  const json = await spell(rows, jsonFormat, columns)
  let turns = 0
  const count = () => {
    turns += 1
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  const read: Row[] = []
  for await (const one of readJson(json, columns)) read.push(one)
  clearImmediate(timer)
  expect(plainRows(read)).toEqual(plainRows(rows))
  expect(turns).toBeGreaterThanOrEqual(10)
})
