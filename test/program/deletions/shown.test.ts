import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { below, mulberry32, oneOf, type Random } from '../../support/random.js'
import { costlyRuns } from '../../support/runs.js'
import { testSeed } from '../../support/seed.js'
import { type Served, serve, temporaryFolder, until } from '../support/program.js'
import { askDeletions, createToken, expectErased, listDeletions, ON_DISK } from './support.js'

const PROJECTS = ['a', 'b', 'c']
const SOURCES = ['edge_logs', 'auth_logs', 'postgres_logs']
const DELETIONS = costlyRuns(1_000)
/** Deletions between two looks at all that the service shows. */
const AT_ONCE = 20
/** Rows that arrive before the deletions of a round. */
const ROWS = 60
/** Erasing takes a part of a core, which a busy machine may lack. */
const ERASED_MS = 300_000
const HOUR_MS = 3_600_000
const NOW_MS = Date.now()

interface StoredRow {
  n: number
  project: string
  source: string
  timeMs: number
  text: string
}

/** Which rows a deletion deletes, as the request says it and as a function. */
interface Asked {
  body: object
  isDeleted(row: StoredRow): boolean
}

const VIEW = `-- view: keep 400d
select timestamp_trunc(timestamp, hour) as hour, metadata.tag as tag, count(*) as n
from edge_logs group by hour, tag`

const textOf = (random: Random) => Array.from({ length: 3 }, () => random().toString(36).slice(2, 10)).join('')

function randomRow(random: Random, n: number): StoredRow {
  const timeMs = NOW_MS - below(random, 60 * HOUR_MS)
  return { n, project: oneOf(random, PROJECTS), source: oneOf(random, SOURCES), timeMs, text: textOf(random) }
}

const lineOf = ({ n, project, source, timeMs, text }: StoredRow) =>
  JSON.stringify({
    ...{ source, project, id: `id${n}`, timestamp: new Date(timeMs).toISOString() },
    ...{ event_message: `${text} said ${n}`, metadata: { n, user: `u${n % 7}`, tag: `t${text}`, list: [{ text }] } },
  })

function randomDeletion(random: Random, rows: readonly StoredRow[]): Asked {
  const project = oneOf(random, PROJECTS)
  const source = random() < 0.4 ? oneOf(random, SOURCES) : undefined
  const [from, to] = [below(random, 60), below(random, 60)].sort((a, b) => a - b) as [number, number]
  const hasTime = random() < 0.5 && from < to
  const [start, end] = hasTime ? [NOW_MS - to * HOUR_MS, NOW_MS - from * HOUR_MS] : [undefined, undefined]
  const n = rows.length === 0 ? 0 : oneOf(random, rows).n
  const [where, isTrue] = oneOf(random, [
    [`id = 'id${n}'`, (row: StoredRow) => row.n === n],
    [`metadata.n > ${n}`, (row: StoredRow) => row.n > n],
    [`metadata.user in ('u${n % 7}', 'x') and n < ${n}`, (row: StoredRow) => row.n % 7 === n % 7 && row.n < n],
    [`event_message like '% said ${n}'`, (row: StoredRow) => row.n === n],
    [`event_message like '%aa%' or starts_with(tag, 'tb')`, ({ text }: StoredRow) => /aa|^b/.test(text)],
    ...(hasTime || source !== undefined ? [[undefined, () => true] as const] : []),
  ] as const)
  const time = start === undefined ? {} : { start: new Date(start).toISOString(), end: new Date(end!).toISOString() }
  return {
    body: { project, ...(source && { source }), ...time, ...(where && { where }) },
    isDeleted: (row) =>
      row.project === project &&
      (source ?? row.source) === row.source &&
      (start === undefined || (row.timeMs >= start && row.timeMs < end!)) &&
      isTrue(row),
  }
}

/** The requests that show rows of a project, or of all. */
function readsOf(project: string): string[] {
  const range = `&start=${new Date(NOW_MS - 100 * HOUR_MS).toISOString()}`
  const query = (name: string, more = '') => `/api/endpoints/query/${name}?project=${project}${more}`
  const sql = (text: string) => query('logs.all', `&sql=${encodeURIComponent(text)}`)
  return [
    query('logs.all', '&project_tier=ENTERPRISE'),
    query('tags'),
    sql('select tag, n from view.tags'),
    ...SOURCES.flatMap((source) => [
      sql(`select event_message from ${source} order by timestamp desc limit 1000`),
      sql(`select tag, count(*) as n from ${source} group by tag order by tag limit 1000`),
      query('logs.explore', `&source=${source}&limit=1000${range}`),
      query('logs.explore', `&source=${source}&limit=1000${range}&search=said&filter=[{"field":"user","op":"exists"}]`),
      query('logs.histogram', `&source=${source}${range}`),
      query('logs.fields', `&source=${source}${range}`),
      query('logs.fields', `&source=${source}${range}&field=tag`),
    ]),
    '/api/projects',
  ]
}

/** An answer that a client has. */
interface Answer {
  etag: string | null
  text: string
}

