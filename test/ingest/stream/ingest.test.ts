import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createMetrics } from '../../../src/base/metrics.js'
import { systemClock } from '../../../src/base/time/clock.js'
import { MIB } from '../../../src/base/units.js'
import type { IngestBatch } from '../../../src/engine/engine.js'
import type { createIngest as CreateIngest, Ingest, IngestOptions } from '../../../src/ingest/stream/ingest.js'
import { createGate } from '../../support/gate.js'
import { NOW_US, type ParsedRow, rowsOf } from '../parsing.js'
import { type Reject, storeInto } from '../rejected.js'

// The parsing thread runs the built program: run `npm run build` before the tests.
const { createIngest }: { createIngest: typeof CreateIngest } = await import(
  new URL('../../../dist/ingest/stream/ingest.js', import.meta.url).href
)

const line = (id: number | string, more: object = {}) =>
  `${JSON.stringify({ source: 'edge_logs', id: `${id}`, ...more })}\n`

/** An engine that waits for `gate`, then reads the batch before resolving: the memory is reused afterwards. */
function fakeEngine(gate: () => Promise<void> = async () => {}) {
  const rows: ParsedRow[] = []
  const batches: Uint8Array[] = []
  const engine = {
    async append(batch: IngestBatch) {
      await gate()
      batches.push(batch.ipc)
      rows.push(...rowsOf(batch))
      batch.release?.()
    },
  }
  return { engine, rows, batches, ids: () => rows.map(({ id }) => id) }
}

let open: Ingest[] = []
afterEach(async () => {
  await Promise.all(open.map((ingest) => ingest.close()))
  open = []
})

function start(options: Partial<IngestOptions> & Pick<IngestOptions, 'engine'>) {
  const metrics = createMetrics()
  const written: Reject[] = []
  const clock = { ...systemClock, nowUs: () => NOW_US }
  const ingest = createIngest({ metrics, rejects: storeInto(written), clock, ...options })
  open.push(ingest)
  const metric = async (name: string) => (await metrics.registry.getSingleMetric(name)!.get()).values
  return { ingest, written, metric }
}

async function until(done: () => boolean): Promise<void> {
  while (!done()) await new Promise((resolve) => setTimeout(resolve, 5))
}

