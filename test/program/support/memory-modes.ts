import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import { MIB } from '../../../src/base/units.js'
import { forgetPeak, residentBytes } from './memory.js'
import { type Served, serve, TOKEN, temporaryFolder, until } from './program.js'
import { dialer, getText } from './raw.js'

const MOST_PEAK = 1.25
const MOST_AFTER = 1.1
const SETTLES_WITHIN_MS = 30_000
/** Rows are sealed, and their memory is free, when nothing arrives for this long. */
const CALM_MS = 2_000

const TEXT_CHARACTERS = 1_000_000
const GROUP_ROWS_A_BODY = 5_000
const BODY_BYTES = 11 * MIB

/** How much of everything there is. */
export interface Size {
  /** Rows of about 1 MB: `texts` with a long message, and a tenth as many with long metadata. */
  texts: number
  /** Short rows, each with a distinct id. */
  groups: number
  /** Clients that do not read their answers, and how long the clients stay. */
  readers: number
  stayMs: number
}

/** A service with rows, and the clients of a mode. */
interface Setting {
  service: Served
  size: Size
  /** Runs an SQL query several times at the same time. */
  sql(times: number, query: string, project?: string): Promise<void>
  /** Requests a path several times at the same time, and reads the answers. */
  ask(times: number, path: string, headers?: Record<string, string>): Promise<void>
  /** Requests a path from clients that read nothing but the first bytes of their answers. */
  stall(times: number, path: string, ...headers: readonly string[]): Promise<void>
}

const EXPLORE = '/api/endpoints/query/logs.explore?project=big&source=realtime_logs&limit=200'
const sqlPath = (query: string, project: string) =>
  `/api/endpoints/query/logs.all?project=${project}&sql=${encodeURIComponent(query)}`
const MESSAGES = 'from realtime_logs'
const UPPER = `select upper(event_message) as m ${MESSAGES} order by m limit 1000`
const MAXIMA =
  'select id, max(event_message) as m, min(event_message) as n from auth_logs group by id order by m limit 10'

/**
 * The work of clients that needs much memory. Each mode takes the process beyond the limit if the memory is not
 * counted.
 */
export const MODES: Record<string, (setting: Setting) => Promise<void>> = {
  'SQL that computes long texts': ({ sql }) => sql(8, UPPER),
  'SQL with many groups': ({ sql }) => sql(8, MAXIMA, 'g'),
  'large answers': ({ ask }) => ask(4, EXPLORE),
  'large answers to slow readers': ({ stall, size }) => stall(size.readers, EXPLORE),
  'lists of long texts': async ({ sql }) => {
    await sql(4, `select string_agg(event_message, '') as m ${MESSAGES} group by id`)
    await sql(4, `select array_agg(event_message) as m ${MESSAGES} group by id order by m`)
  },
  'elements of long lists': ({ sql }) =>
    sql(4, `select w, count(*) as n ${MESSAGES} cross join unnest(split(event_message, ' ')) as w group by w limit 10`),
  'an order by long texts, with columns read late': ({ sql }) =>
    sql(4, `select event_message, metadata ${MESSAGES} order by substr(event_message, 100) limit 1000`),
  'groups by long texts': ({ sql }) => sql(8, `select event_message, count(*) as n ${MESSAGES} group by event_message`),
  'distinct counts of long texts': ({ sql }) => sql(8, `select count(distinct lower(event_message)) as n ${MESSAGES}`),
  'searches in long texts': ({ ask }) => ask(8, `${EXPLORE}&search=no+such+words`),
  'lists of fields over long texts': ({ ask }) =>
    ask(4, '/api/endpoints/query/logs.fields?project=long&source=realtime_logs'),
  'computed answers to slow readers': ({ stall }) =>
    stall(10, sqlPath(`select upper(event_message) as m ${MESSAGES} limit 14`, 'big')),
  'CSV to slow readers': ({ stall, size }) => stall(size.readers, EXPLORE, 'Accept: text/csv'),
  'Arrow to slow readers': ({ stall, size }) =>
    stall(size.readers, EXPLORE, 'Accept: application/vnd.apache.arrow.stream'),
  'compressed answers to slow readers': async ({ stall, size }) => {
    await stall(size.readers / 2, EXPLORE, 'Accept-Encoding: gzip')
    await stall(size.readers / 2, EXPLORE, 'Accept-Encoding: br')
  },
  'tails that are not read': ({ stall, size }) => stall(size.readers, '/api/tail?project=big&source=realtime_logs'),
  'bodies in flight': sendBodies,
  'all of that at the same time': (setting) => mixed(setting),
}

