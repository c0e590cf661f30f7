import { describe, expect, it } from 'vitest'
import { type Backtest, backtest } from '../../../src/alerts/backtest/backtest.js'
import { ruleOf } from '../../../src/alerts/rules/rule.js'
import { labelOf } from '../../../src/alerts/states/labels.js'
import { ALERT_LIMITS } from '../../../src/alerts/states/limits.js'
import { BROKEN_RULE } from '../../../src/alerts/states/state.js'
import { MINUTE_US, SECOND_US } from '../../../src/base/units.js'
import type { ArrowEngine } from '../../../src/engine/store/engine.js'
import { durationText } from '../../../src/front-matter/duration.js'
import { readSql } from '../../../src/sql/read-sql.js'
import { appendAll, openEngine } from '../../support/engine.js'
import { below, mulberry32, oneOf, type Random } from '../../support/random.js'
import { edge, type TestRecord } from '../../support/records.js'
import { runs } from '../../support/runs.js'
import { testSeed } from '../../support/seed.js'
import { createModel, type ModelRow } from '../states-model.js'

const END_US = Date.UTC(2026, 10, 29) * 1_000
const S = SECOND_US

/** A row as the model reads it, besides the record that is stored. */
interface Row {
  timestampUs: number
  project: string | null
  path: string | null
}

/** Rows of the last 20 minutes, in any order; many are exactly where windows start and end. */
function randomRows(random: Random): Row[] {
  return Array.from({ length: below(random, 300) }, () => ({
    timestampUs: END_US - below(random, 1_200) * S + oneOf(random, [0, 0, 0, 1, -1, below(random, S)]),
    project: oneOf(random, ['a', 'b', null]),
    path: oneOf(random, ['/x', '/y', null]),
  }))
}

const recordOf = ({ timestampUs, project, path }: Row, i: number): TestRecord =>
  edge({ id: `${i}`, timestampUs, project, metadata: { request: { path } } })

/** A rule, and the rows that it finds at an instant, in the simplest way. */
function randomRule(random: Random) {
  const everyUs = oneOf(random, [10, 30, 60]) * S
  const windowUs = oneOf(random, [everyUs, 5 * everyUs, 100 * S, 7 * S + everyUs])
  const delayUs = oneOf(random, [0, 10, 15]) * S
  const [forUs, keepFiringUs] = [oneOf(random, [0, 0, 60]) * S, oneOf(random, [0, 0, 45, 120]) * S]
  const least = below(random, 4)
  const [from, through] = [oneOf(random, ['>=', '>']), oneOf(random, ['', '<', '<='])]
  const isSilence = random() < 0.1
  const line = `-- alert: every ${durationText(everyUs)}, for ${durationText(forUs)}, keep firing ${durationText(
    keepFiringUs,
  )}, delay ${durationText(delayUs)}`
  const upper = through === '' ? '' : `and timestamp ${through} current_timestamp()`
  const where = `where timestamp ${from} timestamp_sub(current_timestamp(), interval ${windowUs / S} second) ${upper}`
  const query = isSilence
    ? `-- labels:\nselect count(*) as n from edge_logs ${where} having n = 0`
    : `select project, request.path, count(*) as n, max(id) as last from edge_logs ${where}
       group by project, path having n > ${least}`
  const isWithin = (timestampUs: number, nowUs: number) =>
    (from === '>=' ? timestampUs >= nowUs - windowUs : timestampUs > nowUs - windowUs) &&
    (through === '<' ? timestampUs < nowUs : timestampUs <= nowUs)
  return {
    text: `${line}\n${query}`,
    timing: { everyUs, forUs, keepFiringUs, repeatUs: 240 * MINUTE_US },
    foundAt(rows: readonly Row[], instantUs: number): ModelRow[] {
      const found = rows.filter(({ timestampUs }) => isWithin(timestampUs, instantUs - delayUs))
      if (isSilence) return found.length === 0 ? [{ project: undefined, path: '' }] : []
      const counts = new Map<string, number>()
      for (const { project, path } of found) {
        const key = JSON.stringify([project, path])
        counts.set(key, (counts.get(key) ?? 0) + 1)
      }
      return [...counts].flatMap(([key, n]) => {
        const [project, path] = JSON.parse(key) as [string | null, string | null]
        return n > least ? [{ project: project ?? undefined, path: path ?? '' }] : []
      })
    },
  }
}