describe('a stream', () => {
  it('arrives whole and in order, in whatever chunks', async () => {
    const { engine, ids } = fakeEngine()
    const { ingest, written, metric } = start({ engine })
    const wanted = Array.from({ length: 20_000 }, (_, i) => `${i}`)
    const text = Buffer.from(`${wanted.map((id) => line(id)).join('')}nope\n{}\n{"source":"auth_logs","timestamp":0}`)
    for (let at = 0; at < text.length; at += 9973) await ingest.write(text.subarray(at, at + 9973))
    expect(await ingest.end()).toEqual({
      taken: 20_000,
      rejected: 3,
      byReason: { invalid_json: 1, missing_source: 1, too_old: 1 },
    })
    expect(ids()).toEqual(wanted)
    expect(written.map((reject) => [reject.line, reject.reason, Buffer.from(reject.bytes).toString()])).toEqual([
      [20_001, 'invalid_json', 'nope'],
      [20_002, 'missing_source', '{}'],
      [20_003, 'too_old', '{"source":"auth_logs","timestamp":0}'],
    ])
    expect(await metric('logweir_ingested_rows_total')).toEqual([{ labels: { source: 'edge_logs' }, value: 20_000 }])
    expect(await metric('logweir_rejected_rows_total')).toHaveLength(3)
  })

  it('that trickles becomes visible by itself, line by line', async () => {
    const { engine, ids } = fakeEngine()
    const { ingest } = start({ engine })
    await ingest.write(Buffer.from(`${line('a')}{"source":"edge_`))
    await until(() => ids().length === 1)
    await ingest.write(Buffer.from('logs","id":"b"}\n'))
    await until(() => ids().length === 2)
    expect(ids()).toEqual(['a', 'b'])
  })

  it('that falls silent after a burst becomes visible to its last line', async () => {
    const { engine, ids } = fakeEngine()
    const { ingest } = start({ engine })
    const wanted = Array.from({ length: 9 }, (_, i) => `${i}`)
    for (const id of wanted) await ingest.write(Buffer.from(line(id)))
    await until(() => ids().length === 9)
    expect(ids()).toEqual(wanted)
  })

  it('is visible after flush, but for the line that is cut', async () => {
    const { engine, ids } = fakeEngine()
    const { ingest } = start({ engine, flushIntervalMs: 1e6 })
    await ingest.write(Buffer.from(line('a')))
    await ingest.write(Buffer.from(line('b') + line('c').trim()))
    await ingest.flush()
    expect(ids()).toEqual(['a', 'b'])
    expect((await ingest.end()).taken).toBe(3)
    expect(ids()).toEqual(['a', 'b', 'c'])
  })

  it('may name its source, its retention and its longest line', async () => {
    const { engine } = fakeEngine()
    const { ingest, written } = start({
      engine,
      defaults: { source: 'gotrue.logs.prod' },
      retentionUs: 1000,
      maxLineBytes: 100,
    })
    await ingest.write(
      Buffer.from(`{}\n{"timestamp":${NOW_US - 1000}}\n{"timestamp":${NOW_US - 1001}}\n${' '.repeat(101)}`),
    )
    expect((await ingest.end()).taken).toBe(2)
    expect(written.map(({ reason }) => reason)).toEqual(['too_old', 'line_too_long'])
  })

  it('without a byte starts no thread', async () => {
    let threads = 0
    const count = () => threads++
    process.on('worker', count)
    const { ingest } = start({ engine: fakeEngine().engine })
    await ingest.write(new Uint8Array(0))
    await ingest.flush()
    expect(await ingest.end()).toEqual({ taken: 0, rejected: 0, byReason: {} })
    process.off('worker', count)
    expect(threads).toBe(0)
  })

  it('that is awaited has its thread ahead of the first write: one, and none once closed', async () => {
    const threads: Worker[] = []
    const collect = (thread: Worker) => void threads.push(thread)
    process.on('worker', collect)
    const { engine, ids } = fakeEngine()
    const { ingest } = start({ engine })
    ingest.start()
    ingest.start()
    await until(() => threads.length > 0)
    await ingest.write(Buffer.from(line('a')))
    expect((await ingest.end()).taken).toBe(1)
    ingest.start()
    await new Promise((resolve) => setTimeout(resolve, 20))
    process.off('worker', collect)
    expect([ids(), threads.length]).toEqual([['a'], 1])
  })

  it('may be written from the same memory over and over, longer than a slab, without waiting', async () => {
    const { engine, ids } = fakeEngine()
    const { ingest } = start({ engine, buffers: 2, bufferBytes: 50 })
    const wanted = Array.from({ length: 300 }, (_, i) => `${i}`)
    const memory = Buffer.alloc(1000)
    for (const id of wanted) await ingest.write(memory.subarray(0, memory.write(line(id))))
    const more = ['x', 'y', 'z'].map((id) => ingest.write(Buffer.from(line(id, { event_message: id.repeat(500) }))))
    expect((await ingest.end()).rejected).toBe(0)
    await Promise.all(more)
    expect(ids()).toEqual([...wanted, 'x', 'y', 'z'])
  })
})

