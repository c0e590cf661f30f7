import { expect } from 'vitest'
import { DAY_US, HOUR_US, MILLISECOND_US, MINUTE_US } from '../../../src/base/units.js'
import { fill } from '../../engine/plans.js'
import { OPEN, rounded } from '../../sql/isolation.js'
import { createFakeClock } from '../../support/clock.js'
import { openEngine } from '../../support/engine.js'
import { below, mulberry32, oneOf, type Random } from '../../support/random.js'
import { randomRecords } from '../../support/random-plans.js'
import { randomSql } from '../../support/random-sql.js'
import { testSeed } from '../../support/seed.js'
import { settle } from '../support.js'
import type { FollowingClient } from './client.js'
import { createSubscribeApp, sqlPath } from './support.js'

/** Follows random queries while rows arrive and expire, and compares the client's rows with uncached requests. */

/** The time of `randomRecords`. */
const NOW_US = Date.UTC(2026, 10, 25, 10, 37, 42) * MILLISECOND_US
const TICK_MS = 50
/** Longer than any evaluation waits. */
const LONGEST_MS = 10_100
const TOKENS = ['free', { token: 'bound', projects: new Set(['a']) }]

const KEYS = ['response.status_code as c', 'level', 'request.path', 'timestamp_trunc(timestamp, hour) as h', 'id']
const VALUES = ['count(*) as n', 'avg(execution_time_ms) as m', 'min(timestamp) as t', 'countif(level is null) as l']
const WINDOWS = ['minute', 'hour', 'day'].flatMap((unit) =>
  [1, 3].map((count) => `where timestamp >= timestamp_sub(current_timestamp(), interval ${count} ${unit})`),
)

/** A grouping by keys of mixed types, perhaps of a moving window, perhaps with HAVING. */
function randomGrouping(random: Random): string {
  const keys = KEYS.filter(() => random() < 0.4)
  const names = keys.map((key) => /\w+$/.exec(key)![0])
  const source = oneOf(random, ['edge_logs', 'function_edge_logs', 'postgres_logs'])
  const where = random() < 0.6 ? oneOf(random, WINDOWS) : ''
  const group = keys.length > 0 ? `group by ${names.join(', ')}` : ''
  const having = random() < 0.4 ? oneOf(random, ['having count(*) > 1', 'having count(*) < 3']) : ''
  const order = keys.length > 0 && random() < 0.3 ? `order by ${oneOf(random, names)} desc` : ''
  const columns = [...keys, ...VALUES.slice(below(random, 3))].join(', ')
  return `select ${columns} from ${source} ${where} ${group} ${having} ${order}`
}

type App = ReturnType<typeof createSubscribeApp>

interface Followed {
  app: App
  random: Random
  path: string
  headers: Record<string, string>
  client: FollowingClient
  counts: Counts
}

interface Counts {
  watermarks: number
  changes: number
  resumed: number
}

/** Follows `plans` random queries for `steps` steps each. Returns what has happened. */
export async function expectFollowed(plans: number, steps: number): Promise<Counts> {
  const seed = testSeed()
  const counts: Counts = { watermarks: 0, changes: 0, resumed: 0 }
  for (let plan = 0; plan < plans; plan++) {
    const shown = `seed ${seed + plan}`
    await followOne(mulberry32(seed + plan), steps, counts).catch((error: Error) => {
      throw new Error(`${shown}: ${error.message}`, { cause: error })
    })
  }
  return counts
}

async function followOne(random: Random, steps: number, counts: Counts): Promise<void> {
  const clock = createFakeClock(NOW_US)
  const retentionUs = oneOf(random, [90, 41, 2]) * DAY_US
  const engine = openEngine({ clock, retentionUs, sealRows: oneOf(random, [10, 40, 1_000]) })
  await fill(engine, randomRecords(random, below(random, 150)), random)
  const app = createSubscribeApp({ clock, engine, tokens: TOKENS })
  const headers = { 'X-API-KEY': oneOf(random, ['free', 'bound']) }
  try {
    const path = await chosenPath(app, random, headers)
    const client = await app.follow(path, undefined, headers)
    const followed: Followed = { app, random, path, headers, client, counts }
    await expectSame(followed, 'at first')
    for (let step = 0; step < steps; step++) {
      const isOver = await stepOf(followed, `step ${step} of ${decodeURIComponent(path)}`)
      if (isOver) break
    }
    counts.changes += changesOf(followed.client)
    await followed.client.leave()
  } finally {
    app.app.close()
    await engine.close()
  }
}