async function ask(service: Served, path: string, headers: Record<string, string> = {}): Promise<Response> {
  const response = await service.get(path, { headers })
  expect([200, 304], `${path} ${response.status}`).toContain(response.status)
  return response
}

async function answersOf(service: Served): Promise<Map<string, Answer>> {
  const answers = new Map<string, Answer>()
  for (const path of PROJECTS.flatMap(readsOf)) {
    for (const type of ['application/json', 'text/csv']) {
      const response = await ask(service, path, { Accept: type })
      answers.set(`${path} ${type}`, { etag: response.headers.get('etag'), text: await response.text() })
    }
  }
  return answers
}

/** Returns what the paths answer to a client that has the former answers. */
async function answersAgain(service: Served, former: ReadonlyMap<string, Answer>): Promise<string[]> {
  const texts: string[] = []
  for (const [key, { etag, text }] of former) {
    const [path, type] = key.split(' ') as [string, string]
    const response = await ask(service, path, { Accept: type, ...(etag && { 'If-None-Match': etag }) })
    texts.push(response.status === 304 ? text : await response.text())
  }
  return texts
}

/** Returns the events of a tail that goes on after a former event, in some time. */
async function replay(service: Served, project: string, source: string, lastId: string | undefined): Promise<string> {
  const ending = AbortSignal.timeout(300)
  const headers: Record<string, string> = lastId === undefined ? {} : { 'Last-Event-ID': lastId }
  let text = ''
  try {
    const { body } = await service.get(`/api/tail?project=${project}&source=${source}`, { headers, signal: ending })
    for await (const chunk of body!) text += Buffer.from(chunk).toString()
  } catch {}
  return text
}

const lastIdIn = (events: string): string | undefined => [...events.matchAll(/^id: ?(.*)$/gm)].at(-1)?.[1]

/** The texts that all answers for the rows of a project have. */
async function shownTexts(service: Served): Promise<string[]> {
  const texts: string[] = []
  for (const project of PROJECTS) {
    for (const source of SOURCES) {
      const sql = encodeURIComponent(`select event_message as text from ${source} limit 1000`)
      for (const { text } of await service.rows(`logs.all?project=${project}&sql=${sql}`)) texts.push(text)
    }
  }
  return texts.sort()
}

it(`no answer shows a deleted row a second later, nor any file in the end (seed ${testSeed()})`, {
  timeout: 600_000 + 10_000 * DELETIONS,
}, async () => {
  const random = mulberry32(testSeed())
  const [dataDir, endpoints] = [temporaryFolder(), temporaryFolder()]
  writeFileSync(join(endpoints, 'tags.sql'), VIEW)
  const token = await createToken(dataDir)
  const args = ['--data-dir', dataDir, '--sql', '--endpoints', endpoints, '--memory-limit', '24M']
  const service = await serve(args, { environment: ON_DISK })
  let left: StoredRow[] = []
  const deleted: StoredRow[] = []
  let count = 0
  const tailIds = new Map<string, string | undefined>()

  for (let round = 0; round < Math.ceil(DELETIONS / AT_ONCE); round++) {
    const told = `seed ${testSeed()}, round ${round}`
    const more = Array.from({ length: ROWS }, () => randomRow(random, count++))
    left.push(...more)
    const body = more.map(lineOf).join('\n')
    const headers = { 'Content-Type': 'application/x-ndjson' }
    expect((await service.get('/api/logs', { method: 'POST', body, headers })).status).toBe(200)
    const before = await answersOf(service)
    const [tailed, source] = [oneOf(random, PROJECTS), oneOf(random, SOURCES)]
    const key = `${tailed} ${source}`
    if (!tailIds.has(key)) tailIds.set(key, lastIdIn(await replay(service, tailed, source, undefined)))

    const asked = Array.from({ length: AT_ONCE }, () => randomDeletion(random, left))
    for (const { body, isDeleted } of asked) {
      const response = await askDeletions(service, token, { method: 'POST', body: JSON.stringify(body) })
      expect([response.status, await response.text()], told).toEqual([202, expect.stringContaining('"hidden"')])
      deleted.push(...left.filter(isDeleted))
      left = left.filter((row) => !isDeleted(row))
    }
    await wait(1_000)

    expect(await shownTexts(service), told).toEqual(left.map(({ text, n }) => `${text} said ${n}`).sort())
    const tails = await Promise.all(
      [...tailIds].map(([one, id]) => replay(service, one.split(' ')[0]!, one.split(' ')[1]!, id)),
    )
    const texts = [...(await answersAgain(service, before)), ...tails]
    const places = [...before.keys(), ...tailIds.keys()]
    const shown = deleted.flatMap(({ text }) =>
      places.filter((_, i) => texts[i]!.includes(text)).map((at) => [at, text]),
    )
    expect(shown.slice(0, 10), told).toEqual([])
    await until(
      () => listDeletions(service, token),
      (all) => all.every(({ state }) => state === 'erased'),
      ERASED_MS,
    )
  }

  await expectErased(service, dataDir, deleted, left)
})