describe('a file that the thread reads', () => {
  let directory: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'ingest-'))
  })
  afterEach(() => rmSync(directory, { recursive: true }))

  function openFile(content: string): number {
    const path = join(directory, `${Math.random()}`)
    writeFileSync(path, content)
    return openSync(path, 'r')
  }

  async function readAll(ingest: Ingest, fd: number): Promise<number> {
    let all = 0
    for (let bytes = await ingest.read(fd); bytes > 0; bytes = await ingest.read(fd)) all += bytes
    return all
  }

  it('arrives whole and in order, together with what is written', async () => {
    const { engine, ids } = fakeEngine()
    const { ingest } = start({ engine, buffers: 4, bufferBytes: 100 })
    const wanted = Array.from({ length: 1000 }, (_, i) => `${i}`)
    for (let from = 0; from < wanted.length; from += 20) {
      const text = wanted.slice(from, from + 20).map((id) => line(id))
      // The first half of a line is a chunk, the second half a file.
      await ingest.write(Buffer.from(text.slice(0, 5).join('') + text[5]!.slice(0, 9)))
      const rest = text[5]!.slice(9) + text.slice(6).join('')
      expect(await readAll(ingest, openFile(rest))).toBe(rest.length)
    }
    expect(await ingest.end()).toEqual({ taken: 1000, rejected: 0, byReason: {} })
    expect(ids()).toEqual(wanted)
  })

  it('arrives in order where it is asked for ahead, of many reads', async () => {
    const { engine, ids } = fakeEngine()
    const { ingest } = start({ engine })
    const wanted = Array.from({ length: 5000 }, (_, i) => `${i}`)
    const content = wanted.map((id) => line(id, { event_message: 'x'.repeat(1000) })).join('')
    const fd = openFile(content)
    const read = await Promise.all(Array.from({ length: 10 }, () => ingest.read(fd)))
    expect(read.filter((bytes) => bytes > 0).length).toBeGreaterThan(3)
    expect([read.reduce((sum, bytes) => sum + bytes, 0), read.at(-1)]).toEqual([content.length, 0])
    expect(ids().length).toBeGreaterThan(4000)
    await ingest.end()
    expect(ids()).toEqual(wanted)
  })

  it('follows what waits for a slab to fill', async () => {
    const { engine, ids } = fakeEngine()
    const { ingest } = start({ engine })
    for (const id of 'abcd') await ingest.write(Buffer.from(line(id)))
    await readAll(ingest, openFile(line('e')))
    await ingest.end()
    expect(ids()).toEqual([...'abcde'])
  })

  it('is told when the engine has it, not before', async () => {
    const gate = createGate()
    const { engine, ids } = fakeEngine(() => gate.opened)
    const { ingest } = start({ engine, flushIntervalMs: 1 })
    let isRead = false
    const content = Array.from({ length: 6000 }, (_, i) => line(i, { event_message: 'x'.repeat(1000) })).join('')
    const fd = openFile(content)
    const reads = Promise.all(Array.from({ length: 8 }, () => ingest.read(fd))).then(() => void (isRead = true))
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect([isRead, ids()]).toEqual([false, []])
    gate.open()
    await reads
    await ingest.end()
    expect(ids().length).toBe(6000)
  })

  it('that cannot be read is told with what the system says, and others can', async () => {
    const { engine, ids } = fakeEngine()
    const { ingest } = start({ engine })
    await ingest.write(Buffer.from(line('a')))
    const folder = openSync(directory, 'r')
    for (let i = 0; i < 3; i++) {
      await expect(ingest.read(folder)).rejects.toMatchObject({
        code: 'EISDIR',
        message: expect.stringMatching('EISDIR'),
      })
    }
    await readAll(ingest, openFile(line('b')))
    await ingest.end()
    expect(ids()).toEqual(['a', 'b'])
  })

  it('is refused once the engine has failed', async () => {
    const { ingest } = start({ engine: { append: () => Promise.reject(new Error('no room left')) } })
    const fd = openFile(line('a'))
    await ingest.read(fd)
    await expect(ingest.flush()).rejects.toMatchObject({ code: 'ingest_failed' })
    await expect(ingest.read(fd)).rejects.toMatchObject({ code: 'ingest_failed' })
  })
})

