import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import { KIB, MIB } from '../../../src/base/units.js'
import { forgetPeak, residentBytes } from './memory.js'
import { type Served, serve, until } from './program.js'
import { makeVolume, VOLUME } from './volume.js'

const ROOM_BYTES = 64 * MIB
const MORE_ROOM_BYTES = 2048 * MIB
const WARM_UP_BYTES = 16 * MIB
const GROWTH_BYTES = 32 * MIB
/** Without a drain for this long, a pipe counts as blocked. */
const HELD_MS = 2_000
const PIECE_LINES = 256
/** Every n-th line is rejected. */
const BAD_EVERY = 100

const nowUs = Date.now() * 1000
/** Returns a line of 1 KiB: a record, or invalid JSON. */
function lineOf(source: string, number: number): string {
  if (number % BAD_EVERY === 0) return `{"number":${number}`.padEnd(KIB - 1, '.')
  const start = `{"source":"${source}","id":"${number}","timestamp":${nowUs - 3_600e6 + number}`
  const head = `${start},"project":"p","event_message":"`
  return `${head}${'m'.repeat(KIB - 1 - head.length - 2)}"}`
}

function pieceOf(source: string, from: number, lines: number): string {
  const count = Math.min(PIECE_LINES, lines - from)
  return Array.from({ length: count }, (_, i) => `${lineOf(source, from + i)}\n`).join('')
}

const badOf = (lines: number) => Math.ceil(lines / BAD_EVERY)

/** Writes lines with backpressure. Calls `held` with the number of the next line each time the pipe is blocked. */
async function push(service: Served, source: string, lines: number, held: (line: number) => Promise<void>) {
  const stdin = service.child.stdin!
  for (let from = 0; from < lines; from += PIECE_LINES) {
    if (stdin.write(pieceOf(source, from, lines))) continue
    const drained = once(stdin, 'drain')
    if (await Promise.race([drained.then(() => false), wait(HELD_MS, true)])) await held(from + PIECE_LINES)
    await drained
  }
}

/** Fills the head and warms up ingest, so that later growth is due to the full store. */
async function warmUp(service: Served): Promise<void> {
  const lines = WARM_UP_BYTES / KIB
  await push(service, 'edge_logs', lines, async () => {})
  await until(
    () => service.metric('logweir_rows{source="edge_logs"}'),
    (rows) => rows === lines - badOf(lines),
    30_000,
  )
}

/**
 * Writes `bytes` of lines into a full store. Expects the writer to block, makes room, and expects every line to be
 * stored or counted.
 */
export async function pushIntoFullStore(bytes: number): Promise<void> {
  const { directory, environment, fill, resize } = makeVolume(ROOM_BYTES)
  const service = await serve(['--data-dir', directory], { environment })
  await warmUp(service)
  fill()
  const { now } = residentBytes(service)
  forgetPeak(service)

  const lines = bytes / KIB
  let heldAt: number | undefined
  await push(service, 'auth_logs', lines, async (line) => {
    if (heldAt !== undefined) return
    heldAt = line
    const grown = residentBytes(service).peak - now
    console.log(`O1 ${VOLUME}: held behind ${line} KiB, memory grew by ${(grown / MIB).toFixed(1)} MiB`)
    expect(grown).toBeLessThanOrEqual(GROWTH_BYTES)
    expect(await (await service.get('/health')).json()).toEqual({ status: 'degraded' })
    expect(await service.rows('logs.all?project=p')).toHaveLength(100)
    resize(MORE_ROOM_BYTES)
  })
  service.child.stdin!.end()
  expect(heldAt! * KIB).toBeLessThanOrEqual(GROWTH_BYTES)
  await service.waitForStderr(/standard input ended: /)
  await expectAll(service, WARM_UP_BYTES / KIB, lines)
}

async function expectAll(service: Served, warm: number, pushed: number): Promise<void> {
  const bad = badOf(warm) + badOf(pushed)
  const taken = warm + pushed - bad
  expect(service.stderrText()).toContain(
    `standard input ended: ${taken} rows accepted, ${bad} rejected (invalid_json ${bad})`,
  )
  expect(await service.metric('logweir_rows{source="edge_logs"}')).toBe(warm - badOf(warm))
  expect(await service.metric('logweir_rows{source="auth_logs"}')).toBe(pushed - badOf(pushed))
  expect(await (await service.get('/health')).json()).toEqual({ status: 'ok' })
}
