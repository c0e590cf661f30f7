import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { MIB } from '../../../src/base/units.js'
import { REJECTS_FILE_BYTES } from '../../../src/ingest/rejects.js'
import { withSlowness } from '../../support/cpu-ms.js'
import { expectFreeLoop, probeHealth } from '../support/health-probe.js'
import { residentBytes } from '../support/memory.js'
import { type Served, serve, temporaryFolder, until } from '../support/program.js'

const LINES = 6_000_000
const LIMIT = ['--memory-limit', '512M']
const PEAK_BYTES = 640 * MIB
/** Milliseconds on a quiet machine, where the lines take about 1 s. */
const WITHIN_MS = 5_000
const PATH = '/api/logs?source=edge_logs&project=p'
const NDJSON = { 'Content-Type': 'application/x-ndjson' }
const junk = 'x\n'.repeat(LINES)
const zipped = new Uint8Array(gzipSync(junk))

const rejected = (service: Served, reason: string) => service.metric(`logweir_rejected_rows_total{reason="${reason}"}`)

interface Answer {
  code: string
  rejected: { record: number; reason: string }[]
  more_rejected: number
}

/** Returns the status and the JSON of the answer, and the milliseconds until the answer was there. */
async function post(service: Served, body: Uint8Array<ArrayBuffer> | string, headers: Record<string, string>) {
  const startMs = performance.now()
  const response = await service.get(PATH, { method: 'POST', body, headers })
  return { status: response.status, answer: (await response.json()) as Answer, tookMs: performance.now() - startMs }
}

/** Posts the lines and, at the same time, a good record. Expects both answers soon. */
async function postJunk(service: Served): Promise<void> {
  const both = () =>
    Promise.all([
      post(service, zipped, { ...NDJSON, 'Content-Encoding': 'gzip' }),
      post(service, '{"id":"good"}', NDJSON),
    ])
  const { result, slowness } = await withSlowness(both)
  const [{ status, answer, tookMs }, good] = result
  console.log(`answered in ${tookMs.toFixed(0)} ms`)
  expect([status, answer.code, answer.rejected?.length]).toEqual([400, 'invalid_records', 100])
  expect(answer.rejected.at(-1)).toEqual({ record: 100, reason: 'invalid_json' })
  expect(answer.more_rejected).toBe(LINES - 100)
  expect(good.status).toBe(200)
  expect(Math.max(tookMs, good.tookMs) / slowness).toBeLessThanOrEqual(WITHIN_MS)
}

function expectBoundedMemory(service: Served): void {
  const { peak } = residentBytes(service)
  console.log(`peak ${(peak / MIB).toFixed(0)} MiB`)
  expect(peak).toBeLessThanOrEqual(PEAK_BYTES)
}

describe.each([
  ['in memory', undefined],
  ['on disk', 'data'],
])('millions of short bad lines %s', (_, place) => {
  it('M1, O3: in a body take little time and memory, and hold nobody else up', async () => {
    const dataDir = place && temporaryFolder()
    const service = await serve([...LIMIT, ...(dataDir ? ['--data-dir', dataDir] : [])], { stdin: 'ignore' })
    let tries = 0
    await expectFreeLoop(() => {
      tries++
      return probeHealth(service.url, () => [postJunk(service)])
    })
    expect(await rejected(service, 'invalid_json')).toBe(tries * LINES)
    expectBoundedMemory(service)
    if (dataDir !== undefined) expectNewestEntries(dataDir)
  })

  it('M1: on standard input take little time and memory, and the lines behind are visible soon', async () => {
    const service = await serve([...LIMIT, ...(place ? ['--data-dir', temporaryFolder()] : [])])
    const { stdin } = service.child
    const { result: tookMs, slowness } = await withSlowness(async () => {
      const startMs = performance.now()
      if (!stdin!.write(junk)) await once(stdin!, 'drain')
      stdin!.write('{"source":"edge_logs","id":"behind"}\n')
      const rows = () => service.metric('logweir_rows{source="edge_logs"}')
      await until(rows, (count) => count === 1, 60_000)
      return performance.now() - startMs
    })
    console.log(`visible after ${tookMs.toFixed(0)} ms`)
    expect(tookMs / slowness).toBeLessThanOrEqual(WITHIN_MS)
    stdin!.end()
    await service.waitForStderr(/1 rows accepted, 6000000 rejected \(invalid_json 6000000\)/)
    expectBoundedMemory(service)
  })
})

/** Expects that the two files have the newest entries without a gap, and that the older file is nearly full. */
function expectNewestEntries(dataDir: string): void {
  const paths = ['rejects.1.ndjson', 'rejects.ndjson'].map((name) => join(dataDir, name))
  expect(statSync(paths[0]!).size).toBeGreaterThan(REJECTS_FILE_BYTES - MIB)
  expect(Math.max(...paths.map((path) => statSync(path).size))).toBeLessThanOrEqual(REJECTS_FILE_BYTES)
  const entries = paths.flatMap((path) => readFileSync(path, 'utf8').trimEnd().split('\n'))
  const from = LINES - entries.length + 1
  const wanted = (line: number) => JSON.stringify({ line, reason: 'invalid_json', text: 'x' })
  expect(entries.findIndex((entry, i) => entry !== wanted(from + i))).toBe(-1)
}

it.each([
  ['780,000 lines that are too old', NDJSON, '{"timestamp":1}\n'.repeat(780_000), 780_000, 'too_old'],
  [
    'an array of 499,999 zeros',
    { 'Content-Type': 'application/json' },
    `[${'0,'.repeat(499_998)}0]`,
    499_999,
    'not_an_object',
  ],
])('a body of %s is refused soon, in little memory', async (_, headers, body, records, reason) => {
  const service = await serve([...LIMIT, '--data-dir', temporaryFolder()], { stdin: 'ignore' })
  const { result, slowness } = await withSlowness(() => post(service, body, headers))
  const { status, answer, tookMs } = result
  console.log(`answered in ${tookMs.toFixed(0)} ms`)
  expect([status, answer.more_rejected]).toEqual([400, records - 100])
  expect(await rejected(service, reason)).toBe(records)
  expect(tookMs / slowness).toBeLessThanOrEqual(WITHIN_MS / 2)
  expectBoundedMemory(service)
})
