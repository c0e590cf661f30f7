import { execFileSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createMetrics } from '../../../src/base/metrics.js'
import { systemClock } from '../../../src/base/time/clock.js'
import { readStdin } from '../../../src/ingest/stream/stdin.js'
import type { IngestTotals } from '../../../src/ingest/thread/thread.js'
import { createGate } from '../../support/gate.js'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'stdin-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

/** Counts each byte as a row. The calls wait while `gate` is closed. */
function fakeIngest(gate: () => Promise<void> = async () => {}) {
  const chunks: Buffer[] = []
  let ended = false
  const totals = (): IngestTotals => ({ taken: Buffer.concat(chunks).length, rejected: 0, byReason: {} })
  return {
    async write(chunk: Uint8Array) {
      chunks.push(Buffer.from(chunk))
      await gate()
    },
    async read(fd: number) {
      const memory = Buffer.alloc(1000)
      const bytes = readSync(fd, memory)
      chunks.push(memory.subarray(0, bytes))
      await gate()
      return bytes
    },
    async end() {
      ended = true
      return totals()
    },
    totals,
    countUnstored() {},
    giveUp() {},
    text: () => Buffer.concat(chunks).toString(),
    ended: () => ended,
  }
}

async function stdinOpen(metrics: ReturnType<typeof createMetrics>) {
  return (await metrics.stdinOpen.get()).values[0]!.value
}

function pipe() {
  const path = join(directory, 'pipe')
  execFileSync('mkfifo', [path])
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  return { fd, writer: openSync(path, constants.O_WRONLY | constants.O_NONBLOCK) }
}

async function until(done: () => boolean): Promise<void> {
  while (!done()) await new Promise((resolve) => setTimeout(resolve, 5))
}

function openFile(content: string | Buffer, flags = 'r'): number {
  const path = join(directory, 'file')
  writeFileSync(path, content)
  return openSync(path, flags)
}

describe('a file', () => {
  it('is read to its end', async () => {
    const content = Array.from({ length: 300_000 }, (_, i) => `${i}\n`).join('')
    const ingest = fakeIngest()
    const metrics = createMetrics()
    const reader = readStdin({ ingest, metrics, fd: openFile(content) })!
    expect(await stdinOpen(metrics)).toBe(1)
    expect(await reader.done).toEqual({
      totals: { taken: content.length, rejected: 0, byReason: {} },
      error: undefined,
    })
    expect([ingest.text() === content, ingest.ended(), await stdinOpen(metrics)]).toEqual([true, true, 0])
  })

  it('that cannot be read ends the stream, with the error told', async () => {
    const ingest = fakeIngest()
    const { error } = await readStdin({ ingest, metrics: createMetrics(), fd: openFile('x', 'a') })!.done
    expect(error).toMatchObject({ code: 'EBADF' })
    expect(ingest.ended()).toBe(true)
  })

  it('is read a little ahead of what there is room for', async () => {
    const gate = createGate()
    const ingest = fakeIngest(() => gate.opened)
    const { done } = readStdin({ ingest, metrics: createMetrics(), fd: openFile(Buffer.alloc(100_000, 'x')) })!
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(ingest.totals().taken).toBe(8000)
    gate.open()
    expect((await done).totals.taken).toBe(100_000)
  })

  it('can be stopped', async () => {
    const ingest = fakeIngest()
    const reader = readStdin({ ingest, metrics: createMetrics(), fd: openFile(Buffer.alloc(5 * 2 ** 20, 'x')) })!
    const { totals } = await reader.stop()
    expect(totals.taken).toBeLessThan(5 * 2 ** 20)
    expect(ingest.ended()).toBe(true)
  })
})

describe('a pipe', () => {
  it('is read as it comes, until it is closed', async () => {
    const { fd, writer } = pipe()
    const ingest = fakeIngest()
    const reader = readStdin({ ingest, metrics: createMetrics(), fd })!
    writeSync(writer, 'one\n')
    await until(() => ingest.text() === 'one\n')
    writeSync(writer, 'two')
    await until(() => ingest.text() === 'one\ntwo')
    closeSync(writer)
    expect((await reader.done).totals.taken).toBe(7)
  })

  it('is held back while there is no room', async () => {
    const { fd, writer } = pipe()
    const gate = createGate()
    const ingest = fakeIngest(() => gate.opened)
    const reader = readStdin({ ingest, metrics: createMetrics(), fd })!
    let written = 0
    let tries = 0
    while (tries < 20) {
      try {
        written += writeSync(writer, Buffer.alloc(10_000, 'x'))
        tries = 0
      } catch {
        tries++
      }
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    expect(written).toBeLessThan(400_000)
    gate.open()
    closeSync(writer)
    expect((await reader.done).totals.taken).toBe(written)
  })

  it('that is stopped hands out what has been read, and can be waited for while it is silent', async () => {
    const { fd, writer } = pipe()
    const ingest = fakeIngest()
    const reader = readStdin({ ingest, metrics: createMetrics(), fd })!
    writeSync(writer, 'kept')
    await until(() => ingest.text() === 'kept')
    expect(await reader.stop()).toEqual({ totals: { taken: 4, rejected: 0, byReason: {} }, error: undefined })
    expect(ingest.ended()).toBe(true)
    closeSync(writer)
  })

  it('whose rows are refused ends, with the error told', async () => {
    const { fd, writer } = pipe()
    const error = new Error('no room')
    const ingest = { ...fakeIngest(), write: () => Promise.reject(error) }
    const reader = readStdin({ ingest, metrics: createMetrics(), fd })!
    writeSync(writer, 'x')
    expect((await reader.done).error).toBe(error)
    closeSync(writer)
  })
})

describe('anything else', () => {
  it('is not read', () => {
    const options = { ingest: fakeIngest(), metrics: createMetrics() }
    expect(readStdin({ ...options, fd: openSync('/dev/null', 'r') })).toBeUndefined()
    expect(readStdin({ ...options, fd: openSync(directory, 'r') })).toBeUndefined()
    expect(readStdin({ ...options, fd: 1_000_000 })).toBeUndefined()
  })
})

describe('progress', () => {
  it('shows rows and rates, and is cleared at the end', async () => {
    const { fd, writer } = pipe()
    const ingest = fakeIngest()
    const shown: string[] = []
    let tick = () => {}
    let nowMs = 0
    const clock = {
      ...systemClock,
      monotonicMs: () => nowMs,
      every: (_ms: number, work: () => void) => {
        tick = work
        return () => void (tick = () => {})
      },
    }
    const terminal = { write: (text: string) => void shown.push(text) }
    const reader = readStdin({ ingest, metrics: createMetrics(), fd, clock, terminal })!
    writeSync(writer, 'x'.repeat(3000))
    await until(() => ingest.text().length === 3000)
    nowMs = 500
    tick()
    expect(shown).toEqual(['\r\u001b[K3,000 rows, 6,000 rows/s, 0.0 MB/s, 0 rejected'])
    closeSync(writer)
    await reader.done
    nowMs = 1000
    tick()
    expect(shown.slice(1)).toEqual(['\r\u001b[K'])
  })
})
