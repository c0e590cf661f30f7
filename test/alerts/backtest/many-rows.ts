import { expect } from 'vitest'
import { backtest } from '../../../src/alerts/backtest/backtest.js'
import { ruleOf } from '../../../src/alerts/rules/rule.js'
import { threadCpuMs } from '../../../src/base/process/thread-cpu.js'
import { DAY_US, SECOND_US } from '../../../src/base/units.js'
import type { ArrowEngine } from '../../../src/engine/store/engine.js'
import { readSql } from '../../../src/sql/read-sql.js'
import { toBatch } from '../../support/batch.js'
import { openEngine } from '../../support/engine.js'
import { below, mulberry32, type Random } from '../../support/random.js'
import { edge } from '../../support/records.js'
import { testSeed } from '../../support/seed.js'

const END_US = Date.UTC(2026, 10, 29, 12) * 1_000
const LAST_US = 7 * DAY_US
const INSTANTS = (7 * 86_400) / 30
/** With fewer rows the windows have few rows of each path. */
const FULL_ROWS = 10_000_000
const TEMPLATES = 16
const PROJECTS = 20
const PATHS = 25

/** The rule, for alerts of at least so many requests. */
const ruleFor = (least: number) => `-- alert: every 30s, for 2m, keep firing 5m, delay 10s
-- text: {path} fails: {errors} of {requests} requests in 5 minutes
select project, request.path, count(*) as requests, countif(response.status_code >= 500) as errors
from edge_logs
where timestamp >= timestamp_sub(current_timestamp(), interval 5 minute)
group by project, path
having requests >= ${least} and safe_divide(errors, requests) > 0.05`

/** Few names are frequent, and many are rare. */
const skewed = (random: Random, count: number) => Math.floor(count * random() ** 2)

/** Returns a function that makes batches: copies of a few, with other times. */
function batchMaker(random: Random, rows: number) {
  const templates = Array.from({ length: TEMPLATES }, () => {
    const records = Array.from({ length: rows }, (_, i) =>
      edge({
        id: `${i}`,
        timestampUs: Number.MAX_SAFE_INTEGER - i,
        project: `project ${skewed(random, PROJECTS)}`,
        metadata: {
          request: { path: `/path/${skewed(random, PATHS)}` },
          response: { status_code: random() < 0.04 ? 500 : 200 },
        },
      }),
    )
    const batch = toBatch('edge_logs', records)
    const times = BigInt64Array.from(records.slice(0, 4), ({ timestampUs }) => BigInt(timestampUs))
    return { batch, at: Buffer.from(batch.ipc).indexOf(Buffer.from(times.buffer)) }
  })
  return (timesUs: readonly number[]) => {
    const { batch, at } = templates[below(random, TEMPLATES)]!
    const ipc = batch.ipc.slice()
    const view = new DataView(ipc.buffer, ipc.byteOffset)
    for (const [i, us] of timesUs.entries()) view.setBigInt64(at + 8 * i, BigInt(us), true)
    return { ...batch, ipc }
  }
}

async function fill(engine: ArrowEngine, random: Random, rows: number): Promise<void> {
  const rowsOfBatch = 10_000
  const make = batchMaker(random, rowsOfBatch)
  for (let batch = 0; batch < rows / rowsOfBatch; batch++) {
    const startUs = END_US - LAST_US + Math.floor((batch * rowsOfBatch * LAST_US) / rows)
    const stepUs = LAST_US / rows
    // A few are late, and milliseconds are frequent.
    const times = Array.from({ length: rowsOfBatch }, (_, i) => {
      const us = startUs + i * stepUs - (random() < 0.01 ? below(random, 60 * SECOND_US) : 0)
      return Math.floor(us / 1_000) * 1_000
    })
    await engine.append(make(times))
  }
}

/**
 * Evaluates a rule every 30 s over 7 days and so many rows, and expects the states of a query for each of the latest
 * instants. Returns the milliseconds of CPU time of this thread.
 */
export async function expectManyRows(rows: number): Promise<number> {
  const engine = openEngine({ sliceRows: 16_384 })
  await fill(engine, mulberry32(testSeed()), rows)
  const rule = ruleOf(ruleFor(rows < FULL_ROWS ? 2 : 20), 'a', readSql, END_US)
  const startedMs = threadCpuMs()
  const result = await backtest(rule, engine, { nowUs: END_US, lastUs: LAST_US })
  const tookMs = threadCpuMs() - startedMs
  expect(result).toMatchObject({ method: 'buckets', wanted: INSTANTS, failed: 0 })
  await expectSteps(engine, rule, result.instants.firstUs)
  await engine.close()
  return tookMs
}

/** Some of the first hours alone, by both methods. */
async function expectSteps(engine: ArrowEngine, rule: ReturnType<typeof ruleOf>, firstUs: number): Promise<void> {
  const options = { nowUs: firstUs + 300 * 30 * SECOND_US, lastUs: 300 * 30 * SECOND_US }
  const [buckets, steps] = [await backtest(rule, engine, options), await backtest(rule, { run: engine.run }, options)]
  expect(buckets.events.length).toBeGreaterThan(0)
  const sorted = (events: readonly object[]) => events.map((event) => JSON.stringify(event)).sort()
  expect(sorted(buckets.events)).toEqual(sorted(steps.events))
}
