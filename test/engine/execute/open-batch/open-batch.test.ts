import { type RecordBatch, RecordBatchReader } from 'apache-arrow'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { createYielder } from '../../../../src/base/scheduling/time-slices.js'
import { decodeUtf8 } from '../../../../src/base/text/utf8.js'
import { hotColumns } from '../../../../src/common/columns.js'
import type { Batch } from '../../../../src/engine/execute/columns/batch.js'
import { none, range } from '../../../../src/engine/execute/columns/selection.js'
import { decodeBatch } from '../../../../src/engine/execute/open-batch/append-batch.js'
import {
  bytesOfOpenBatch,
  contentBytesOf,
  createOpenBatch,
  type OpenBatch,
  type TextColumn,
} from '../../../../src/engine/execute/open-batch/open-batch.js'
import { partOfOpenBatch, snapshot } from '../../../../src/engine/execute/open-batch/snapshot.js'
import { toBatch } from '../../../support/batch.js'
import { NINE_AND_OWN } from '../../../support/own-source.js'
import { edge, invocation, numberAt, type TestRecord, textAt } from '../../../support/records.js'
import {
  ALL_COLUMNS,
  atOnce,
  bufferBytes,
  headOf,
  hotValue,
  idsOf,
  noYield,
  textsOfColumn,
} from '../../store/support.js'

/** Returns all columns of a row of a batch. */
function rowOf(batch: Batch, row: number) {
  const cold = atOnce(batch.openCold()(row))
  return {
    timestampUs: batch.times.baseUs + batch.times.offsets[row]! * batch.times.unitUs,
    hot: Object.fromEntries([...batch.columns.keys()].map((name) => [name, hotValue(batch, name, row)])),
    cold: [cold.id, cold.event_message, cold.metadata].map(decodeUtf8),
  }
}

const contentOf = (batch: Batch) => Array.from({ length: batch.rows }, (_, row) => rowOf(batch, row))

/** Returns the same from the record itself. */
const expectedOf = ({ timestampUs, project, id, event_message, metadata }: TestRecord) => ({
  timestampUs,
  hot: {
    project: project ?? undefined,
    function_id: textAt(metadata, ['function_id']),
    execution_time_ms: numberAt(metadata, ['execution_time_ms']),
    status_code: numberAt(metadata, ['response', 'status_code']),
  },
  cold: [id, event_message, metadata],
})

const arbitraryCall: fc.Arbitrary<TestRecord> = fc
  .record({
    timestampUs: fc.integer({ min: -1e15, max: 2e15 }),
    project: fc.constantFrom('a', 'b', '', 'a\nb', 'é', null),
    id: fc.string({ maxLength: 3 }),
    event_message: fc.string({ unit: 'grapheme', maxLength: 4 }),
    function_id: fc.constantFrom('f', '', '\n', undefined),
    time: fc.constantFrom(0, 0.1, 1e300, undefined),
    status: fc.constantFrom(200, undefined),
  })
  .map(({ function_id, time, status, ...rest }) =>
    invocation({ ...rest, metadata: { function_id, execution_time_ms: time, response: { status_code: status } } }),
  )

