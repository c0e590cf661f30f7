import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import { DAY_US, KIB, MIB } from '../../../src/base/units.js'
import { exchange } from '../../support/raw-http.js'
import { inTries } from '../../support/tries.js'
import { untilVisible, write } from './feed.js'
import { forgetPeak, residentBytes } from './memory.js'
import { type Served, serve, temporaryFolder, until } from './program.js'
import { dialer, getText } from './raw.js'

const READERS = 100
const ROWS = 100
const ROW_BYTES = 100 * KIB
const QUESTION = 'logs.all?project_tier=PAYG&project=large'
/** A head with rows of n days is sealed into n segments. */
const DAYS = 20
const MOST_GROWTH_BYTES = 64 * MIB
/** The peak also has the garbage of a hundred answers, which is collected every few seconds. */
const MOST_PEAK_GROWTH_BYTES = 2 * MOST_GROWTH_BYTES
/** Two collections of the service's grown heap, with some time to spare. */
const COLLECTED_WITHIN_MS = 12_000
const TRIES = 3
/** Most rounds of fast readers before memory was given back, and the bytes that count as given back. */
const WARM_UPS = 5
const AT_ONCE = 25
const GIVEN_BACK_BYTES = MIB
/** Other clients are unaffected if this many answers in a row are quick, within a time after the readers connected. */
const IN_A_ROW = 10
const QUICK_MS = 100
const CALM_WITHIN_MS = 10_000

type Kept = 'open' | 'sealed'

async function feed(service: Served, kept: Kept): Promise<void> {
  const text = 'x'.repeat(ROW_BYTES)
  const nowUs = Date.now() * 1_000
  const edge = (project: string, i: number) =>
    `{"source":"edge_logs","project":"${project}",` +
    `"timestamp":${nowUs - (i % DAYS) * DAY_US},"event_message":"${text}"}\n`
  await write(service, ROWS, (i) => edge('large', i))
  await write(service, 1, () => '{"source":"edge_logs","project":"small"}\n')
  await untilVisible(service, ROWS + 1)
  if (kept === 'sealed') {
    // A head is smaller than the rows here: once the second head is sealed, so are the rows before.
    await write(service, ROWS, (i) => edge('other', i))
    await until(
      () => service.metric('logweir_segments{source="edge_logs"}'),
      (segments) => segments >= 2 * DAYS,
    )
  }
}

/** Starts a service with a data directory, and so little memory that a head is sealed before the head has all rows. */
const serveSealing = () =>
  serve(['--memory-limit', '256M', '--data-dir', temporaryFolder()], { environment: { LOGWEIR_IN_MEMORY: '0' } })

/** Requests the large answer and reads 1 KiB of the answer each second. */
function readSlowly({ url }: Served) {
  const read = { bytes: 0, closed: false }
  const socket: Socket = connect({
    port: Number(new URL(url).port),
    host: '127.0.0.1',
    onread: {
      buffer: Buffer.alloc(KIB),
      callback(bytes) {
        read.bytes += bytes
        return false
      },
    },
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    read.closed = true
  })
  socket.write(getText(`/api/endpoints/query/${QUESTION}`))
  const timer = setInterval(() => socket.resume(), 1_000)
  const stop = () => {
    clearInterval(timer)
    socket.destroy()
  }
  return { read, stop }
}

/**
 * Lets as many fast readers fill the heaps with garbage, until the collector has run, so that later growth is due to
 * slow readers only.
 */
async function warmUp(service: Served): Promise<void> {
  const dial = dialer(service)
  const question = getText(`/api/endpoints/query/${QUESTION}`, 'Connection: close')
  const hasGivenBack = () => {
    const { now, peak } = residentBytes(service)
    return peak - now >= GIVEN_BACK_BYTES
  }
  for (let times = 0; times < WARM_UPS && !hasGivenBack(); times++) {
    // In groups: on a slow machine the last of all would wait for its turn longer than the service allows.
    for (let asked = 0; asked < READERS; asked += AT_ONCE) {
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => exchange(dial, question)))
      for (const answer of answers) expect(answer.length).toBeGreaterThan(ROWS * ROW_BYTES)
    }
  }
}

