import { describe, expect, it } from 'vitest'
import { MINUTE_US, SECOND_US } from '../../src/base/units.js'
import type { Ask, GroupingLimits } from '../../src/engine/engine.js'
import type { ArrowEngine } from '../../src/engine/store/engine.js'
import type { Row } from '../../src/plan/answer.js'
import type { Plan } from '../../src/plan/plan.js'
import { withinTime } from '../../src/plan/within-time.js'
import { readSql } from '../../src/sql/read-sql.js'
import { appendAll, openEngine } from '../support/engine.js'
import { below, mulberry32, oneOf, type Random } from '../support/random.js'
import { edge, type TestRecord } from '../support/records.js'
import { runs } from '../support/runs.js'
import { testSeed } from '../support/seed.js'

const START_US = Date.UTC(2026, 10, 29) * 1_000

/** Groupings, and operators that may follow a grouping. Lists are sorted, since their order is open. */
const QUERIES = [
  'select count(*) as n from edge_logs',
  'select count(*) as n, min(timestamp) as first, max(id) as last from edge_logs having n > 2',
  `select request.path, count(*) as n, countif(response.status_code >= 500) as errors, avg(execution_time_ms) as mean,
    sum(execution_time_ms) as total, min(execution_time_ms) as least from edge_logs group by path`,
  `select project, request.path, count(*) as n from edge_logs where response.status_code >= 400
    group by project, path having n > 1 order by n desc, project, path limit 3`,
  `select project, approx_quantiles(execution_time_ms, 4) as quartiles, approx_count_distinct(request.path) as paths,
    count(distinct request.path) as exact from edge_logs group by project`,
  'select response.status_code, max(execution_time_ms) as most from edge_logs group by status_code',
  `with each as (select project, request.path, count(*) as n from edge_logs group by project, path)
    select project, max(n) as most, count(*) as paths from each group by project having most > 1`,
  'select timestamp_trunc(timestamp, minute) as minute, count(*) as n from edge_logs group by minute',
  `select project, count(*) as n from edge_logs where event_message like '%x%' group by project`,
].map((text) => readSql(text).plan({}, 0))

let ids = 0

/** A record within ten minutes, often exactly at whole seconds, where windows end. */
function randomRecord(random: Random): TestRecord {
  const seconds = below(random, 600)
  const timestampUs = START_US + seconds * SECOND_US + oneOf(random, [0, 0, 1, SECOND_US - 1, below(random, SECOND_US)])
  const metadata = {
    request: { path: oneOf(random, ['/a', '/b', '/c', null]) },
    response: { status_code: oneOf(random, [200, 404, 500, '503', null]) },
    execution_time_ms: random() < 0.9 ? below(random, 1_000) / 8 : null,
  }
  const project = oneOf(random, ['a', 'b', null])
  return edge({ id: `${ids++}`, project, timestampUs, event_message: oneOf(random, ['x', 'y']), metadata })
}

async function readRows(ask: Ask): Promise<Row[] | string> {
  try {
    const rows: Row[] = []
    for await (const row of await ask()) rows.push(row)
    return rows.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  } catch (error) {
    return (error as Error).message
  }
}

async function fill(random: Random, groupingLimits?: GroupingLimits): Promise<ArrowEngine> {
  const engine = openEngine({ sealRows: 20 + below(random, 200), ...(groupingLimits && { groupingLimits }) })
  const records = Array.from({ length: below(random, 400) }, () => randomRecord(random))
  const sealed = below(random, records.length + 1)
  await appendAll(engine, records.slice(0, sealed), 1 + below(random, 50))
  if (random() < 0.5) await engine.seal()
  await appendAll(engine, records.slice(sealed), 1 + below(random, 50))
  return engine
}

/** Windows of any length and step: some overlap, some leave gaps, some end between two steps. */
function randomWindows(random: Random) {
  const stepUs = oneOf(random, [SECOND_US, 7 * SECOND_US, 30 * SECOND_US, 90 * SECOND_US, 1_234_567])
  const lengthUs = oneOf(random, [1, stepUs * (1 + below(random, 20)), 5 * MINUTE_US, below(random, 3 * MINUTE_US) + 1])
  const fromUs = START_US - below(random, 100) * SECOND_US
  const isInclusive = random() < 0.5
  return { fromUs, throughUs: fromUs + lengthUs - (isInclusive ? 0 : 1), stepUs, count: 1 + below(random, 80) }
}

const moved = (plan: Plan, { fromUs, throughUs }: { fromUs: number; throughUs: number }, byUs: number) =>
  withinTime(plan, { fromUs: fromUs + byUs, throughUs: throughUs + byUs })

