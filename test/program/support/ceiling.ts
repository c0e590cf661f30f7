import { once } from 'node:events'
import { expect } from 'vitest'
import { DAY_US, MIB } from '../../../src/base/units.js'
import { expectRows } from '../../oracle/compare.js'
import { oracle, type PlainRow } from '../../oracle/oracle.js'
import { mulberry32, type Random } from '../../support/random.js'
import { edge, invocation, numberAt, type TestRecord } from '../../support/records.js'
import { residentBytes } from './memory.js'
import { type Served, serve } from './program.js'
import { type WorstPlan, worstPlansFolder, worstQuery } from './worst-plans.js'

const PROJECT = 'ceilingprojectabcdef'
const DAYS = 5
const RECORDS_A_DAY = 4_000
const STATS = { endpoint: 'functions.invocation-stats', params: { project: PROJECT, interval: '7day' } }
const COUNTS = { endpoint: 'usage.api-counts', params: { project: PROJECT, interval: 'daily' } }

/**
 * Feeds ten times the memory limit, day after day, with many copies of each day's records. Expects the process to stay
 * within the limit and a quarter, and to answer as the oracle does over the kept rows: all rows with a data directory,
 * else the newest days, and perhaps a part of the oldest kept day. During the feed the given plans run again and again.
 */
export async function expectUnderCeiling(
  limitMib: number,
  where: readonly string[],
  plans: readonly WorstPlan[] = [],
): Promise<void> {
  const service = await serve(['--memory-limit', `${limitMib}M`, '--endpoints', worstPlansFolder(), ...where])
  const random = mulberry32(1)
  const today = Math.floor((Date.now() * 1000) / DAY_US)
  const days = Array.from({ length: DAYS }, (_, i) => recordsOf(today - DAYS + i, random))
  const feeding = feed(service, days.map(linesOf), 10 * limitMib * MIB)
  const answers = await askMeanwhile(service, plans, feeding)
  const times = await feeding
  const evicted = await evictedRows(service)
  const keepsAll = where.includes('--data-dir')
  expect(evicted > 0).toBe(!keepsAll)
  for (const { endpoint, params } of [STATS, COUNTS]) {
    const rows = await service.rows(`${endpoint}?${new URLSearchParams(params)}`)
    const wanted = oracle(endpoint, days.flat(), params, Date.now() * 1000).map((row) => repeated(row, times))
    expect(rows.length).toBeGreaterThan(keepsAll ? 0 : 1)
    if (keepsAll) expectRows(rows, wanted, executionTimes(days))
    // The oldest kept day may be incomplete.
    else expectRows(rows.slice(1), wanted.slice(DAYS - rows.length + 1), executionTimes(days))
  }
  const peakMib = Math.round(residentBytes(service).peak / MIB)
  console.log(
    `M1 ${where[0]}: peak ${peakMib} MiB of ${limitMib}, ` +
      `${evicted} of ${times * RECORDS_A_DAY * DAYS} rows went, ${answers} answers`,
  )
  expect(peakMib).toBeLessThanOrEqual(1.25 * limitMib)
}

/** Runs plans until rows are fed, all at the same time, each again and again. Returns the number of answers. */
async function askMeanwhile(service: Served, plans: readonly WorstPlan[], feeding: Promise<unknown>): Promise<number> {
  let isFeeding = true
  let answers = 0
  const asking = plans.map(async (plan) => {
    while (isFeeding) {
      const response = await service.get(worstQuery(plan))
      const { code = 'rows' } = (await response.json()) as { code?: string }
      expect(`${response.status} ${code}`).toMatch(/^(200 rows|400 (too_many_groups|too_much_memory)|503 overloaded)$/)
      answers++
    }
  })
  await feeding.finally(() => {
    isFeeding = false
  })
  await Promise.all(asking)
  expect(answers).toBeGreaterThanOrEqual(plans.length)
  return answers
}

/** Records of a UTC day. The queries select some records. */
function recordsOf(day: number, random: Random): TestRecord[] {
  const noise = () => Array.from({ length: 60 }, () => random().toString(36).slice(2)).join('')
  return Array.from({ length: RECORDS_A_DAY }, (_, i) => {
    const project = i % 10 === 0 ? PROJECT : `project${i % 97}abcdefghijk`
    const given = { project, id: `${day} ${i}`, timestampUs: day * DAY_US + i * 1_000_000, event_message: noise() }
    const url = `https://${project}.supabase.co/rest/v1/${i % 31}`
    return i % 4 === 0
      ? invocation({
          ...given,
          metadata: { execution_time_ms: i % 500, response: { status_code: 200 + (i % 3) * 150 } },
        })
      : edge({ ...given, metadata: { request: { url, path: i % 3 === 0 ? '/rest/v1' : '/auth/v1' } } })
  })
}

const linesOf = (records: readonly TestRecord[]) => Buffer.from(records.map(lineOf).join(''))

const lineOf = ({ timestampUs, metadata, ...record }: TestRecord) =>
  `${JSON.stringify({ ...record, timestamp: timestampUs, metadata: JSON.parse(metadata) })}\n`

/**
 * Writes all blocks again and again, `bytes` in total. Returns the number of repetitions once all rows were accepted.
 */
async function feed({ child, waitForStderr }: Served, blocks: readonly Buffer[], bytes: number): Promise<number> {
  const stdin = child.stdin!
  const times = Math.ceil(bytes / blocks.reduce((sum, { length }) => sum + length, 0))
  for (const block of blocks) {
    for (let time = 0; time < times; time++) if (!stdin.write(block)) await once(stdin, 'drain')
  }
  stdin.end()
  await waitForStderr(/standard input ended: .*, 0 rejected/)
  return times
}

async function evictedRows({ metric }: Served): Promise<number> {
  const of = (source: string) => metric(`logweir_evicted_rows_total{source="${source}",limit="memory"}`)
  return (await Promise.all(['edge_logs', 'function_edge_logs'].map(of))).reduce((sum, rows) => sum + (rows || 0), 0)
}

/** Returns the row of an answer over `times` copies of the records. */
function repeated(row: PlainRow, times: number): PlainRow {
  const isSum = (name: string) => name.endsWith('count') || name.startsWith('total_')
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, isSum(name) ? (value as number) * times : value]),
  )
}

/** The execution times of each day, ascending, for the comparison of percentiles. */
function executionTimes(days: readonly TestRecord[][]): Map<number, number[]> {
  const ofProject = days.map((records) =>
    records.filter(({ source, project }) => source === 'function_edge_logs' && project === PROJECT),
  )
  const timesOf = (records: readonly TestRecord[]) =>
    records.map(({ metadata }) => numberAt(metadata, ['execution_time_ms'])!).sort((a, b) => a - b)
  return new Map(ofProject.map((records) => [Math.floor(records[0]!.timestampUs / DAY_US) * DAY_US, timesOf(records)]))
}