/**
 * Lets clients need much memory in each of the modes in turn. Expects the process to stay within the limit and a
 * quarter, each answer to be a result or a clear refusal, and the memory to come back.
 */
export async function expectWithinLimit(
  limitMib: number,
  size: Size,
  modes: readonly string[],
  environment: Record<string, string> = {},
): Promise<void> {
  const service = await serve(['--memory-limit', `${limitMib}M`, '--sql', '--data-dir', temporaryFolder()], {
    environment: { LOGWEIR_IN_MEMORY: '0', ...environment },
  })
  await feed(service, size)
  const setting = settingOf(service, size)
  const over: string[] = []
  for (const mode of modes) {
    forgetPeak(service)
    const before = residentBytes(service).now
    await MODES[mode]!(setting)
    const { peak, now } = residentBytes(service)
    console.log(`M4 ${limitMib} MiB, ${mode}: ${inMib(before)} before, ${inMib(peak)} at most, ${inMib(now)} after`)
    if (peak > MOST_PEAK * limitMib * MIB) over.push(`${mode}: ${inMib(peak)}`)
  }
  expect(over).toEqual([])
  const after = await settled(service, MOST_AFTER * limitMib * MIB)
  console.log(`M4 ${limitMib} MiB: ${inMib(after)} in the end`)
  expect(after).toBeLessThanOrEqual(MOST_AFTER * limitMib * MIB)
  for (const gauge of ['logweir_query_bytes', 'logweir_queries_running']) {
    await until(
      () => service.metric(gauge),
      (value) => value === 0,
    )
  }
  expect((await service.get('/health')).status).toBe(200)
}

const inMib = (bytes: number) => (bytes / MIB).toFixed(0)

async function settled(service: Served, enough: number): Promise<number> {
  const endMs = performance.now() + SETTLES_WITHIN_MS
  while (residentBytes(service).now > enough && performance.now() < endMs) await wait(200)
  return residentBytes(service).now
}

/** About 1 MB of words that are not alike. */
const WORDS = Array.from({ length: TEXT_CHARACTERS / 8 }, (_, i) =>
  ((i * 2_654_435_761) >>> 0).toString(36).padStart(7, '0'),
).join(' ')

/** A text of about 1 MB, which differs from other texts from the start on. */
function textOf(number: number): string {
  const turn = (number * 7_919) % WORDS.length
  return `${number} ${WORDS.slice(turn)} ${WORDS.slice(0, turn)}`.slice(0, TEXT_CHARACTERS)
}

async function post(service: Served, records: readonly object[]): Promise<void> {
  const body = records.map((record) => `${JSON.stringify(record)}\n`).join('')
  const headers = { 'Content-Type': 'application/x-ndjson' }
  const { status } = await service.get('/api/logs', { method: 'POST', body, headers })
  expect(status).toBe(200)
}

async function feed(service: Served, { texts, groups }: Size): Promise<void> {
  for (let i = 0; i < texts; i++) {
    await post(service, [{ source: 'realtime_logs', project: 'big', event_message: textOf(i) }])
    if (i % 10 > 0) continue
    const metadata = { words: textOf(i).split(' ').slice(0, 50_000), text: textOf(i).slice(0, TEXT_CHARACTERS / 4) }
    await post(service, [{ source: 'realtime_logs', project: 'long', event_message: 'm', metadata }])
  }
  for (let from = 0; from < groups; from += GROUP_ROWS_A_BODY) {
    const rows = Array.from({ length: Math.min(GROUP_ROWS_A_BODY, groups - from) }, (_, i) => from + i)
    await post(
      service,
      rows.map((i) => ({
        source: 'auth_logs',
        project: 'g',
        id: `id-of-${i}`,
        event_message: `message ${i} of the rows`,
      })),
    )
  }
  await wait(CALM_MS)
}

