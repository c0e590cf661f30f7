import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../src/base/time/clock.js'
import { openRejects, type Rejects } from '../../src/ingest/rejects.js'
import { batchesOf, type Reject } from './rejected.js'

let dataDir: string
let logged: string[]
const log = (text: string) => void logged.push(text)
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'rejects-'))
  logged = []
})
afterEach(() => rmSync(dataDir, { recursive: true }))

const path = (name = 'rejects.ndjson') => join(dataDir, name)
const reject = (line: number, text: string | Uint8Array): Reject => ({
  line,
  reason: 'invalid_json',
  bytes: Buffer.from(text),
})
async function write(rejects: Rejects, list: readonly Reject[]): Promise<void> {
  for (const batch of batchesOf(list, rejects.maxEntryBytes)) await rejects.write(batch)
}
const entries = (name?: string) =>
  readFileSync(path(name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text))
const mode = (name?: string) => (statSync(path(name)).mode & 0o777).toString(8)

async function fileHandlePrototype(): Promise<FileHandle> {
  await using file = await open(tmpdir())
  return Object.getPrototypeOf(file)
}

describe('in a data directory', () => {
  it('writes one JSON object an entry, for the owner alone', async () => {
    const rejects = openRejects({ dataDir, log })
    await write(rejects, [reject(3, 'a "b" \\ \u2028 é\t'), reject(7, Uint8Array.of(0xff, 0xfe))])
    await write(rejects, [{ ...reject(9, ''), reason: 'too_deep' }])
    await rejects.close()
    expect(entries()).toEqual([
      { line: 3, reason: 'invalid_json', text: 'a "b" \\ \u2028 é\t' },
      { line: 7, reason: 'invalid_json', base64: '//4=' },
      { line: 9, reason: 'too_deep', text: '' },
    ])
    expect(mode()).toBe('600')
    expect(logged).toEqual([])
  })

  it('goes on in the file that is there, and takes it from others', async () => {
    writeFileSync(path(), '{"line":1}\n')
    chmodSync(path(), 0o644)
    const rejects = openRejects({ dataDir, log })
    await write(rejects, [reject(2, 'x')])
    await rejects.close()
    expect(entries().map(({ line }) => line)).toEqual([1, 2])
    expect(mode()).toBe('600')
  })

  it('keeps within its size, in two files, the newest entries last', async () => {
    const rejects = openRejects({ dataDir, log, maxBytes: 1000 })
    for (let i = 0; i < 100; i += 10) {
      await write(
        rejects,
        Array.from({ length: 10 }, (_, j) => reject(i + j, 'x'.repeat(30))),
      )
      expect(statSync(path()).size).toBeLessThanOrEqual(1000)
    }
    await rejects.close()
    const lines = [...entries('rejects.1.ndjson'), ...entries()].map(({ line }) => line)
    expect(lines).toEqual(Array.from({ length: lines.length }, (_, i) => 100 - lines.length + i))
    expect(statSync(path('rejects.1.ndjson')).size).toBeGreaterThan(500)
    expect([mode(), mode('rejects.1.ndjson')]).toEqual(['600', '600'])
  })

  it('drops the oldest entries that wait if later ones fill both files', async () => {
    const rejects = openRejects({ dataDir, log, maxBytes: 1000 })
    const lines = Array.from({ length: 1000 }, (_, i) => reject(i, 'x'.repeat(30)))
    const batches = lines.flatMap((line) => batchesOf([line], rejects.maxEntryBytes))
    const append = vi.spyOn(await fileHandlePrototype(), 'appendFile')
    await Promise.all(batches.map(rejects.write))
    await rejects.close()
    expect(append.mock.calls.length).toBeLessThan(40)
    append.mockRestore()
    const kept = [...entries('rejects.1.ndjson'), ...entries()].map(({ line }) => line)
    expect(kept).toEqual(Array.from({ length: kept.length }, (_, i) => 1000 - kept.length + i))
    expect(statSync(path('rejects.1.ndjson')).size).toBeGreaterThan(900)
  })

  it('keeps the head of an entry that no file has room for', async () => {
    const rejects = openRejects({ dataDir, log, maxBytes: 1000 })
    await write(rejects, [reject(1, '\0'.repeat(400)), reject(2, 'y')])
    await rejects.close()
    expect(entries().map(({ line, text }) => [line, text])).toEqual([
      [1, '\0'.repeat(125)],
      [2, 'y'],
    ])
  })

  it('outlives a disk that fails: tells once, goes on when it can', async () => {
    rmSync(dataDir, { recursive: true })
    const rejects = openRejects({ dataDir, log })
    for (let i = 0; i < 5; i++) await write(rejects, [reject(i, 'lost')])
    expect(logged).toEqual([
      expect.stringMatching(/^cannot write .*rejects\.ndjson: ENOENT.*; until it can be, rejects are only counted$/),
    ])
    await mkdir(dataDir)
    writeFileSync(path(), '{"line":4,"rea')
    await write(rejects, [reject(5, 'kept')])
    await write(rejects, [reject(6, 'kept')])
    await rejects.close()
    const [torn, ...whole] = readFileSync(path(), 'utf8').trim().split('\n')
    expect(torn).toBe('{"line":4,"rea')
    expect(whole.map((text) => JSON.parse(text).line)).toEqual([5, 6])
    expect(logged).toHaveLength(1)
  })
})

