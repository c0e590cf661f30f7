import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { HOUR_US } from '../../../src/base/units.js'
import { below, mulberry32, type Random } from '../../support/random.js'
import { costlyRuns, runs } from '../../support/runs.js'
import { testSeed } from '../../support/seed.js'
import { PROJECT } from '../support/numbered.js'
import { type Served, serve, temporaryFolder, until } from '../support/program.js'
import { makeVolume, VOLUME } from '../support/volume.js'

const NOW_US = Math.floor((Date.now() * 1000) / HOUR_US) * HOUR_US
const KEYS = 5
const LATE_HOURS = 80
/** Queries without a pause would take the processor from what is tested. */
const POLL_MS = 50

/** Row n. Its time is up to some days ago. */
const rowOf = (n: number) => ({
  hourUs: NOW_US - ((n * 7919) % LATE_HOURS) * HOUR_US,
  key: n % 9 === 0 ? '__proto__' : `k${n % KEYS}`,
  value: n % 11,
})

/** Texts that do not compress, so that a head is soon full, and the disk too. */
function lineOf(n: number, random: Random): string {
  const { hourUs, key, value } = rowOf(n)
  const text = Array.from({ length: 60 }, () => random().toString(36).slice(2)).join('')
  return `${JSON.stringify({
    source: 'edge_logs',
    id: `${n}`,
    timestamp: hourUs + (n % 3_600) * 1e6,
    project: PROJECT,
    event_message: text,
    metadata: { key, value },
  })}\n`
}

const VIEW = `-- view: keep 400d
select timestamp_trunc(timestamp, hour) as hour, metadata.key as key, count(*) as n,
  sum(metadata.value) as total, min(metadata.value) as least
from edge_logs group by hour, key`

/** The groups of the rows 0 to `end`, as texts. */
function groupsOf(end: number): string[] {
  const groups = new Map<string, { n: number; total: number; least: number }>()
  for (let n = 0; n < end; n++) {
    const { hourUs, key, value } = rowOf(n)
    const name = `${hourUs} ${key}`
    const group = groups.get(name) ?? { n: 0, total: 0, least: value }
    groups.set(name, { n: group.n + 1, total: group.total + value, least: Math.min(group.least, value) })
  }
  return [...groups].map(([name, { n, total, least }]) => `${name} ${n} ${total} ${least}`).sort()
}

/** A time with rows that a view lacks, in milliseconds, and both ends in it. */
type Lost = readonly [fromMs: number, throughMs: number]

const lostIn = (service: Served): Lost[] =>
  [...service.stderrText().matchAll(/lacks rows of edge_logs from (\S+) to (\S+):/g)].map(([, from, to]) => [
    Date.parse(from!),
    Date.parse(to!),
  ])

/** Expects that the view has each of the first rows once, apart from times that are lost: there some are missing. */
async function expectAllBut(service: Served, rows: number, lost: readonly Lost[]): Promise<void> {
  const groups: Group[] = await service.rows(`counts?project=${PROJECT}`)
  const found = new Map(groups.map(({ hour, key, n }) => [`${hour} ${key}`, n]))
  const wrong = groupsOf(rows).filter((group) => {
    const [hour, key, n] = group.split(' ')
    const fromMs = Number(hour) / 1000
    const isLost = lost.some(([first, last]) => first < fromMs + HOUR_US / 1000 && last >= fromMs)
    const shown = found.get(`${hour} ${key}`) ?? 0
    found.delete(`${hour} ${key}`)
    return isLost ? shown > Number(n) : shown !== Number(n)
  })
  expect([wrong, [...found]]).toEqual([[], []])
}

interface Group {
  hour: number
  key: string
  n: number
  total: number
  least: number
}

const inSql = (service: Served, sql: string) =>
  service.rows(`logs.all?project=${PROJECT}&sql=${encodeURIComponent(sql)}`)

/** Expects that the view has each of the first rows once. Returns how many. */
async function expectPrefix(service: Served, least: number): Promise<number> {
  const groups: Group[] = await service.rows(`counts?project=${PROJECT}`)
  const rows = groups.reduce((sum, { n }) => sum + n, 0)
  expect(rows).toBeGreaterThanOrEqual(least)
  const found = groups.map(({ hour, key, n, total, least: min }) => `${hour} ${key} ${n} ${total} ${min}`).sort()
  expect(found).toEqual(groupsOf(rows))
  return rows
}

