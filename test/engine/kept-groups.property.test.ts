import { describe, expect, it } from 'vitest'
import { createMetrics } from '../../src/base/metrics.js'
import { DAY_US, MINUTE_US, SECOND_US } from '../../src/base/units.js'
import type { ArrowEngine, ArrowEngineOptions } from '../../src/engine/store/engine.js'
import type { Row } from '../../src/plan/answer.js'
import { readSql } from '../../src/sql/read-sql.js'
import { createFakeClock, type FakeClock } from '../support/clock.js'
import { appendAll, openEngine } from '../support/engine.js'
import { below, mulberry32, oneOf, type Random } from '../support/random.js'
import { edge, type TestRecord } from '../support/records.js'
import { costlyRuns } from '../support/runs.js'
import { testSeed } from '../support/seed.js'

const STEPS = costlyRuns(10_000)
const STEPS_OF_ENGINE = 50
const PARTIAL_BYTES = [3_000, 30_000, 1_000_000]

const last5 = 'timestamp >= timestamp_sub(current_timestamp(), interval 5 minute)'
const judged = `${last5} and timestamp <= timestamp_sub(current_timestamp(), interval 10 second)`
const byPath = `select request.path, count(*) as count, avg(execution_time_ms) as average, min(timestamp) as first,
  countif(response.status_code >= 500) as errors from edge_logs`

/** Some of the queries share groups: only the operators behind their grouping differ. */
const QUERIES = [
  `${byPath} where ${last5} group by path`,
  `${byPath} where ${last5} group by path having errors > 1`,
  `${byPath} where ${judged} group by path`,
  `${byPath} where project = 'a' and ${last5} group by path`,
  `${byPath} group by path`,
  `select count(*) as count from edge_logs where ${last5} and response.status_code >= 500`,
  `select project, timestamp_trunc(timestamp, minute) as minute, approx_count_distinct(request.path) as paths,
    approx_quantiles(execution_time_ms, 2)[offset(1)] as median from edge_logs group by project, minute`,
  `select id, count(*) as count from edge_logs where ${last5} group by id`,
  `select project, max(execution_time_ms) as most from edge_logs where ${last5} and project like '%b%'
    group by project`,
].map((text) => readSql(text))

let ids = 0

/** A record of the last seconds; one in eight is late, by up to ten minutes or two days. */
function randomRecord(random: Random, nowUs: number): TestRecord {
  const lateUs = random() < 0.125 ? below(random, oneOf(random, [10 * MINUTE_US, 2 * DAY_US])) : 0
  const metadata = {
    request: { path: `/${below(random, 5)}` },
    response: { status_code: oneOf(random, [200, 404, 500, '503', null]) },
    execution_time_ms: random() < 0.9 ? below(random, 1_000) / 8 : null,
  }
  const project = oneOf(random, ['a', 'b', 'ab', null])
  return edge({ id: `${ids++}`, project, timestampUs: nowUs - below(random, 3 * SECOND_US) - lateUs, metadata })
}

async function rowsOf(engine: ArrowEngine, query: (typeof QUERIES)[number], nowUs: number): Promise<Row[] | string> {
  try {
    const rows: Row[] = []
    for await (const row of await engine.run(query.plan({}, nowUs))) rows.push(row)
    return rows.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  } catch (error) {
    return (error as Error).message
  }
}

interface Pair {
  clock: FakeClock
  /** Keeps groups, also of slices. */
  kept: ArrowEngine
  /** Keeps nothing. */
  fresh: ArrowEngine
  /** Returns the bytes of the partials that `kept` keeps. */
  partialBytes(): Promise<number>
}

/** Two engines with the same rows and limits. */
function openPair(random: Random, partialCacheBytes: number): Pair {
  const clock = createFakeClock()
  const metrics = createMetrics()
  const limits: Partial<ArrowEngineOptions> = {
    clock,
    ...(random() < 0.7 && { sealRows: 20 + below(random, 100) }),
    retentionUs: 3 * DAY_US,
  }
  const kept = openEngine({ ...limits, metrics, partialCacheBytes, sliceRows: 3 + below(random, 20) })
  const fresh = openEngine({ ...limits, partialCacheBytes: 0, sliceRows: Number.POSITIVE_INFINITY })
  const partialBytes = async () => {
    const { values } = await metrics.engineCachedBytes.get()
    return values.find(({ labels }) => labels.kind === 'partials')?.value ?? 0
  }
  return { clock, kept, fresh, partialBytes }
}

/** Rows arrive, time passes, heads are sealed, days are dropped. Both engines have the same rows afterwards. */
async function step({ clock, kept, fresh }: Pair, random: Random): Promise<void> {
  const records = Array.from({ length: below(random, 15) }, () => randomRecord(random, clock.nowUs()))
  const batchRows = 1 + below(random, 20)
  for (const engine of [kept, fresh]) await appendAll(engine, records, batchRows)
  if (random() < 0.1) await Promise.all([kept.seal(), fresh.seal()])
  clock.advance(random() < 0.02 ? DAY_US / 1e3 : below(random, 60_000))
}

describe('groups that are kept while rows arrive', () => {
  it('are those of all rows, after any steps, within their memory', { timeout: 60_000 + STEPS * 200 }, async () => {
    const seed = testSeed()
    let hits = 0
    for (let run = 0; run < STEPS / STEPS_OF_ENGINE; run++) {
      const random = mulberry32(seed + run)
      const partialCacheBytes = oneOf(random, PARTIAL_BYTES)
      const pair = openPair(random, partialCacheBytes)
      for (let i = 0; i < STEPS_OF_ENGINE; i++) {
        await step(pair, random)
        const sealing = random() < 0.05 ? Promise.all([pair.kept.seal(), pair.fresh.seal()]) : undefined
        for (const query of QUERIES.filter(() => random() < 0.15)) {
          const nowUs = pair.clock.nowUs()
          const expected = await rowsOf(pair.fresh, query, nowUs)
          const shown = `seed ${seed + run}, step ${i}, query ${QUERIES.indexOf(query)}`
          expect(await rowsOf(pair.kept, query, nowUs), shown).toEqual(expected)
          if (expected.length > 0) hits++
        }
        await sealing
        expect(await pair.partialBytes()).toBeLessThanOrEqual(partialCacheBytes)
      }
      await Promise.all([pair.kept.close(), pair.fresh.close()])
    }
    expect(hits).toBeGreaterThan(STEPS / 2)
  })
})