describe('runMoved', () => {
  it('returns for each window what a run returns', { timeout: 120_000 }, async () => {
    const seed = testSeed()
    let found = 0
    for (let run = 0; run < runs(200); run++) {
      const random = mulberry32(seed + run)
      const engine = await fill(random)
      const plan = oneOf(random, QUERIES)
      const { fromUs, throughUs, stepUs, count } = randomWindows(random)
      const shown = `seed ${seed + run}, query ${QUERIES.indexOf(plan)}, ${fromUs}-${throughUs} by ${stepUs}`
      const asks = await engine.runMoved!(moved(plan, { fromUs, throughUs }, 0), { count, stepUs })
      let window = 0
      for await (const ask of asks!) {
        const one = moved(plan, { fromUs, throughUs }, window * stepUs)
        const rows = await readRows(ask)
        expect(rows, `${shown}, window ${window}`).toEqual(await readRows(() => engine.run(one)))
        found += rows.length
        window++
      }
      expect(window, shown).toBe(count)
      await engine.close()
    }
    expect(found).toBeGreaterThan(0)
  })

  it('reads fewer rows at a time if the groups of a day exceed the memory', async () => {
    const random = mulberry32(testSeed())
    const records = Array.from({ length: 500 }, () => randomRecord(random))
    const engine = openEngine({ groupingLimits: { groups: 1_000, bytes: 60_000 } })
    await appendAll(engine, records)
    const window = { fromUs: START_US, throughUs: START_US + 5 * SECOND_US - 1 }
    const asks = await engine.runMoved!(moved(QUERIES[2]!, window, 0), { count: 60, stepUs: 10 * SECOND_US })
    let i = 0
    for await (const ask of asks!) {
      const one = moved(QUERIES[2]!, window, i++ * 10 * SECOND_US)
      expect(await readRows(ask)).toEqual(await readRows(() => engine.run(one)))
    }
    expect(i).toBe(60)
    await engine.close()
  })

  it('fails for a window with too many groups, and goes on with the next', async () => {
    const engine = openEngine({ groupingLimits: { groups: 2, bytes: 1e6 } })
    const at = (second: number, path: string) =>
      edge({ id: path, timestampUs: START_US + second * SECOND_US, metadata: { request: { path } } })
    await appendAll(engine, [at(0, '/a'), at(1, '/b'), at(1, '/c'), at(1, '/d'), at(2, '/e')])
    const window = { fromUs: START_US, throughUs: START_US + SECOND_US - 1 }
    const asks = await engine.runMoved!(moved(QUERIES[2]!, window, 0), { count: 3, stepUs: SECOND_US })
    const all = []
    for await (const ask of asks!) all.push(await readRows(ask))
    expect(all.map((rows) => (typeof rows === 'string' ? rows.slice(0, 36) : rows.length))).toEqual([
      1,
      'The query exceeds the limit of 2 gro',
      1,
    ])
    await engine.close()
  })

  it('fails as a whole if a row cannot be grouped', async () => {
    const engine = openEngine()
    await appendAll(engine, [edge({ timestampUs: START_US, metadata: { request: { path: 'x' } } })])
    const plan = readSql('select sum(cast(request.path as int64)) as n from edge_logs').plan({}, 0)
    const asks = await engine.runMoved!(moved(plan, { fromUs: START_US, throughUs: START_US }, 0), {
      count: 1,
      stepUs: 1,
    })
    await expect(asks![Symbol.asyncIterator]().next()).rejects.toThrow('(line 1, column')
    await engine.close()
  })

  it('ends with the reason of the signal', async () => {
    const random = mulberry32(testSeed())
    const engine = await fill(random)
    const abort = new AbortController()
    const plan = moved(QUERIES[0]!, { fromUs: START_US, throughUs: START_US + SECOND_US }, 0)
    const asks = await engine.runMoved!(plan, { count: 1e6, stepUs: 1 }, { signal: abort.signal })
    const reading = (async () => {
      for await (const ask of asks!) await ask()
    })()
    setTimeout(() => abort.abort(new Error('enough')), 20)
    await expect(reading).rejects.toThrow('enough')
    await engine.close()
  })

  it.each([
    'select * from edge_logs',
    'select project, count(*) as n from edge_logs, unnest(metadata) group by project',
    'select count(*) as n from edge_logs where project in (select project from auth_logs)',
    'select count(*) as n from (select id from edge_logs union all select id from auth_logs)',
    'select project, count(*) as n from (select project from edge_logs limit 3) group by project',
  ])('is not for %s', async (text) => {
    const engine = openEngine()
    const plan = moved(readSql(text).plan({}, 0), { fromUs: 0, throughUs: 1 }, 0)
    expect(await engine.runMoved!(plan, { count: 1, stepUs: 1 })).toBeUndefined()
    await engine.close()
  })

  it('is not for a scan without a bound', async () => {
    const engine = openEngine()
    expect(await engine.runMoved!(QUERIES[0]!, { count: 1, stepUs: 1 })).toBeUndefined()
    await engine.close()
  })
})