describe('a stream of many batches', () => {
  /** A record with the number of the record in the texts, so that a test notices bytes of another batch. */
  const recordOf = (i: number) => ({
    source: i % 3 === 0 ? 'auth_logs' : 'edge_logs',
    id: `${i}`,
    project: i % 11 === 0 ? null : `p${i % 97}`,
    event_message: `${i} `.repeat(20 + (i % 150)),
    metadata: { request: { url: i % 7 === 0 ? null : `/u/${i}` }, n: i },
  })

  /** Converts a row back to the record, with the URL only if the source has that column. */
  const recordOfRow = ({ source, id, project, event_message, metadata, url }: ParsedRow) => ({
    ...{ source, id, project, event_message, metadata: JSON.parse(metadata as string) },
    ...(source === 'edge_logs' ? { url } : {}),
  })

  it('arrives right in memory that the engine has given back', async () => {
    const { engine, rows, batches } = fakeEngine()
    const { ingest } = start({ engine })
    const count = 40_000
    let bytes = 0
    for (let from = 0; from < count; from += 500) {
      const lines = Array.from({ length: 500 }, (_, i) => `${JSON.stringify(recordOf(from + i))}\n`)
      const chunk = Buffer.from(lines.join(''))
      bytes += chunk.length
      await ingest.write(chunk)
    }
    expect(bytes).toBeGreaterThan(20 * MIB)
    expect(await ingest.end()).toEqual({ taken: count, rejected: 0, byReason: {} })
    for (const source of ['auth_logs', 'edge_logs']) {
      const records = Array.from({ length: count }, (_, i) => recordOf(i)).filter((record) => record.source === source)
      const received = rows.filter((row) => row.source === source)
      expect(received.map(({ id }) => id)).toEqual(records.map(({ id }) => id))
      const wrong = received.findIndex((row, i) => {
        const { metadata } = records[i]!
        const expected = source === 'edge_logs' ? { ...records[i]!, url: metadata.request.url } : records[i]!
        return !isDeepStrictEqual(recordOfRow(row), expected)
      })
      expect(received[wrong]).toBeUndefined()
    }
    // Memory that was transferred back to the thread has no bytes here.
    expect(batches.filter(({ buffer }) => buffer.byteLength === 0).length).toBeGreaterThanOrEqual(4)
  }, 60_000)
})

describe('a slow engine', () => {
  it('holds the writer, and loses nothing', async () => {
    const gate = createGate()
    let entered = false
    const { engine, ids } = fakeEngine(() => {
      entered = true
      return gate.opened
    })
    const { ingest } = start({ engine, buffers: 5, bufferBytes: 20_000 })
    let accepted = 0
    const chunk = (i: number) => Buffer.from(line(i, { event_message: 'x'.repeat(10_000) }))
    const writing = (async () => {
      for (let i = 0; i < 1000; i++, accepted++) await ingest.write(chunk(i))
    })()
    await until(() => entered)
    const before = accepted
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(accepted - before).toBeLessThanOrEqual(10)
    expect(accepted).toBeLessThan(1000)
    expect(ids()).toEqual([])
    gate.open()
    await writing
    await ingest.end()
    expect(ids()).toEqual(Array.from({ length: 1000 }, (_, i) => `${i}`))
  })
})

describe('failure', () => {
  const failed = (message: unknown) => expect.objectContaining({ code: 'ingest_failed', message })

  it('of the engine shows in every call', async () => {
    const engine = { append: () => Promise.reject(new Error('no room left')) }
    const { ingest } = start({ engine })
    await ingest.write(Buffer.from(line(1)))
    const error = failed('The engine failed: no room left')
    await expect(ingest.flush()).rejects.toEqual(error)
    await expect(ingest.write(Buffer.from(line(2)))).rejects.toEqual(error)
    await expect(ingest.end()).rejects.toEqual(error)
    expect(ingest.totals().taken).toBe(0)
  })

  it('of the thread shows in every call', async () => {
    const threads: Worker[] = []
    const collect = (thread: Worker) => void threads.push(thread)
    process.on('worker', collect)
    const { ingest } = start({ engine: fakeEngine().engine, buffers: 1, bufferBytes: 1 })
    const writing = expect(ingest.write(Buffer.from(line(1)))).rejects.toEqual(
      failed(expect.stringMatching(/^The parsing thread stopped by itself, with code \d+\.$/)),
    )
    await until(() => threads.length > 0)
    process.off('worker', collect)
    await threads[0]!.terminate()
    await writing
    await expect(ingest.write(Buffer.from('x'))).rejects.toMatchObject({ code: 'ingest_failed' })
    await expect(ingest.end()).rejects.toMatchObject({ code: 'ingest_failed' })
  })

  it('is what a write after the end is', async () => {
    const { ingest } = start({ engine: fakeEngine().engine })
    await ingest.write(Buffer.from(line(1)))
    await ingest.end()
    await expect(ingest.write(Buffer.from(line(2)))).rejects.toEqual(
      failed('The stream has ended: nothing can be written to it any more.'),
    )
  })

  it('is what closing is to those who wait', async () => {
    const { ingest } = start({ engine: fakeEngine(() => new Promise(() => {})).engine })
    await ingest.write(Buffer.from(line(1)))
    const ending = expect(ingest.end()).rejects.toEqual(failed('Ingest was closed.'))
    await ingest.close()
    await ending
  })
})