const shownIn = async (service: Served) => {
  const [row] = await inSql(service, 'select sum(n) as n from view.counts')
  return Number(row?.n ?? 0)
}

/** Writes rows until the service shows all, or `whileMs` are over. Returns how many rows the view showed at the end. */
async function feed(service: Served, random: Random, from: number, count: number, whileMs = 60_000): Promise<number> {
  for (let n = from; n < from + count; n++) service.child.stdin!.write(lineOf(n, random))
  const untilMs = performance.now() + whileMs
  let shown = from
  while (shown < from + count && performance.now() < untilMs) {
    await wait(POLL_MS)
    shown = await shownIn(service).catch(() => shown)
  }
  return shown
}

/** Writes rows until the service has stored all. */
async function store(service: Served, random: Random, from: number, count: number): Promise<void> {
  const stored = async () => (await service.metric('logweir_ingested_rows_total{source="edge_logs"}')) || 0
  const before = await stored()
  for (let n = from; n < from + count; n++) service.child.stdin!.write(lineOf(n, random))
  await until(stored, (rows) => rows === before + count, 120_000)
}

const statesIn = (dataDir: string) =>
  readdirSync(join(dataDir, 'views'), { recursive: true, encoding: 'utf8' }).filter((name) => /\d-\d{8}$/.test(name))

/** Arguments of a service with a view, with heads that are soon full. */
function argsOf(dataDir: string, more: readonly string[] = []): string[] {
  const endpoints = temporaryFolder()
  writeFileSync(join(endpoints, 'counts.sql'), VIEW)
  return ['--data-dir', dataDir, '--endpoints', endpoints, '--sql', '--memory-limit', '6M', ...more]
}

const ON_DISK = { LOGWEIR_IN_MEMORY: '0' }

describe('a view of a program that is killed', () => {
  const seed = testSeed()
  const kills = Math.max(3, costlyRuns(50))

  it(`has each row once, ${kills} times (seed ${seed})`, { timeout: 120_000 + 30_000 * kills }, async () => {
    const random = mulberry32(seed)
    const dataDir = temporaryFolder()
    const args = argsOf(dataDir)
    // All kills are of a view that has written groups, however slow the machine is.
    const first = await serve(args, { environment: ON_DISK })
    let rows = await feed(first, random, 0, 2_400)
    await until(
      async () => existsSync(join(dataDir, 'views')) && statesIn(dataDir).length > 0,
      (areThere) => areThere,
    )
    first.child.kill('SIGKILL')
    await first.exit
    for (let kill = 0; kill <= kills; kill++) {
      const service = await serve(args, { environment: ON_DISK })
      rows = await expectPrefix(service, rows)
      rows = await feed(service, random, rows, 600, 200 + below(random, 1_500))
      await wait(below(random, 1_500))
      service.child.kill('SIGKILL')
      await service.exit
    }
  })

  it(`is built again, and killed then, ${kills} times (seed ${seed})`, {
    timeout: 60_000 + 40_000 * kills,
  }, async () => {
    const random = mulberry32(seed)
    const dataDir = temporaryFolder()
    const args = argsOf(dataDir)
    const first = await serve(args, { environment: ON_DISK })
    const rows = 2_400
    expect(await feed(first, random, 0, rows)).toBe(rows)
    first.child.kill('SIGTERM')
    await first.exit
    for (let kill = 0; kill < kills; kill++) {
      rmSync(join(dataDir, 'views'), { recursive: true, force: true })
      for (let times = 0; times < 2; times++) {
        const service = await serve(args, { environment: ON_DISK })
        await wait(below(random, 2_500))
        service.child.kill('SIGKILL')
        await service.exit
      }
      const service = await serve(args, { environment: ON_DISK })
      expect(await expectPrefix(service, rows)).toBe(rows)
      service.child.kill('SIGKILL')
      await service.exit
    }
  })
})

