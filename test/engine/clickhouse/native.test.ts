import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toNative } from '../../../src/engine/clickhouse/native.js'
import { tableColumns } from '../../../src/engine/clickhouse/table-names.js'
import { AREAS, COLD_COLUMNS, planColumns } from '../../../src/engine/columns.js'
import { toBatch } from '../../support/batch.js'
import { edge, invocation, numberAt, type TestRecord, textAt } from '../../support/records.js'
import { arbitraryRecords } from '../arrow/storage/files/segments.js'

const ORIGIN = { arrivedUs: 1_795_000_000_000_000, batch: 0xfedc_ba98_7654_3210n, firstRow: 1_000 }

type Value = string | number | bigint | null

interface ReadBlock {
  columns: { name: string; type: string; values: Value[] }[]
  rows: number
}

/** Reads a whole block, by the description of the format. */
function readBlock(block: Uint8Array): ReadBlock {
  const bytes = Buffer.from(block)
  let at = 0
  const length = () => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++]!
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
  }
  const text = () => {
    const size = length()
    return bytes.toString('utf8', at, (at += size))
  }
  const of: Record<string, () => Value> = {
    String: text,
    UInt8: () => bytes[at++]!,
    UInt32: () => bytes.readUInt32LE((at += 4) - 4),
    Int64: () => bytes.readBigInt64LE((at += 8) - 8),
    UInt64: () => bytes.readBigUInt64LE((at += 8) - 8),
    Float64: () => bytes.readDoubleLE((at += 8) - 8),
  }
  const count = length()
  const rows = length()
  const many = <T>(read: () => T) => Array.from({ length: rows }, read)
  const columns = Array.from({ length: count }, () => {
    const [name, type] = [text(), text()]
    const inner = /^Nullable\((.*)\)$/.exec(type)?.[1]
    if (inner === undefined) return { name, type, values: many(of[type]!) }
    const nulls = many(() => bytes[at++] === 1)
    return { name, type, values: many(of[inner]!).map((value, row) => (nulls[row] ? null : value)) }
  })
  expect(at).toBe(bytes.length)
  return { columns, rows }
}

/** Returns the expected rows of a block of these records. */
function expectedRow(record: TestRecord, row: number): Record<string, Value> {
  const hot = planColumns(record.source).map(({ name, kind, path }): [string, Value] => {
    if (kind === 'number') return [name, numberAt(record.metadata, path) ?? null]
    const value = textAt(record.metadata, path)
    if (kind === 'text') return [name, value ?? null]
    if (kind === 'category') return [name, value ?? '']
    return [name, AREAS.reduce((bits, area, bit) => bits + (value?.includes(area) ? 2 ** bit : 0), 0)]
  })
  return {
    timestamp: BigInt(record.timestampUs),
    project: record.project ?? '',
    ...Object.fromEntries(hot),
    ...Object.fromEntries(COLD_COLUMNS.map((name) => [name, record[name]])),
    arrived: BigInt(ORIGIN.arrivedUs),
    batch: ORIGIN.batch,
    row,
  }
}

function rowsOf({ columns, rows }: ReadBlock): Record<string, Value>[] {
  return Array.from({ length: rows }, (_, row) =>
    Object.fromEntries(columns.map(({ name, values }) => [name, values[row]!])),
  )
}

function expectBlock(records: readonly TestRecord[], keep?: (row: number) => boolean): void {
  const { source } = records[0]!
  const { block, rows } = toNative(toBatch(source, records), ORIGIN, keep)
  const read = readBlock(block)
  const expected = records
    .map((record, i) => expectedRow(record, ORIGIN.firstRow + i))
    .filter((_, i) => keep?.(ORIGIN.firstRow + i) ?? true)
  expect(read.columns.map(({ name, type }) => ({ name, type }))).toEqual(tableColumns(source))
  expect(rows).toBe(expected.length)
  expect(rowsOf(read)).toEqual(expected)
}

describe('a block', () => {
  it('has what the batch has, of any source', () => {
    fc.assert(fc.property(arbitraryRecords, (records) => expectBlock(records)))
  })

  it('has the rows that are kept, under the numbers that they have among all', () => {
    fc.assert(
      fc.property(arbitraryRecords, fc.integer({ min: 1, max: 4 }), fc.nat(3), (records, every, rest) =>
        expectBlock(records, (row) => row % every === rest % every),
      ),
    )
  })

  it('tells an empty text from none where a question may', () => {
    const urls = [undefined, '', 'a'].map((url) => edge({ metadata: { request: { url } } }))
    const { block } = toNative(toBatch('edge_logs', urls), ORIGIN)
    expect(rowsOf(readBlock(block)).map(({ url }) => url)).toEqual([null, '', 'a'])
    const functions = [invocation(), invocation({ metadata: { function_id: 'f' } }), invocation({ project: null })]
    const read = rowsOf(readBlock(toNative(toBatch('function_edge_logs', functions), ORIGIN).block))
    expect(read.map(({ function_id, project }) => [function_id, project])).toEqual([
      ['', 'a'],
      ['f', 'a'],
      ['', ''],
    ])
  })

  it('keeps doubles and times to the last bit', () => {
    const times = [-0, 0.1, 5e-324, 1.7976931348623157e308]
    const records = times.map((time, i) =>
      invocation({
        timestampUs: -(2 ** 53) + 1 + i,
        metadata: `{"execution_time_ms":${Object.is(time, -0) ? '-0' : time}}`,
      }),
    )
    const read = rowsOf(readBlock(toNative(toBatch('function_edge_logs', records), ORIGIN).block))
    expect(read.map(({ execution_time_ms }) => execution_time_ms)).toEqual(times)
    expect(read[0]!.timestamp).toBe(-9007199254740991n)
  })

  it.each([0, 127, 128, 16_383, 16_384, 3_000_000])('has texts of %d bytes', (bytes) => {
    expectBlock([edge({ event_message: 'x'.repeat(bytes) }), edge({ event_message: 'y' })])
  })

  it('of nothing that is kept has no rows', () => {
    expectBlock([edge(), edge()], () => false)
  })

  it('is not made of a batch that is another one than it says', () => {
    const batch = toBatch('edge_logs', [edge(), edge()])
    expect(() => toNative({ ...batch, rows: 3 }, ORIGIN)).toThrow(
      new TypeError('A batch of edge_logs must be one record batch of 3 rows.'),
    )
    expect(() => toNative({ ...batch, source: 'function_edge_logs' }, ORIGIN)).toThrow(
      new TypeError('A batch of function_edge_logs must have the column function_id.'),
    )
  })
})