/** The transitions of a model over all instants before the end, in order. */
function expectedOf(
  rule: ReturnType<typeof randomRule>,
  rows: readonly Row[],
  nowUs: number,
  lastUs: number,
): string[] {
  const { everyUs } = rule.timing
  const model = createModel({ ...rule.timing, mutedUntilUs: Number.POSITIVE_INFINITY, limits: ALERT_LIMITS })
  const told: string[] = []
  for (let us = nowUs - (nowUs % everyUs); us > nowUs - lastUs; us -= everyUs) told.push(`${us}`)
  return told.reverse().flatMap((us) => {
    const { events } = model.evaluate(rule.foundAt(rows, Number(us)), Number(us))
    return events.map((event) => `${us} ${event}`)
  })
}

const shownOf = ({ events }: Backtest) =>
  events
    .map(({ labels, state, instantUs }) => {
      const [project, path] = ['project', 'path'].map((name) => labelOf(labels, name) ?? '')
      return `${instantUs} ${project}|${path} ${state}`
    })
    .sort()

/** Every content, in an order that does not depend on the order of groups. */
const contentsOf = ({ events }: Backtest) => events.map((event) => JSON.stringify(event)).sort()

async function fill(random: Random, records: readonly TestRecord[]): Promise<ArrowEngine> {
  const engine = openEngine({ sealRows: 20 + below(random, 200) })
  await appendAll(engine, records, 1 + below(random, 50))
  if (random() < 0.5) await engine.seal()
  return engine
}

const LIMITS = { buckets: 100_000, steps: 100_000 }

describe('a backtest', () => {
  it('finds by either method the transitions of a model', { timeout: 120_000 }, async () => {
    const seed = testSeed()
    let found = 0
    for (let run = 0; run < runs(200); run++) {
      const random = mulberry32(seed + run)
      const rows = randomRows(random)
      const engine = await fill(random, rows.map(recordOf))
      const given = randomRule(random)
      const rule = ruleOf(given.text, 'a', readSql, END_US)
      const lastUs = (60 + below(random, 1_200)) * S
      const nowUs = END_US - oneOf(random, [0, 1, below(random, 60 * S)])
      const options = { nowUs, lastUs, limits: LIMITS }
      const shown = `seed ${seed + run}: ${given.text}`
      const buckets = await backtest(rule, engine, options)
      const steps = await backtest(rule, { run: engine.run }, options)
      expect([buckets.method, steps.method], shown).toEqual(['buckets', 'steps'])
      expect(shownOf(buckets), shown).toEqual(expectedOf(given, rows, nowUs, lastUs).sort())
      expect(contentsOf(steps), shown).toEqual(contentsOf(buckets))
      found += buckets.events.length
      await engine.close()
    }
    expect(found).toBeGreaterThan(0)
  })
})

const every30s = (query: string, more = '') => ruleOf(`-- alert: every 30s${more}\n${query}`, 'a', readSql, END_US)
const LAST_5 = 'timestamp >= timestamp_sub(current_timestamp(), interval 5 minute)'