describe('a view of a program whose disk is limited', () => {
  const seed = testSeed()
  // A slow machine may lose rows: the promise is a line that says which.
  const kills = Math.max(4, runs(20))

  it(`keeps the rows of days that vanish, ${kills} times (seed ${seed})`, {
    timeout: 90_000 + 60_000 * kills,
  }, async () => {
    const random = mulberry32(seed)
    const dataDir = temporaryFolder()
    const args = argsOf(dataDir, ['--max-disk-bytes', '3M'])
    const lost: Lost[] = []
    let rows = 0
    for (let kill = 0; kill <= kills; kill++) {
      const service = await serve(args, { environment: ON_DISK })
      await expectAllBut(service, rows, lost)
      await store(service, random, rows, 2_000)
      rows += 2_000
      await wait(below(random, 2_000))
      service.child.kill('SIGKILL')
      await service.exit
      lost.push(...lostIn(service))
    }
    const last = await serve(args, { environment: ON_DISK })
    expect(await last.metric('logweir_rows{source="edge_logs"}')).toBeLessThan(rows)
    await expectAllBut(last, rows, lost)
  })

  it('says which rows it lacks if they cannot be grouped before the disk is full', { timeout: 120_000 }, async () => {
    const random = mulberry32(seed)
    const dataDir = temporaryFolder()
    const args = argsOf(dataDir, ['--max-disk-bytes', '2M', '--log-format', 'json'])
    const first = await serve(args, { environment: ON_DISK })
    await until(
      async () => existsSync(join(dataDir, 'views/catalog.json')),
      (isThere) => isThere,
    )
    const [{ identity }] = JSON.parse(readFileSync(join(dataDir, 'views/catalog.json'), 'utf8')).views
    first.child.kill('SIGTERM')
    await first.exit
    // Nothing can be written where a file stands in the place of the view's folder.
    writeFileSync(join(dataDir, 'views', identity), '')
    const service = await serve(args, { environment: ON_DISK })
    await feed(service, random, 0, 6_000, 5_000)
    // The limit is enforced with each batch of rows.
    let n = 6_000
    const feeding = setInterval(() => service.child.stdin!.write(lineOf(n++, random)), 250)
    const [line] = await service.waitForStderr(/^.*view_rows_lost.*\n/m).finally(() => clearInterval(feeding))
    const { code, view, source, from, to } = JSON.parse(line)
    expect([code, view, source]).toEqual(['view_rows_lost', 'counts', 'edge_logs'])
    expect([from, to].map((time) => new Date(time).toISOString())).toEqual([from, to])
    expect(from.slice(0, 10)).toBe(to.slice(0, 10))
    service.child.kill('SIGKILL')
    await service.exit
    rmSync(join(dataDir, 'views', identity))
    const last = await serve(args, { environment: ON_DISK })
    expect(await shownIn(last)).toBe(await last.metric('logweir_rows{source="edge_logs"}'))
  })
})

describe(`a view of a program whose disk is full (${VOLUME})`, () => {
  const seed = testSeed()
  const times = runs(10)

  it(`has each row once, ${times} times (seed ${seed})`, { timeout: 60_000 + 60_000 * times }, async () => {
    const random = mulberry32(seed)
    for (let time = 0; time < times; time++) {
      const volume = makeVolume(64 * 1024 * 1024)
      const environment = { ...ON_DISK, ...volume.environment }
      const args = argsOf(volume.directory)
      const service = await serve(args, { environment })
      let rows = await feed(service, random, 0, 1_500)
      await wait(below(random, 1_500))
      const free = volume.fill()
      rows = await feed(service, random, rows, 1_500, 500 + below(random, 2_000))
      expect(await expectPrefix(service, rows)).toBeGreaterThanOrEqual(rows)
      const isKilled = below(random, 2) === 0
      if (isKilled) {
        service.child.kill('SIGKILL')
        await service.exit
      }
      free()
      const next = isKilled ? await serve(args, { environment }) : service
      rows = await expectPrefix(next, isKilled ? 0 : rows)
      if (!isKilled)
        rows = await until(
          () => shownIn(next),
          (shown) => shown === 3_000,
        )
      await wait(below(random, 2_500))
      expect(await expectPrefix(next, rows)).toBe(rows)
      next.child.kill('SIGKILL')
      await next.exit
    }
  })
})
