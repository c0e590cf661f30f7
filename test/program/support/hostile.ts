import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { searchPath, sqlPath } from '../../support/hostile-requests.js'
import { OWN_SOURCE } from '../../support/own-source.js'
import { poisonedLine } from '../../support/poisoned-records.js'
import { below, mulberry32, type Random } from '../../support/random.js'
import { randomRecords } from '../../support/random-plans.js'
import { ROOT, type Served, serve } from './program.js'

const RECORDS = 3_000
const POISONED = 40
const CLIENTS = 3
/** A client waits no longer for an answer, and goes on: a query may take 30 s. */
const PATIENCE_MS = 1_000
/** The longest wait of /health (O3). */
const MOST_MS = 100
/** A request is the reason of a wait if /health waits in each of these tries of the request alone. */
const TRIES = 3
/** Requests that are tried alone. */
const MOST_SUSPECTS = 10
const STOP_MS = 5_000
/** Characters of a request that messages show. */
const SHOWN = 3_000

/** How many requests of each kind are sent. */
export interface HostileLoad {
  texts: number
  searches: number
}

/** A request, and when the program was answering the request. */
interface Sent {
  path: string
  status: number
  startMs: number
  endMs: number
}

/**
 * Sends mutated texts of SQL and random searches to the program, over records of which some are as long, deep and wide
 * as records may be. Expects that no request is answered with 500, that /health waits for no request, and that the
 * program ends within 5 s of SIGTERM while the program answers requests.
 */
export async function expectNoHarm({ texts, searches }: HostileLoad, seed: number): Promise<void> {
  const random = mulberry32(seed)
  const service = await serve(['--sql', '--sources', OWN_SOURCE], { stdin: 'ignore' })
  await send(service, random)
  const paths = pathsOf(texts, searches, random)
  const { sent, waits } = await watched(service, (ask) => inTurn(paths, ask))
  const suspects = suspectsOf(sent, waits)
  console.log(`seed ${seed}: ${sent.length} requests, waits of ${waits.map(({ waitMs }) => Math.round(waitMs))} ms`)
  const faults = sent
    .filter(({ status }) => status === 500 || status === 0)
    .map(({ path, status }) => `${status}: ${path}`)
  for (const path of suspects.slice(0, MOST_SUSPECTS)) {
    const found = await waitsFor(service, path)
    if (found.length > 0) console.log(found[0]!.slice(0, SHOWN))
    faults.push(...found)
  }
  expect(
    faults.map((fault) => fault.slice(0, SHOWN)),
    `seed ${seed}`,
  ).toEqual([])
  await expectStop(service, random)
}

function* pathsOf(texts: number, searches: number, random: Random): Generator<string> {
  for (let i = 0; i < texts + searches; i++)
    yield below(random, texts + searches) < texts ? sqlPath(random) : searchPath(random)
}

async function send(service: Served, random: Random): Promise<void> {
  const lines = randomRecords(random, RECORDS, ['edge_logs', 'function_edge_logs', 'postgres_logs', OWN_SOURCE]).map(
    ({ source, event_message, metadata }) => {
      const others = JSON.stringify({ source, project: 'a', event_message })
      return `${others.slice(0, -1)},"metadata":${metadata}}`
    },
  )
  const headers = { 'Content-Type': 'application/x-ndjson' }
  const bodies = [lines.join('\n'), ...Array.from({ length: POISONED }, () => poisonedLine(random))]
  for (const body of bodies) {
    const response = await service.get('/logs', { method: 'POST', body, headers })
    expect(response.status, await response.text()).toBe(200)
  }
}

type Ask = (path: string) => Promise<void>

/** Several clients ask for paths until there is none. */
async function inTurn(paths: Iterator<string>, ask: Ask): Promise<void> {
  const client = async () => {
    for (let next = paths.next(); next.done !== true; next = paths.next()) await ask(next.value)
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
}

/** Asks while another process probes /health. Returns the requests, and the waits of more than 100 ms. */
async function watched(service: Served, run: (ask: Ask) => Promise<void>): Promise<{ sent: Sent[]; waits: Wait[] }> {
  const probe = await startProbe(service)
  const sent: Sent[] = []
  await run(async (path) => {
    const startMs = Date.now()
    const status = await statusOf(service, path)
    sent.push({ path, status, startMs, endMs: Date.now() })
  }).finally(() => probe.end())
  return { sent, waits: await probe.end() }
}

/** The status of a request that the client has left. */
const LEFT = 408

/** Returns the status of an answer, {@link LEFT} if the client did not wait for the answer, or 0 without an answer. */
async function statusOf(service: Served, path: string): Promise<number> {
  const patience = new AbortController()
  // The client of Node may leave a promise of an aborted request open, so the timer decides.
  const left = sleep(PATIENCE_MS, LEFT, { ref: false }).finally(() => patience.abort())
  const answered = service.get(path, { signal: patience.signal }).then(
    async (response) => {
      await response.arrayBuffer()
      return response.status
    },
    () => 0,
  )
  return Promise.race([answered.catch(() => 0), left])
}

/** A wait of /health, and when the wait ended. */
interface Wait {
  endMs: number
  waitMs: number
}

/**
 * The requests during the longest waits first, each request once. During a wait, the request that started last is
 * first.
 */
function suspectsOf(sent: readonly Sent[], waits: readonly Wait[]): string[] {
  const longest = [...waits].sort((a, b) => b.waitMs - a.waitMs)
  const during = longest.flatMap((wait) =>
    sent.filter((one) => overlaps(one, wait)).sort((a, b) => b.startMs - a.startMs),
  )
  return [...new Set(during.map(({ path }) => path))]
}

/** Whether a request may be the reason of a wait. The program may still stop a request that the client has left. */
const overlaps = ({ startMs, endMs, status }: Sent, wait: Wait) =>
  startMs < wait.endMs && endMs + (status === LEFT ? PATIENCE_MS : 0) > wait.endMs - wait.waitMs

async function startProbe({ url, child: { pid } }: Served) {
  const script = join(ROOT, 'test/program/support/probe-health.mjs')
  const child = spawn(process.execPath, [script, url, `${MOST_MS}`, `${pid}`])
  const waits: Wait[] = []
  const lines = createInterface({ input: child.stdout })
  const closed = once(lines, 'close')
  const ready = once(lines, 'line')
  lines.on('line', (line) => {
    const wait = JSON.parse(line) as Wait | 'ready'
    if (wait !== 'ready') waits.push(wait)
  })
  await ready
  return {
    async end(): Promise<Wait[]> {
      child.stdin.end()
      await closed
      return waits
    },
  }
}

/** Returns a request, if /health waits for the request in each of several tries. */
async function waitsFor(service: Served, path: string): Promise<string[]> {
  const worst: number[] = []
  for (let tried = 0; tried < TRIES; tried++) {
    const { waits } = await watched(service, (ask) => ask(path))
    if (waits.length === 0) return []
    worst.push(Math.max(...waits.map(({ waitMs }) => waitMs)))
  }
  return [`/health waits ${worst.map(Math.round).join(', ')} ms: ${path}`]
}

/** Expects that the program ends while answering requests. */
async function expectStop(service: Served, random: Random): Promise<void> {
  const asked = Array.from({ length: CLIENTS }, () => statusOf(service, sqlPath(random)))
  await sleep(below(random, 100))
  const startMs = performance.now()
  service.child.kill('SIGTERM')
  expect(await service.exit).toBe(0)
  expect(performance.now() - startMs).toBeLessThan(STOP_MS)
  await Promise.all(asked)
}