describe('the method of a backtest', () => {
  const methodOf = async (query: string, nowUs = END_US) => {
    const engine = openEngine()
    const rule = every30s(query)
    const { method, failed } = await backtest(rule, engine, { nowUs, lastUs: 60 * MINUTE_US })
    await engine.close()
    expect(failed).toBe(0)
    return method
  }

  it.each([
    `select project, count(*) as n from edge_logs where ${LAST_5} group by project`,
    `select project, count(*) as n from edge_logs where ${LAST_5} group by project order by n desc limit 3`,
    `select project, count(*) as n from edge_logs where timestamp > current_timestamp() - interval 301 second
     and response.status_code >= 500 group by project having n > 1`,
    'select project, count(*) as n from edge_logs where timestamp >= current_timestamp() group by project',
  ])('is buckets for %s', async (query) => {
    expect(await methodOf(query)).toBe('buckets')
  })

  it.each([
    [
      'a time that is selected',
      `select project, max(unix_seconds(current_timestamp())) as n from edge_logs where ${LAST_5}
      group by project`,
    ],
    [
      'a condition on a time',
      `select project, count(*) as n from edge_logs
      where ${LAST_5} and extract(minute from current_timestamp()) = 3 group by project`,
    ],
    [
      'a bound that jumps',
      `select project, count(*) as n from edge_logs
      where timestamp >= timestamp_trunc(current_timestamp(), hour) group by project`,
    ],
    [
      'a bound that is fixed at first',
      `select project, count(*) as n from edge_logs
      where ${LAST_5} and timestamp >= timestamp '2026-11-28 23:30:00' group by project`,
    ],
    [
      'a condition that is true for a while',
      `with t as (select project, timestamp '2026-11-28 23:30:00' as timestamp
      from edge_logs where ${LAST_5}) select project, count(*) as n from t
      where timestamp <= current_timestamp() and timestamp >= current_timestamp() - interval 10 minute
      group by project`,
    ],
    ['no bound', 'select project, count(*) as n from edge_logs group by project'],
    [
      'two scans',
      `select project, count(*) as n from edge_logs where ${LAST_5} and project in
      (select project from auth_logs where ${LAST_5}) group by project`,
    ],
    ['no grouping', `-- labels: id\nselect id from edge_logs where ${LAST_5}`],
  ])('is steps for %s', async (_, query) => {
    expect(await methodOf(query)).toBe('steps')
  })
})

describe('a backtest beyond limits', () => {
  it('evaluates the latest instants, and says how many there are', async () => {
    const engine = openEngine()
    const options = { nowUs: END_US + 1, lastUs: 60 * MINUTE_US, limits: { buckets: 10, steps: 3 } }
    const grouped = every30s(`select project, count(*) as n from edge_logs where ${LAST_5} group by project`)
    const plain = every30s(`-- labels: id\nselect id from edge_logs where ${LAST_5}`)
    const firstUs = (count: number) => END_US - (count - 1) * 30 * S
    expect(await backtest(grouped, engine, options)).toMatchObject({
      wanted: 120,
      instants: { count: 10, firstUs: firstUs(10) },
    })
    expect(await backtest(plain, engine, options)).toMatchObject({
      wanted: 120,
      instants: { count: 3, firstUs: firstUs(3) },
    })
    await engine.close()
  })

  it('fails the instants whose window has a row that fails, as the evaluator does', async () => {
    const engine = openEngine()
    const at = (secondsAgo: number, path: string) =>
      edge({ id: path, timestampUs: END_US - secondsAgo * S, metadata: { request: { path } } })
    await appendAll(engine, [at(20 * 60, 'x'), at(5 * 60, '3')])
    const rule = every30s(
      `select project, sum(cast(request.path as int64)) as n from edge_logs where ${LAST_5} group by project`,
      ', delay 0s',
    )
    const result = await backtest(rule, engine, { nowUs: END_US, lastUs: 30 * MINUTE_US })
    expect(result).toMatchObject({ method: 'steps', failed: 11, omitted: 0 })
    const shown = result.events.map(({ rule, state, instantUs }) => [rule, state, (END_US - instantUs) / S])
    expect(shown).toEqual([
      // The third failure in a row.
      [BROKEN_RULE, 'firing', 1_140],
      [BROKEN_RULE, 'resolved', 870],
      ['a', 'firing', 300],
    ])
    await engine.close()
  })

  it('ends with the reason of the signal, by either method', async () => {
    const engine = openEngine()
    const rule = every30s(`select project, count(*) as n from edge_logs where ${LAST_5} group by project`)
    const options = { nowUs: END_US, lastUs: 60 * MINUTE_US, signal: AbortSignal.abort(new Error('enough')) }
    await expect(backtest(rule, engine, options)).rejects.toThrow('enough')
    await expect(backtest(rule, { run: engine.run }, options)).rejects.toThrow('enough')
    await engine.close()
  })
})