describe('a head', () => {
  it('holds every row in order of arrival, absent values and empty ones apart', () => {
    fc.assert(
      fc.property(
        fc.array(arbitraryCall, { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 1, max: 9 }),
        (given, n) => {
          const head = headOf(given, n)
          expect(contentOf(snapshot(head))).toEqual(given.map(expectedOf))
          const times = given.map(({ timestampUs }) => timestampUs)
          expect([head.minUs, head.maxUs]).toEqual([Math.min(...times), Math.max(...times)])
        },
      ),
    )
  })

  it('holds texts of many distinct values: equal, empty and absent ones, each in its row', () => {
    const arbitraryUrl = fc.constantFrom('u', 'u', '', 'a\nb', 'é', '\n', undefined)
    fc.assert(
      fc.property(
        fc.array(arbitraryUrl, { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 1, max: 9 }),
        (urls, n) => {
          const records = urls.map((url) => edge({ metadata: { request: { url } } }))
          const batch = snapshot(headOf(records, n))
          expect(urls.map((_, row) => hotValue(batch, 'url', row))).toEqual(urls)
        },
      ),
    )
  })

  it('copies the texts of one cold column, whatever the batches in which they arrived', () => {
    fc.assert(
      fc.property(
        fc.array(arbitraryCall, { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom('id', 'event_message', 'metadata'),
        (given, n, column) => {
          expect(textsOfColumn(snapshot(headOf(given, n)), column)).toEqual(given.map((record) => record[column]))
        },
      ),
    )
  })

  it('copies up to 512 of them from a row on, or up to a MiB', () => {
    const of = (bytes: number) =>
      snapshot(headOf(Array.from({ length: 600 }, () => edge({ event_message: 'é'.repeat(bytes / 2) }))))
    const range = (batch: Batch, row: number) => {
      const { from, to, offsets, bytes } = atOnce(batch.readColdTexts('event_message', row))
      return [from, to, offsets.length, bytes.length]
    }
    expect(range(of(10), 7)).toEqual([7, 519, 513, 5120])
    expect(range(of(10), 599)).toEqual([599, 600, 2, 10])
    expect(range(of(2 ** 16), 7)).toEqual([7, 23, 17, 2 ** 20])
    expect(range(of(0), 0)).toEqual([0, 512, 513, 0])
    const memory = new Uint8Array(100).fill(1)
    const { bytes } = atOnce(of(2).readColdTexts('event_message', 590, (length) => memory.subarray(50, 50 + length)))
    expect([bytes.toString(), bytes.buffer === memory.buffer, memory[49], memory[70]]).toEqual([
      'é'.repeat(10),
      true,
      1,
      1,
    ])
  })

  it('returns texts as plain arrays: its memory grows in place, over which Buffers are slow', () => {
    const head = createOpenBatch('function_edge_logs')
    decodeBatch(toBatch('function_edge_logs', [invocation()]))(head)
    const { id } = atOnce(snapshot(head).openCold()(0))
    expect((id.buffer as ArrayBuffer).resizable).toBe(true)
    expect(Object.getPrototypeOf(id)).toBe(Uint8Array.prototype)
  })

  it('grows, and a snapshot stays what it was', () => {
    const records = Array.from({ length: 700 }, (_, i) =>
      invocation({
        id: `${i}`,
        timestampUs: i,
        project: `p${i}`,
        event_message: 'x'.repeat(i),
        metadata: { function_id: `f\n${i}`, execution_time_ms: i, response: { status_code: i } },
      }),
    )
    const head = createOpenBatch('function_edge_logs')
    head.readers = 1
    const snapshots: Batch[] = []
    for (let row = 0; row < records.length; row += 50) {
      snapshots.push(snapshot(head))
      decodeBatch(toBatch('function_edge_logs', records.slice(row, row + 50)))(head)
    }
    snapshots.forEach((taken, i) => {
      const expected = records.slice(0, i * 50)
      expect([taken.rows, taken.maxUs]).toEqual([i * 50, i === 0 ? Number.NEGATIVE_INFINITY : i * 50 - 1])
      expect(contentOf(taken)).toEqual(expected.map(expectedOf))
      expect(taken.projectRows(`p${i * 50}`)).toBe(none)
      if (i > 0) expect(idsOf(taken, taken.projectRows(`p${i * 50 - 1}`))).toEqual([`${i * 50 - 1}`])
    })
    expect(contentOf(snapshot(head))).toEqual(records.map(expectedOf))
  })

  it('finds the rows of a project, all, some or none, in order of arrival', () => {
    const some = snapshot(headOf([edge({ id: '0' }), edge({ id: '1', project: null }), edge({ id: '2' })]))
    expect(idsOf(some, some.projectRows('a'))).toEqual(['0', '2'])
    expect(some.projectRows('')).toBe(none)
    expect(snapshot(headOf([edge(), edge()])).projectRows('a')).toEqual(range(0, 2, false))
    expect(snapshot(createOpenBatch('edge_logs')).projectRows('a')).toBe(none)
  })

  it.each(NINE_AND_OWN)('takes the rows of %s', (source) => {
    const records = ['a', null].map((project) => ({ ...edge({ id: 'i', project }), source }))
    expect(contentOf(snapshot(headOf(records))).map(({ hot }) => hot.project)).toEqual(['a', undefined])
  })

  it('reads nothing of what stands under a null', () => {
    const batch = toBatch('function_edge_logs', [
      invocation({ metadata: { function_id: 'f', execution_time_ms: 7 } }),
      invocation({ project: null }),
    ])
    const [decoded] = [...RecordBatchReader.from(batch.ipc)] as RecordBatch[]
    for (const name of ['project', 'function_id', 'execution_time_ms', 'status_code']) {
      // A view of the batch's bytes.
      decoded!.getChild(name)!.data[0]!.values.fill(0, 1)
    }
    const head = createOpenBatch('function_edge_logs')
    decodeBatch(batch)(head)
    expect(rowOf(snapshot(head), 0).hot).toMatchObject({ project: 'a', function_id: 'f', execution_time_ms: 7 })
    expect(new Set(Object.values(rowOf(snapshot(head), 1).hot))).toEqual(new Set([undefined]))
  })

  it('reads nothing of a text under a null', () => {
    const batch = toBatch(
      'edge_logs',
      ['u', undefined, 'w'].map((url) => edge({ metadata: { request: { url } } })),
    )
    const [decoded] = [...RecordBatchReader.from(batch.ipc)] as RecordBatch[]
    // A view of the batch's own bytes: the null gets the text w, and the former row of w gets the empty text.
    decoded!.getChild('url')!.data[0]!.valueOffsets.set([0, 1, 2, 2])
    const head = createOpenBatch('edge_logs')
    decodeBatch(batch)(head)
    expect([0, 1, 2].map((row) => hotValue(snapshot(head), 'url', row))).toEqual(['u', undefined, ''])
  })

  it('keeps nothing of the memory of a batch', () => {
    const edges = ['u', undefined].map((url) => edge({ id: 'e', project: 'p', metadata: { request: { url } } }))
    const calls = [invocation({ timestampUs: 5, metadata: { function_id: 'f', execution_time_ms: 7 } })]
    for (const records of [edges, calls]) {
      const { source } = records[0]!
      const [head, batch] = [createOpenBatch(source), toBatch(source, records)]
      decodeBatch(batch)(head)
      batch.ipc.fill(0xee)
      expect(contentOf(snapshot(head))).toEqual(contentOf(snapshot(headOf(records))))
      decodeBatch(toBatch(source, records))(head)
      expect(contentOf(snapshot(head))).toEqual(contentOf(snapshot(headOf([...records, ...records]))))
    }
  })

  it('keeps flags for the areas of a path', () => {
    const paths = ['/rest', '/auth/storage', undefined, '/realtime']
    const batch = snapshot(headOf(paths.map((path) => edge({ metadata: { request: { path } } }))))
    expect(paths.map((_, row) => hotValue(batch, 'path', row))).toEqual([1, 6, 0, 8])
  })
})

describe('a batch that is not what it says', () => {
  const sound = () => toBatch('edge_logs', [edge({ id: 'new' })])
  const expectUnchanged = (head: OpenBatch) =>
    expect(contentOf(snapshot(head)).map(({ cold }) => cold[0])).toEqual(['old'])

  it.each([
    [
      'another number of rows',
      () => ({ ...sound(), rows: 2 }),
      /^A batch of edge_logs must be one record batch of 2 rows\.$/,
    ],
    [
      'no Arrow stream',
      () => ({ ...sound(), ipc: new Uint8Array(0) }),
      /^A batch of edge_logs must be one record batch of 1 rows\.$/,
    ],
    ['a torn stream', () => ({ ...sound(), ipc: sound().ipc.slice(0, -60) }), /./],
    [
      'the columns of another source',
      () => ({ ...toBatch('pgbouncer_logs', [{ ...edge(), source: 'pgbouncer_logs' }]), source: 'edge_logs' as const }),
      /^A batch of edge_logs must have the columns url, path\.$/,
    ],
  ])('is refused whole: %s', (_, make, message) => {
    const head = headOf([edge({ id: 'old' })])
    expect(() => decodeBatch(make())).toThrow(message)
    expectUnchanged(head)
    decodeBatch(sound())(head)
    expect(idsOf(snapshot(head))).toEqual(['old', 'new'])
  })
})

describe('a head that is shown', () => {
  it('has the rows of that moment when it is opened, by several at once and with pauses on the way', async () => {
    const records = Array.from({ length: 3000 }, (_, i) =>
      edge({ id: `${i}`, timestampUs: i, metadata: { request: { url: `url ${i % 1700}` } } }),
    )
    const head = headOf(records)
    const parts = [partOfOpenBatch(head), partOfOpenBatch(head)]
    decodeBatch(toBatch('edge_logs', [edge({ timestampUs: 9e9, metadata: { request: { url: 'later' } } })]))(head)
    let nowMs = 0
    const now = vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 100))
    const opened = parts.map((part) => part.open(createYielder(), ALL_COLUMNS))
    expect(opened[0]).toBeInstanceOf(Promise)
    const batches = await Promise.all(opened)
    now.mockRestore()
    for (const [i, batch] of batches.entries()) {
      expect([parts[i]!.rows, parts[i]!.maxUs, batch.rows]).toEqual([3000, 2999, 3000])
      expect(idsOf(batch)).toEqual(records.map(({ id }) => id))
      const urls = records.map((_, row) => hotValue(batch, 'url', row))
      expect(urls).toEqual(records.map(({ metadata }) => textAt(metadata, ['request', 'url'])))
    }
  })

  it('encodes the texts that are named, and no others', () => {
    const head = headOf([edge({ metadata: { request: { url: 'u', path: '/rest' } } })])
    const { encoded } = head.columns.get('url') as TextColumn
    const open = (names: readonly string[]) => atOnce(partOfOpenBatch(head).open(noYield, new Set(names)))
    const names = hotColumns('edge_logs').flatMap(({ name, kind }) => (kind === 'text' ? [] : [name]))
    expect([...open(['path', 'status_code']).columns.keys()]).toEqual(['project', ...names])
    expect(encoded.rows).toBe(0)
    expect(hotValue(open(['url']), 'url', 0)).toBe('u')
    expect(encoded.rows).toBe(1)
  })

  it('is there at once where there is little to do', () => {
    expect(partOfOpenBatch(headOf([edge()])).open(noYield, ALL_COLUMNS)).not.toBeInstanceOf(Promise)
  })
})

describe('the bytes of a head', () => {
  it('are those of its buffers', () => {
    const head = headOf(
      Array.from({ length: 3000 }, (_, i) => edge({ project: `${i}`, event_message: 'm'.repeat(40) })),
    )
    snapshot(head)
    const { columns, ...rest } = head
    let interned = 0
    const visible = [...columns.values()].map((column) => {
      const { interner, ...codes } = column.kind === 'text' ? column.encoded : { interner: undefined, ...column }
      interned += interner?.byteLength ?? 0
      return column.kind === 'text' ? [column.texts, codes] : codes
    })
    expect(bytesOfOpenBatch(head)).toBe(bufferBytes([rest, visible]) + interned)
  })

  it('of its content are the texts and 32 a row', () => {
    expect(contentBytesOf(createOpenBatch('edge_logs'))).toBe(0)
    const head = headOf([edge({ id: 'é', event_message: 'abc' }), edge({ metadata: '{"a":1}' })])
    expect(contentBytesOf(head)).toBe(2 + 3 + 2 + 7 + 2 * 32)
  })
})
