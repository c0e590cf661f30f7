import { type RecordBatch, RecordBatchReader, RecordBatchStreamWriter, tableFromIPC } from 'apache-arrow'
import { describe, expect, it } from 'vitest'
import { KIB } from '../../src/base/units.js'
import { SOURCE_NAMES } from '../../src/common/sources.js'
import type { IngestBatch } from '../../src/engine/engine.js'
import { parse, parseChunks, rowsOf } from '../ingest/parsing.js'

const line = (record: object) => `${JSON.stringify({ source: 'edge_logs', ...record })}\n`

/** Records with many lengths and sources, some without a field. No two batches are equal. */
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

/** Returns the bytes that apache-arrow writes for the same rows. */
function writtenByApache(ipc: Uint8Array): Buffer {
  const [batch] = RecordBatchReader.from(ipc) as Iterable<RecordBatch>
  return Buffer.from(RecordBatchStreamWriter.writeAll([batch!]).toUint8Array(true))
}

/** Memory with left-over bytes. */
const used = (bytes: number) => new Uint8Array(bytes).fill(0xee)

describe('a record batch written as a stream', () => {
  it.each([1, 2, 3, 7, 64, 1000])('is, byte by byte, what apache-arrow writes: %d rows', (batchRows) => {
    const { batches } = parse(text, { batchRows })
    expect(new Set(batches.map(({ source }) => source)).size).toBe(3)
    for (const { ipc } of batches) expect(Buffer.from(ipc).equals(writtenByApache(ipc))).toBe(true)
  })

  it('is so, too, where a dictionary is empty', () => {
    const [batch] = parse(line({ id: 'a', project: null }) + line({ id: 'b', project: null })).batches
    const { ipc } = batch!
    expect(Buffer.from(ipc)).toEqual(writtenByApache(ipc))
    expect(tableFromIPC(ipc).getChild('project')!.toJSON()).toEqual([null, null])
  })

  describe('lies at the start of the memory that is given', () => {
    const one = line({ id: 'a', timestamp: '2026-11-20T11:00:00Z', project: 'p', event_message: 'm'.repeat(500) })
    const expected = Buffer.from(parse(one).batches[0]!.ipc)
    const exact = expected.length

    /** Writes a batch while `bytes` of memory are offered. Returns the memory and the batch. */
    function parseInto(bytes: number) {
      const memory = used(bytes)
      const ipcs: Uint8Array[] = []
      parseChunks([Buffer.from(one)], { batchRows: 1, memory: () => memory, onBatch: ({ ipc }) => ipcs.push(ipc) })
      return { memory, ipc: ipcs[0]! }
    }

    it.each([exact, exact + 1, 3 * exact])('if that has the room: %d bytes', (bytes) => {
      const { memory, ipc } = parseInto(bytes)
      expect(Buffer.from(ipc)).toEqual(expected)
      expect([ipc.buffer === memory.buffer, ipc.byteOffset]).toEqual([true, 0])
      expect(memory.subarray(exact).every((byte) => byte === 0xee)).toBe(true)
    })

    it.each([0, 1, 100, exact - 1])('and in new memory if it has not: %d bytes', (bytes) => {
      const { memory, ipc } = parseInto(bytes)
      expect(Buffer.from(ipc)).toEqual(expected)
      expect([ipc.buffer === memory.buffer, ipc.byteOffset]).toEqual([false, 0])
      expect(memory.every((byte) => byte === 0xee)).toBe(true)
    })
  })
})

describe('batches in memory that is used again', () => {
  /** Parses with one memory, which is reused uncleared after each batch was copied. */
  function parseReusing(firstBytes: number, options: object) {
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
    const { batches, memories } = parseReusing(firstBytes, { batchRows })
    const fresh = parse(text, { batchRows }).batches
    expect(batches.map(({ source, rows }) => [source, rows])).toEqual(fresh.map(({ source, rows }) => [source, rows]))
    batches.forEach(({ ipc }, i) => {
      expect(Buffer.from(ipc).equals(fresh[i]!.ipc)).toBe(true)
    })
    expect(batches.flatMap(rowsOf)).toEqual(fresh.flatMap(rowsOf))
    // The batches of the last flush are written into separate memory.
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
