import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AREAS, COLD_COLUMNS, type HotColumn, hotColumns } from '../../../../src/common/columns.js'
import type { SourceName } from '../../../../src/common/sources.js'
import { bytesOfBlock, toNative } from '../../../../src/engine/clickhouse/delivery/native.js'
import { columnNameOf, type TableColumn, tableColumns } from '../../../../src/engine/clickhouse/schema/table-names.js'
import type { IngestBatch } from '../../../../src/engine/engine.js'
import { toBatch, withoutColumns, withoutFields } from '../../../support/batch.js'
import { bitsInMetadata } from '../../../support/in-metadata.js'
import { oddMetadata } from '../../../support/odd-values.js'
import { NINE_AND_OWN } from '../../../support/own-source.js'
import { edge, invocation, numberAt, type TestRecord, textAt } from '../../../support/records.js'
import { arbitraryRecords } from '../../store/files/segments.js'

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

/** Returns the bits of the hot columns for which `isSet`, and of the columns that the program does not know. */
const bitsWhere = (source: SourceName, isSet: (column: HotColumn) => boolean) =>
  hotColumns(source).reduce((bits, column, i) => (isSet(column) ? bits : bits - 2 ** i), 2 ** 32 - 1)

/** Returns the expected row of a block of records. */
function expectedRow(record: TestRecord, row: number): Record<string, Value> {
  const { source, metadata } = record
  const hot = hotColumns(source).map((column): [string, Value] => {
    const { kind, path, isFieldOnly } = column
    const name = columnNameOf(column)
    if (kind === 'number') return [name, numberAt(metadata, path) ?? null]
    const value = textAt(metadata, path)
    if (kind === 'text' || isFieldOnly) return [name, value ?? null]
    if (kind === 'category') return [name, value ?? '']
    return [name, AREAS.reduce((bits, area, bit) => bits + (value?.includes(area) ? 2 ** bit : 0), 0)]
  })
  const isEmpty = ({ kind, path, isFieldOnly }: HotColumn) =>
    kind === 'category' && !isFieldOnly && textAt(metadata, path) === ''
  return {
    timestamp: BigInt(record.timestampUs),
    project: record.project ?? '',
    ...Object.fromEntries(hot),
    ...(hot.length > 0 && { in_metadata: (bitsInMetadata(source, metadata) | bitsWhere(source, isEmpty)) >>> 0 }),
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

/** Returns the block of a batch with the given columns, or all columns, as a server reads it. */
function readNative(batch: IngestBatch, keep?: (row: number) => boolean, columns = tableColumns(batch.source)) {
  const block = toNative(batch, ORIGIN, keep)
  const read = readBlock(bytesOfBlock(block, columns))
  expect(read.columns.map(({ name, type }) => ({ name, type }))).toEqual(
    columns.map(({ name, type }) => ({ name, type })),
  )
  expect(read.rows).toBe(block.rows)
  return rowsOf(read)
}

function expectBlock(records: readonly TestRecord[], keep?: (row: number) => boolean): void {
  const expected = records
    .map((record, i) => expectedRow(record, ORIGIN.firstRow + i))
    .filter((_, i) => keep?.(ORIGIN.firstRow + i) ?? true)
  expect(readNative(toBatch(records[0]!.source, records), keep)).toEqual(expected)
}

const oddRecords = (source: SourceName) =>
  oddMetadata(source).map((metadata, i): TestRecord => ({ ...edge({ id: `${i}`, metadata }), source }))

describe('a block', () => {
  it('has what the batch has, of any source', () => {
    fc.assert(fc.property(arbitraryRecords, (records) => expectBlock(records)))
  })

  it.each(NINE_AND_OWN)('has values, and bits of those that no column of %s holds', (source) => {
    expectBlock(oddRecords(source))
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
    expect(readNative(toBatch('edge_logs', urls)).map(({ url }) => url)).toEqual([null, '', 'a'])
    const functions = [invocation(), invocation({ metadata: { function_id: 'f' } }), invocation({ project: null })]
    const read = readNative(toBatch('function_edge_logs', functions))
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
    const read = readNative(toBatch('function_edge_logs', records))
    expect(read.map(({ execution_time_ms }) => execution_time_ms)).toEqual(times)
    expect(read[0]!.timestamp).toBe(-9007199254740991n)
  })

  it.each([0, 127, 128, 16_383, 16_384, 3_000_000])('has texts of %d bytes', (bytes) => {
    expectBlock([edge({ event_message: 'x'.repeat(bytes) }), edge({ event_message: 'y' })])
  })

  it('of nothing that is kept has no rows', () => {
    expectBlock([edge(), edge()], () => false)
  })

  it.each(NINE_AND_OWN)('of an older batch of %s has nulls, and all bits', (source) => {
    const records = oddRecords(source)
    for (const record of records) {
      const row = expectedRow(record, ORIGIN.firstRow)
      for (const column of hotColumns(source)) if (column.isFieldOnly) row[columnNameOf(column)] = null
      if ('in_metadata' in row) row.in_metadata = 2 ** 32 - 1
      expect(readNative(withoutFields(toBatch(source, [record])))).toEqual([row])
    }
  })

  it('of a batch without one column has the bit of that set', () => {
    const record = edge({ metadata: { request: { method: 'GET', path: '/rest' }, response: { status_code: 200 } } })
    const batch = withoutColumns(toBatch('edge_logs', [record]), (name) => name === 'request.method')
    const expected = { ...expectedRow(record, ORIGIN.firstRow), request_method: null }
    const in_metadata = bitsWhere('edge_logs', ({ name }) => name === 'request.method')
    expect(readNative(batch)).toEqual([{ ...expected, in_metadata }])
  })

  it.each(NINE_AND_OWN)('of %s can be sent without columns of which its rows then set the bits', (source) => {
    const records = oddRecords(source)
    const batch = toBatch(source, records)
    const later = tableColumns(source).filter(({ isLater }) => isLater)
    for (const left of [later, ...later.map((column): TableColumn[] => [column])]) {
      const columns = tableColumns(source).filter(({ name }) => !left.some((one) => one.name === name))
      const lacks = bitsWhere(source, (column) => left.some(({ name }) => name === columnNameOf(column)))
      const expected = records.map((record, i) => {
        const row = expectedRow(record, ORIGIN.firstRow + i)
        if ('in_metadata' in row) row.in_metadata = ((row.in_metadata as number) | lacks) >>> 0
        for (const { name } of left) delete row[name]
        return row
      })
      expect(readNative(batch, undefined, columns)).toEqual(expected)
    }
  })

  it('tells an empty text of a field from none, and sets the bit of an empty category of a plan', () => {
    const metadata = [{}, { function_id: '', request: { method: '' } }, { function_id: 1, request: { method: 2 } }]
    const records = metadata.map((one) => invocation({ metadata: one }))
    const read = readNative(toBatch('function_edge_logs', records))
    const unknown = 2 ** 32 - 16
    expect(
      read.map(({ function_id, request_method, in_metadata }) => [function_id, request_method, in_metadata]),
    ).toEqual([
      ['', null, unknown],
      ['', '', unknown + 1],
      ['', null, unknown + 9],
    ])
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
