import { type RecordBatch, RecordBatchReader, RecordBatchStreamWriter } from 'apache-arrow'
import { describe, expect, it } from 'vitest'
import { KIB } from '../../src/base/units.js'
import type { IngestBatch } from '../../src/engine/engine.js'
import { toIpc } from '../../src/ingest/ipc.js'
import { SOURCE_NAMES } from '../../src/sources.js'
import { parse, parseChunks, rowsOf } from './parsing.js'

const line = (record: object) => `${JSON.stringify({ source: 'edge_logs', ...record })}\n`

/** Records of many lengths and sources, some fields absent; no two batches of them are alike. */
const text = Array.from({ length: 300 }, (_, i) =>
  line({
    source: SOURCE_NAMES[i % 3],
    id: `${i}`,
    timestamp: '2026-11-20T11:00:00Z',
    project: i % 5 === 0 ? null : `p${i % 7}`,
    event_message: String.fromCharCode(97 + (i % 26)).repeat((i * 37) % 500),
    metadata: { request: { url: i % 4 === 0 ? null : `/u/${i}`.repeat(i % 9) }, function_id: `f${i}` },
  }),
).join('')

const recordBatchOf = ({ ipc }: IngestBatch) => [...RecordBatchReader.from(ipc)][0] as RecordBatch

/** Memory that held something else. */
const used = (bytes: number) => new Uint8Array(bytes).fill(0xee)

describe('a record batch written as a stream', () => {
  const batch = recordBatchOf(parse(text).batches[0]!)
  const expected = Buffer.from(RecordBatchStreamWriter.writeAll([batch]).toUint8Array(true))
  const exact = expected.length

  it.each([
    ['as large', exact],
    ['a byte larger', exact + 1],
    ['much larger', 3 * exact],
  ])('lies at the start of memory that is %s, and is the same', (_, bytes) => {
    const memory = used(bytes)
    const ipc = toIpc(batch, 0, memory)
    expect(Buffer.from(ipc)).toEqual(expected)
    expect([ipc.buffer === memory.buffer, ipc.byteOffset]).toEqual([true, 0])
    expect(memory.subarray(exact).every((byte) => byte === 0xee)).toBe(true)
  })

  it.each([
    0,
    1,
    100,
    Math.floor(exact / 2),
    exact - 1,
  ])('moves to more than memory of %d bytes, and is the same', (bytes) => {
    const memory = used(bytes)
    const ipc = toIpc(batch, 1e6, memory)
    expect(Buffer.from(ipc)).toEqual(expected)
    expect([ipc.buffer === memory.buffer, ipc.byteOffset]).toEqual([false, 0])
  })

  it.each([
    0,
    100,
    exact,
    10 * exact,
  ])('without memory is the same, whatever its content is said to be: %d bytes', (bytes) => {
    expect(Buffer.from(toIpc(batch, bytes))).toEqual(expected)
  })
})

describe('batches in memory that is used again', () => {
  /** Parses with memory that comes back, as it was left, once a batch has been copied from it. */
  function parseReturning(firstBytes: number, options: object) {
    let memory: Uint8Array<ArrayBuffer> | undefined = used(firstBytes)
    const memories = new Set<ArrayBufferLike>()
    const batches: IngestBatch[] = []
    parseChunks([Buffer.from(text)], {
      ...options,
      memory: () => memory,
      onBatch(batch) {
        batches.push({ ...batch, ipc: batch.ipc.slice() })
        memories.add(batch.ipc.buffer)
        memory = new Uint8Array(batch.ipc.buffer as ArrayBuffer)
      },
    })
    return { batches, memories: memories.size }
  }

  it.each([
    [1, 17],
    [10 * KIB, 100],
    [KIB * KIB, 7],
  ])('are those of new memory: first %d bytes, %d rows a batch', (firstBytes, batchRows) => {
    const { batches, memories } = parseReturning(firstBytes, { batchRows })
    const fresh = parse(text, { batchRows }).batches
    expect(batches.map(({ source, rows }) => [source, rows])).toEqual(fresh.map(({ source, rows }) => [source, rows]))
    batches.forEach(({ ipc }, i) => {
      expect(Buffer.from(ipc).equals(fresh[i]!.ipc)).toBe(true)
    })
    expect(batches.flatMap(rowsOf)).toEqual(fresh.flatMap(rowsOf))
    // What flush hands out at the end has memory of its own.
    expect(memories).toBeLessThan(batches.length)
  })

  it('show nothing of the batch before', () => {
    const secret = line({ id: 'secret', event_message: 'secret'.repeat(1000), project: 'secret' })
    const memory = used(64 * KIB)
    const batches: Buffer[] = []
    parseChunks([Buffer.from(secret + line({ id: 'b', project: 'p' }))], {
      batchRows: 1,
      memory: () => memory,
      onBatch: ({ ipc }) => batches.push(Buffer.from(ipc)),
    })
    expect(batches.map((ipc) => ipc.includes('secret'))).toEqual([true, false])
    expect(memory.includes(0xee)).toBe(true)
    expect(Buffer.from(memory.buffer).includes('secret')).toBe(true)
    expect(batches[1]).toEqual(Buffer.from(parse(line({ id: 'b', project: 'p' }), { batchRows: 1 }).batches[0]!.ipc))
  })
})
