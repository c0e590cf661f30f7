import * as flechette from '@uwdata/flechette'
import { CompressionType as ArrowCompression, compressionRegistry, tableFromIPC } from 'apache-arrow'
import { describe, expect, it } from 'vitest'
import type { FieldPath, StoredField } from '../../../../src/engine/execute/columns/field-path.js'
import { FieldColumn, valueOfCode } from '../../../../src/engine/execute/fields/field-column.js'
import { checkPathFile, encodePaths, readFilter, readPaths } from '../../../../src/engine/store/files/path-file.js'
import {
  makeMessageFilter,
  makePathColumns,
  type PathColumn,
} from '../../../../src/engine/store/path-columns/make-path-columns.js'
import { RawJson } from '../../../../src/plan/values/values.js'
import { edge } from '../../../support/records.js'
import { compressFrame, decompressFrame } from '../../../support/zstd-frames.js'
import { noYield, sealedBatch } from '../support.js'
import { createMemoryFiles } from './memory-files.js'

const ROWS = 4_000
const KINDS = [1, '1', true, 'a"\\\n\u0000é😀', 1.5, [1, 'x'], null, undefined]
const metadataOf = (i: number) => ({
  request: [{ method: ['GET', 'POST'][i % 2], port: (i % 20) * 100, 'a.b': i % 3 }],
  mixed: KINDS[i % KINDS.length],
  list: i % 2 === 0 ? [{ x: 1 }] : [{ x: 2 }, { x: 3 }],
  id: `id ${i}`,
})
const RECORDS = Array.from({ length: ROWS }, (_, i) =>
  edge({ id: `${i}`, timestampUs: i, project: 'a', metadata: metadataOf(i) }),
)
const FACTS = { rows: ROWS, coldCheck: 7 }

/** `columnBytes`: the most bytes of the columns. */
async function written(columnBytes = Number.POSITIVE_INFINITY) {
  const segment = await sealedBatch(RECORDS)
  const columns = await makePathColumns(segment, noYield)
  const messages = await makeMessageFilter(segment, noYield)
  const file = Buffer.concat(await encodePaths({ columns, messages }, FACTS, 20 * columnBytes))
  const files = createMemoryFiles()
  files.contents.set('p', file)
  return { columns, messages, file, files }
}

const at = (...keys: string[]): FieldPath => ({ keys, isCount: false })
const countOf = (...keys: string[]): FieldPath => ({ keys, isCount: true })

/** The values of all rows, as an expression reads them. */
function valuesOf(field: StoredField | undefined): unknown[] {
  const column = new FieldColumn(ROWS, 0)
  column.fill(field!)
  const { codes, dictionary } = column.snapshot()
  return Array.from({ length: ROWS }, (_, row) => {
    const value = valueOfCode(dictionary, codes[row]!, false)
    return value instanceof RawJson ? JSON.parse(value.text) : value
  })
}

compressionRegistry.set(ArrowCompression.ZSTD, { decode: decompressFrame })