const EXPECTED = /^(200|400 too_much_memory|400 too_many_groups|503 overloaded)$/

function settingOf(service: Served, size: Size): Setting {
  const ask: Setting['ask'] = async (times, path, headers = {}) => {
    const answers = await Promise.all(Array.from({ length: times }, () => outcomeOf(service, path, headers)))
    for (const answer of answers) expect(answer).toMatch(EXPECTED)
  }
  return {
    service,
    size,
    ask,
    sql: (times, query, project = 'big') => ask(times, sqlPath(query, project)),
    stall: (times, path, ...headers) => stall(service, times, size.stayMs, getText(path, ...headers)),
  }
}

/** Reads an answer, without keeping the answer. Returns the status, and the code if the answer is an error. */
async function outcomeOf(service: Served, path: string, headers: Record<string, string>): Promise<string> {
  const response = await service.get(path, { headers: { 'Accept-Encoding': 'identity', ...headers } })
  if (response.status === 200) {
    for await (const _ of response.body!) {
      // Each chunk is dropped.
    }
    return '200'
  }
  if (response.status === 503) expect(response.headers.get('retry-after')).toMatch(/^\d+$/)
  const { code, error } = (await response.json()) as { code?: string; error: { code: string } }
  return `${response.status} ${code ?? error.code}`
}

/** Sends requests of clients that read only the first bytes of their answers, for some time. */
async function stall(service: Served, times: number, stayMs: number, text: string): Promise<void> {
  const dial = dialer(service)
  const sockets = Array.from({ length: times }, dial)
  const statuses: string[] = []
  for (const socket of sockets) {
    socket.once('data', (bytes: Buffer) => {
      socket.pause()
      statuses.push(bytes.toString('latin1', 9, 12))
    })
    socket.write(text)
  }
  await wait(stayMs)
  for (const socket of sockets) socket.destroy()
  expect(statuses.length).toBeGreaterThan(0)
  for (const status of statuses) expect(status).toMatch(/^(200|503)$/)
}

/** Sends many bodies of almost the largest size at the same time, none to the end. */
async function sendBodies({ service, size }: Setting): Promise<void> {
  const dial = dialer(service)
  const head = `POST /api/logs HTTP/1.1\r\nHost: a\r\nX-API-KEY: ${TOKEN}\r\nContent-Type: application/x-ndjson\r\n`
  const body = Buffer.alloc(BODY_BYTES, ' ')
  const sockets: Socket[] = Array.from({ length: 10 }, dial)
  for (const socket of sockets) {
    socket.on('data', () => {})
    socket.write(`${head}Content-Length: ${BODY_BYTES + 1}\r\n\r\n`)
    socket.write(body)
  }
  await wait(size.stayMs)
  for (const socket of sockets) socket.destroy()
}

async function mixed(setting: Setting): Promise<void> {
  const { service, size, sql, stall: stallAll } = setting
  const rows = Array.from({ length: 500 }, (_, i) => ({
    source: 'edge_logs',
    project: 't',
    event_message: `GET ${i} ${textOf(i).slice(0, 1_500)}`,
  }))
  const tails = Array.from({ length: 10 }, (_, i) => stallAll(4, `/api/tail?project=t&source=edge_logs&search=${i}`))
  const asked = [
    stallAll(size.readers, EXPLORE),
    sql(4, UPPER),
    sql(4, MAXIMA, 'g'),
    (async () => {
      for (let i = 0; i < 20; i++) await post(service, rows)
    })(),
  ]
  await Promise.all([...tails, ...asked])
}