describe('entries that have the name of a project', () => {
  it('are erased from both files, as those that are cut off, and others stay to the byte', async () => {
    const rejects = openRejects({ dataDir, log, maxBytes: 300 })
    const named = (line: number) => reject(line, `{"project":"shop","text":"${'x'.repeat(60)}"}`)
    const other = (line: number) => reject(line, `{"project":"café","text":"${'x'.repeat(60)}\u2028"`)
    for (let line = 0; line < 6; line++) await write(rejects, [line % 2 === 0 ? named(line) : other(line)])
    const before = [...entries('rejects.1.ndjson'), ...entries()]
    expect(before.map(({ line }) => line)).toEqual([2, 3, 4, 5])
    appendFileSync(path(), '{"line":9,"reason":"too_deep","text":"sho')
    expect(await rejects.erase('shop')).toBe(3)
    expect([...entries('rejects.1.ndjson'), ...entries()]).toEqual(before.filter(({ line }) => line % 2 === 1))
    expect(await rejects.erase('shop')).toBe(0)
    await write(rejects, [named(7)])
    await rejects.close()
    expect(entries().map(({ line }) => line)).toContain(7)
    expect([mode(), mode('rejects.1.ndjson')]).toEqual(['600', '600'])
    expect(readdirSync(dataDir).sort()).toEqual(['rejects.1.ndjson', 'rejects.ndjson'])
  })

  it('are those of all calls of `write` before', async () => {
    const rejects = openRejects({ dataDir, log })
    const all = [1, 2, 3].map((line) => write(rejects, [reject(line, line === 2 ? 'other' : 'shop')]))
    const erased = rejects.erase('shop')
    await Promise.all([...all, write(rejects, [reject(4, 'shop')])])
    expect(await erased).toBe(2)
    await rejects.close()
    expect(entries().map(({ line }) => line)).toEqual([2, 4])
  })

  it('stay if the disk fails, and the error is passed on', async () => {
    const rejects = openRejects({ dataDir, log })
    await write(rejects, [reject(1, 'shop')])
    mkdirSync(path('rejects.ndjson.new'))
    await expect(rejects.erase('shop')).rejects.toThrow(/rejects.ndjson.new/)
    rmSync(path('rejects.ndjson.new'), { recursive: true })
    expect(await rejects.erase('shop')).toBe(1)
    await rejects.close()
    expect(readFileSync(path(), 'utf8')).toBe('')
  })
})

describe('without one', () => {
  it('erases nothing', async () => {
    expect(await openRejects({ log }).erase('shop')).toBe(0)
  })

  it('logs number and reason, a few a second, and never the line', async () => {
    let nowMs = 0
    const rejects = openRejects({ log, clock: { ...systemClock, monotonicMs: () => nowMs } })
    await write(
      rejects,
      Array.from({ length: 10 }, (_, i) => reject(i + 1, 'secret')),
    )
    nowMs = 999
    await write(rejects, [reject(11, 'secret')])
    expect(logged).toEqual([
      'line 1 rejected: invalid_json',
      'line 2 rejected: invalid_json',
      'line 3 rejected: invalid_json',
    ])
    nowMs = 1000
    await write(rejects, [reject(12, 'secret')])
    expect(logged.slice(3)).toEqual(['8 more lines rejected', 'line 12 rejected: invalid_json'])
    await write(
      rejects,
      Array.from({ length: 4 }, () => reject(1, 'secret')),
    )
    await rejects.close()
    expect(logged.at(-1)).toBe('2 more lines rejected')
  })
})