describe('a file of path columns', () => {
  it('has the values and the numbers of elements of its paths, and no others', async () => {
    const { files, columns } = await written()
    const paths = [at('request', 'method'), at('request', 'port'), at('request', 'a.b'), at('mixed'), countOf('list')]
    const read = await readPaths(files, 'p', FACTS, [...paths, at('id'), countOf('id'), at('request')])
    expect(read.slice(5)).toEqual([undefined, undefined, undefined])
    const expected = [
      (i: number) => metadataOf(i).request[0]!.method,
      (i: number) => metadataOf(i).request[0]!.port,
      (i: number) => metadataOf(i).request[0]!['a.b'],
      (i: number) => metadataOf(i).mixed ?? null,
      (i: number) => (i % 2 === 0 ? 1 : 'other'),
    ]
    for (const [k, value] of expected.entries()) {
      expect(valuesOf(read[k])).toEqual(Array.from({ length: ROWS }, (_, i) => value(i)))
    }
    const names = columns.map(({ path }) => path.keys.join('/') + (path.isCount ? '[]' : '')).sort()
    expect(names).toEqual(
      [
        '[]',
        'list/x',
        'list[]',
        'mixed',
        'mixed[]',
        'request/a.b',
        'request/method',
        'request/port',
        'request[]',
      ].sort(),
    )
    expect(files.open.count).toBe(0)
  })

  it('has the filter of messages, unless that takes over a thirty-second of the other files', async () => {
    const { files, columns, messages } = await written()
    expect(await readFilter(files, 'p', FACTS)).toEqual(Buffer.from(messages!))
    for (const [otherBytes, expected] of [
      [32 * messages!.length, Buffer.from(messages!)],
      [32 * messages!.length - 1, undefined],
    ] as const) {
      const file = Buffer.concat(await encodePaths({ columns: columns.slice(0, 1), messages }, FACTS, otherBytes))
      files.contents.set('p', file)
      expect(await readFilter(files, 'p', FACTS)).toEqual(expected)
      await checkPathFile(files, 'p', FACTS)
    }
    files.contents.set('p', Buffer.concat(await encodePaths({ columns: [], messages }, FACTS, 1e9)))
    expect(await readFilter(files, 'p', FACTS)).toEqual(Buffer.from(messages!))
    expect(tableFromIPC(files.contents.get('p')!).numRows).toBe(ROWS)
  })

  it('is read by other readers of Arrow, with names and values that people know', async () => {
    const { file } = await written()
    const codec = { encode: compressFrame, decode: decompressFrame }
    flechette.setCompressionCodec(flechette.CompressionType.ZSTD, codec)
    for (const row of [
      tableFromIPC(file).get(3)!.toJSON(),
      (flechette.tableFromIPC(file).toArray() as Record<string, unknown>[])[3]!,
    ]) {
      expect({ ...row }).toEqual({
        '[]': '1',
        ...{ 'request.method': 'POST', 'request.port': '300', 'request[]': '1', '["request","a.b"]': '0' },
        ...{ 'list.x': '2', 'list[]': '"other"' },
        ...{ mixed: '"a\\"\\\\\\n\\u0000é😀"', 'mixed[]': null },
      })
    }
  })

  it('leaves out the columns that take most, down to a single one', async () => {
    const whole = await written()
    const sizes = [1, 0.8, 0.5, 0].map(async (share) => {
      const limit = whole.file.length * share
      const { file } = await written(limit)
      return { names: tableFromIPC(file).schema.names, isWithin: file.length <= limit }
    })
    const [all, some, few, one] = await Promise.all(sizes)
    expect([all!.isWithin, some!.isWithin, few!.isWithin]).toEqual([true, true, true])
    expect(all!.names).toHaveLength(whole.columns.length)
    expect(some!.names.length).toBeLessThan(whole.columns.length)
    expect(few!.names.length).toBeLessThan(some!.names.length)
    expect(one!.names).toHaveLength(1)
  })

  it('never has an altered value: a flipped bit is an error, and so is the file of another segment', async () => {
    const { files, file } = await written()
    const read = () => checkPathFile(files, 'p', FACTS)
    await read()
    const intact = Buffer.from(file)
    let undetected = 0
    for (let i = 0; i < 300; i++) {
      const place = Math.floor((i * file.length) / 300)
      const bytes = Buffer.from(intact)
      bytes[place]! ^= 1 << (i % 8)
      files.contents.set('p', bytes)
      await read().then(
        () => undetected++,
        (error) => expect(error).toMatchObject({ code: 'damaged_segment' }),
      )
    }
    // The start repeats the schema of the end, and padding is not read.
    expect(undetected).toBeLessThan(90)
    files.contents.set('p', intact)
    await expect(checkPathFile(files, 'p', { ...FACTS, coldCheck: 8 })).rejects.toThrow('belongs to another segment')
    const { columns, messages } = await written()
    const other = Buffer.concat(await encodePaths({ columns, messages }, FACTS, Number.POSITIVE_INFINITY))
    expect(other).toEqual(intact)
    files.contents.set('p', intact.subarray(1))
    await expect(read()).rejects.toMatchObject({ code: 'damaged_segment' })
  })
})

describe('makePathColumns', () => {
  it('drops a path whose values turn out to be too many, or too long', async () => {
    const later = (i: number, value: unknown, rare: unknown) => (i < 3_000 ? value : rare)
    const records = RECORDS.map((record, i) => ({
      ...record,
      metadata: JSON.stringify({ kept: i % 3, many: later(i, 'x', `x${i}`), long: later(i, 'x', 'x'.repeat(1_025)) }),
    }))
    const columns = await makePathColumns(await sealedBatch(records), noYield)
    const names = columns.map(({ path }: PathColumn) => path.keys.join('.') + (path.isCount ? '[]' : ''))
    expect(names).toEqual(['[]', 'kept'])
  })
})
