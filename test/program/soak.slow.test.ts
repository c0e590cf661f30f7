import { readdirSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { below, mulberry32, oneOf, type Random } from '../support/random.js'
import { testSeed } from '../support/seed.js'
import { residentBytes } from './support/memory.js'
import { run, type Served, serve, temporaryFolder } from './support/program.js'

const MINUTES = Number(process.env.LOGWEIR_TEST_SOAK_MINUTES ?? 30)
const MINUTE_MS = 60_000
/** In this time heads, columns in memory, the cache and buffer pools reach their full size. */
const WARM_UP_MS = Math.min(10, (MINUTES * 2) / 3) * MINUTE_MS
const ROWS_PER_SECOND = 5_000
const QUERIES_PER_SECOND = 20
const MOST_SLOPE = 0.02
const SLOPE_MS = 10 * MINUTE_MS
/** Small enough for the columns in memory to reach the limit during the test. */
const ARGS = ['--memory-limit', '64M']
/** Parts of the lines on standard error. */
const LINES = ['The memory limit of 64 MiB is too low', 'listening on', 'standard input ended']

/** Generates lines of all sources. The lines are written repeatedly, each time with the current time. */
async function makeLines(): Promise<string[]> {
  const { stdout } = await run(['generate', '--rows', '20000', '--slim', '--projects', '50'])
  return stdout.toString().trimEnd().split('\n')
}

const stamped = (line: string) => line.replace(/"timestamp":("[^"]*"|\d+)/, `"timestamp":${Date.now() * 1000}`)

/** Calls `work` with the number that is due, `perSecond` on average. The returned function stops the calls. */
function atPace(perSecond: number, work: (count: number) => void): () => void {
  const startMs = performance.now()
  let done = 0
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - startMs) / 1000) * perSecond)
    work(due - done)
    done = due
  }, 20)
  return () => clearInterval(timer)
}

/** Writes lines. The returned function stops the writing and returns the number of lines. */
function feed({ child }: Served, lines: readonly string[]) {
  let fed = 0
  const stop = atPace(ROWS_PER_SECOND, (count) => {
    let text = ''
    for (const end = fed + count; fed < end; fed++) text += `${stamped(lines[fed % lines.length]!)}\n`
    child.stdin!.write(text)
  })
  return () => {
    stop()
    return fed
  }
}

function queryOf(random: Random, projects: readonly string[]): string {
  const project = oneOf(random, projects)
  const kind = below(random, 4)
  if (kind === 0)
    return `functions.invocation-stats?project=${project}&interval=${oneOf(random, ['5min', '1hr', '7day'])}`
  if (kind === 1) return `usage.api-counts?project=${project}&interval=${oneOf(random, ['minutely', 'daily'])}`
  return `logs.all?project=${project}&project_tier=PRO`
}

/** Sends queries. The returned function stops the queries and returns the number of answers by status. */
function ask({ get }: Served, random: Random, projects: readonly string[]) {
  const asked: Record<string, number> = {}
  const underWay = new Set<Promise<void>>()
  async function askOne(): Promise<void> {
    const response = await get(`/api/endpoints/query/${queryOf(random, projects)}`)
    await response.arrayBuffer()
    asked[response.status] = (asked[response.status] ?? 0) + 1
  }
  const begin = () => {
    const one: Promise<void> = askOne()
      .catch(() => void (asked.failed = (asked.failed ?? 0) + 1))
      .finally(() => underWay.delete(one))
    underWay.add(one)
  }
  const stop = atPace(QUERIES_PER_SECOND, (count) => Array.from({ length: count }, begin))
  return async () => {
    stop()
    await Promise.all(underWay)
    return asked
  }
}

interface Sample {
  atMs: number
  rssBytes: number
  descriptors: number
}

function sample(service: Served, atMs: number): Sample {
  const descriptors = readdirSync(`/proc/${service.child.pid}/fd`).length
  return { atMs, rssBytes: residentBytes(service).now, descriptors }
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

/** The Theil-Sen slope, which a few peaks do not change: growth of memory in 10 minutes as a share of the memory. */
function slopeOf(samples: readonly Sample[]): number {
  const slopes: number[] = []
  for (const [i, a] of samples.entries()) {
    for (const b of samples.slice(i + 1)) slopes.push((b.rssBytes - a.rssBytes) / (b.atMs - a.atMs))
  }
  return (median(slopes) * SLOPE_MS) / median(samples.map(({ rssBytes }) => rssBytes))
}

/**
 * The median of open descriptors, at the beginning and at the end: short peaks are due to running requests, and short
 * drops to the change of a journal.
 */
function descriptorsOf(samples: readonly Sample[]) {
  const usual = (part: readonly Sample[]) => median(part.map(({ descriptors }) => descriptors))
  const third = Math.ceil(samples.length / 3)
  return [usual(samples.slice(0, third)), usual(samples.slice(-third))]
}

it(
  `M3: memory and descriptors stay as they are in ${MINUTES} min of 5,000 rows/s and 20 queries/s, and nothing fails`,
  async () => {
    const seed = testSeed()
    console.log(`M3 seed ${seed}`)
    const lines = await makeLines()
    const projects = [...new Set(lines.flatMap((line) => /"project":"([a-z]{20})"/.exec(line)?.[1] ?? []))]
    const service = await serve(['--data-dir', temporaryFolder(), ...ARGS])
    const startMs = performance.now()
    const [stopFeed, stopAsking] = [feed(service, lines), ask(service, mulberry32(seed), projects)]
    const samples: Sample[] = []
    for (let atMs = 0; atMs < MINUTES * MINUTE_MS; atMs = performance.now() - startMs) {
      samples.push(sample(service, atMs))
      await wait(1000)
    }
    const [fed, asked] = [stopFeed(), await stopAsking()]
    service.child.stdin!.end()
    await service.waitForStderr(new RegExp(`standard input ended: ${fed} rows accepted, 0 rejected\n`))
    const warm = samples.filter(({ atMs }) => atMs > WARM_UP_MS)
    const [slope, descriptors] = [slopeOf(warm), descriptorsOf(warm)]
    console.log(`M3 slope ${slope}, descriptors ${descriptors}, rows ${fed}, answers`, asked)
    console.log(
      `M3 MiB ${samples
        .filter((_, i) => i % Math.ceil(samples.length / 30) === 0)
        .map(({ rssBytes }) => Math.round(rssBytes / 2 ** 20))}`,
    )
    expect(fed).toBeGreaterThan(MINUTES * 60 * ROWS_PER_SECOND * 0.99)
    expect(Object.keys(asked)).toEqual(['200'])
    expect(asked['200']).toBeGreaterThan(MINUTES * 60 * QUERIES_PER_SECOND * 0.95)
    expect(
      service
        .stderrText()
        .split('\n')
        .filter((line) => line !== ''),
    ).toEqual(LINES.map((line) => expect.stringContaining(line)))
    expect(descriptors[1]).toBeLessThanOrEqual(descriptors[0]!)
    expect(slope).toBeLessThan(MOST_SLOPE)
  },
  (MINUTES + 5) * MINUTE_MS,
)