/**
 * Sends small requests for at least `forMs`, and until some answers in a row were quick: the first requests wait behind
 * the queries of the readers. Returns the milliseconds of each request.
 */
async function askOthers(service: Served, forMs: number): Promise<number[]> {
  const times: number[] = []
  const startMs = performance.now()
  const isCalm = () => times.length >= IN_A_ROW && times.slice(-IN_A_ROW).every((time) => time <= QUICK_MS)
  for (let now = startMs; now - startMs < forMs || !isCalm(); now = performance.now()) {
    expect(now - startMs).toBeLessThan(forMs + CALM_WITHIN_MS)
    const [small, { status }] = await Promise.all([service.rows('logs.all?project=small'), service.get('/health')])
    times.push(performance.now() - now)
    expect([small.length, status]).toEqual([1, 200])
    await wait(50)
  }
  return times
}

/** Resolves to the resident bytes once at most `enough`, else to the least within some seconds. */
async function leastResident(service: Served, enough: number): Promise<number> {
  const endMs = performance.now() + COLLECTED_WITHIN_MS
  let least = residentBytes(service).now
  while (least > enough && performance.now() < endMs) {
    await wait(100)
    least = Math.min(least, residentBytes(service).now)
  }
  return least
}

const inMib = (bytes: number) => (bytes / MIB).toFixed(1)

interface Growth {
  /** Memory that the readers hold: without garbage that a collection frees. */
  held: number
  peak: number
}

/** Expects that 100 slow readers cost little memory, in one of several tries, each with a new service. */
export async function expectUnharmed(forMs: number, kept: Kept): Promise<void> {
  const isGood = ({ held, peak }: Growth) => held <= MOST_GROWTH_BYTES && peak <= MOST_PEAK_GROWTH_BYTES
  const { held, peak } = await inTries(TRIES, () => growthByReaders(forMs, kept), isGood)
  expect(held).toBeLessThanOrEqual(MOST_GROWTH_BYTES)
  expect(peak).toBeLessThanOrEqual(MOST_PEAK_GROWTH_BYTES)
}

/**
 * Lets 100 readers each read an answer of 10 MiB at 1 KiB/s for `forMs`, from an open head or from sealed segments.
 * Resolves to the bytes by which the service grew.
 */
async function growthByReaders(forMs: number, kept: Kept): Promise<Growth> {
  const service = await (kept === 'open' ? serve() : serveSealing())
  await feed(service, kept)
  forgetPeak(service)
  await warmUp(service)
  const before = residentBytes(service).now
  forgetPeak(service)
  const readers = Array.from({ length: READERS }, () => readSlowly(service))
  const startMs = performance.now()
  const othersMs = await askOthers(service, forMs)
  const held = (await leastResident(service, before + MOST_GROWTH_BYTES)) - before
  const tookS = (performance.now() - startMs) / 1_000
  const peak = residentBytes(service).peak - before
  const read = readers.map(({ read: { bytes } }) => bytes).sort((a, b) => a - b)
  for (const { stop } of readers) stop()
  console.log(
    `O5 grown by ${inMib(held)} MiB, ${inMib(peak)} at the peak, from ${inMib(before)}; ` +
      `each read ${read[0]} to ${read.at(-1)} bytes; ` +
      `others waited ${Math.round(Math.max(...othersMs))} ms at most, ${Math.round(othersMs.at(-1)!)} in the end`,
  )
  expect(read[0]).toBeGreaterThan(0)
  expect(read.at(-1)).toBeLessThanOrEqual((tookS + 2) * KIB)
  expect(readers.filter(({ read: { closed } }) => closed).length).toBe(0)
  service.child.kill()
  await service.exit
  return { held, peak }
}