/** A path that is answered, and in a single way. */
async function chosenPath(app: App, random: Random, headers: Record<string, string>): Promise<string> {
  for (;;) {
    const text = random() < 0.5 ? randomGrouping(random) : randomSql(random)
    if (OPEN.test(text)) continue
    const path = sqlPath(text)
    if ((await app.get(path, { headers })).status === 200) return path
  }
}

/** Something happens, and then time passes to the next evaluation. Returns whether the stream has ended. */
async function stepOf(followed: Followed, shown: string): Promise<boolean> {
  const { random } = followed
  if (random() < 0.1 && !(await reconnect(followed))) return true
  const { app } = followed
  const { clock } = app
  if (random() < 0.1) clock.setNowUs(clock.nowUs() + oneOf(random, [MINUTE_US, HOUR_US, DAY_US]))
  if (random() < 0.05) await app.pass(61_000)
  if (random() < 0.7) await bring(followed)
  await passToEvaluation(app)
  return expectSame(followed, shown)
}

async function bring({ app: { engine, clock }, random }: Followed): Promise<void> {
  const lateUs = clock.nowUs() - NOW_US
  const records = randomRecords(random, 1 + below(random, 6))
  await fill(
    engine,
    records.map((record) => ({ ...record, timestampUs: record.timestampUs + lateUs })),
    random,
  )
}

/** Connects again after a while, now and then to another process. Returns false if the answer is an error. */
async function reconnect(followed: Followed): Promise<boolean> {
  const { app, random, path, headers, counts, client } = followed
  const kept = client.kept()
  await client.leave()
  counts.changes += changesOf(client)
  if (random() < 0.5) await bring(followed)
  await app.pass(oneOf(random, [0, 300, 12_000, 31_000]))
  const isRestart = random() < 0.2
  if (isRestart) followed.app = restarted(app)
  const { get, follow } = followed.app
  const { status } = await get(path, { headers })
  if (status !== 200) {
    await expect(follow(path, kept, headers)).rejects.toThrow(`${status} `)
    return false
  }
  followed.client = await follow(path, kept, headers)
  const isResumed = followed.client.events[0]?.name !== 'snapshot'
  if (isResumed) counts.resumed++
  expect(isResumed && isRestart).toBe(false)
  return true
}

const changesOf = ({ events }: FollowingClient) => events.filter(({ name }) => name === 'change').length

/** Another process over the same rows. */
function restarted({ app, clock, engine }: App): App {
  app.close()
  return createSubscribeApp({ clock, engine, tokens: TOKENS })
}

/** Time passes until an evaluation has ended, and stands still then. If nothing is due, a while passes. */
async function passToEvaluation({ clock, ended, evaluations }: App): Promise<void> {
  const before = await evaluations()
  for (let passedMs = 0; passedMs < LONGEST_MS; passedMs += TICK_MS) {
    clock.advance(TICK_MS)
    await ended()
    if ((await evaluations()) > before) break
  }
  await settle()
}

const normal = (rows: readonly string[]) => rows.map((row) => JSON.stringify(JSON.parse(row), rounded)).sort()

/** Expects the client to have the rows that a request gets, or to have been told its error. */
async function expectSame({ app, path, headers, client, counts }: Followed, shown: string): Promise<boolean> {
  const response = await app.get(path, { headers: { ...headers, 'Cache-Control': 'no-cache' } })
  const body = (await response.json()) as { result: object[]; error: object }
  const last = client.events.at(-1)
  if (response.status !== 200 || last?.name === 'dropped') {
    expect([last?.name, last?.data.error], shown).toEqual(['dropped', body.error])
    return true
  }
  counts.watermarks++
  expect(normal(client.rows()), shown).toEqual(normal(body.result.map((row) => JSON.stringify(row))))
  return false
}
