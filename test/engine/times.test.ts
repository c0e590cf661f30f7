import { describe, expect, it } from 'vitest'
import { createMetrics, type Metrics } from '../../src/base/metrics.js'
import { DAY_US, HOUR_US, MIB } from '../../src/base/units.js'
import { parse, RETENTION_US } from '../ingest/parsing.js'
import { createFakeClock } from '../support/clock.js'
import { ask, openEngine } from '../support/engine.js'

/** A busy machine takes many times as long as usual. */
const TIMEOUT_MS = 60_000

const NOW = '2024-03-01T00:30:00Z'
const NOW_US = Date.parse(NOW) * 1000
const NOW_S = NOW_US / 1e6
const MINUTES_OF_DAY = 24 * 60

/** A timestamp as JSON, and the µs since the epoch, or the reason of the rejection. */
type Rule = readonly [
  json: string,
  outcome: number | 'invalid_timestamp' | 'invalid_json' | 'too_old' | 'too_far_ahead',
]

const RULES: readonly Rule[] = [
  // The unit of a number depends on the number of digits.
  [`${NOW_S}`, NOW_US],
  [`${NOW_S}000`, NOW_US],
  [`${NOW_S}000000`, NOW_US],
  [`${NOW_S}000000000`, NOW_US],
  [`${NOW_S}.000001`, NOW_US + 1],
  [`${NOW_S}000.0019`, NOW_US + 1],
  [`${NOW_S}000001.9`, NOW_US + 1],
  [`${NOW_S}000001999`, NOW_US + 1],
  [`${NOW_S}.0e0`, NOW_US],
  ['0', 'too_old'],
  ['-0', 'too_old'],
  ['-1', 'too_old'],
  [`-${NOW_S}`, 'too_old'],
  ['-1e400', 'too_old'],
  ['1e400', 'too_far_ahead'],
  ['99999999999', 'too_far_ahead'],
  ['99999999999999', 'too_far_ahead'],
  ['99999999999999999', 'too_far_ahead'],
  ['9999999999999999999', 'too_far_ahead'],
  // Days that exist, and days that do not.
  ['"2024-02-29"', Date.UTC(2024, 1, 29) * 1000],
  ['"2024-02-29T23:59:59.999999Z"', Date.UTC(2024, 2, 1) * 1000 - 1],
  ['"2024-02-29T23:59:59.9999999Z"', Date.UTC(2024, 2, 1) * 1000 - 1],
  ['"2024-02-30"', 'invalid_timestamp'],
  ['"2023-02-29"', 'invalid_timestamp'],
  ['"2024-02-29T24:00:00Z"', 'invalid_timestamp'],
  ['"2024-02-29T23:59:60Z"', 'invalid_timestamp'],
  ['"9999-12-31T23:59:59.999999Z"', 'too_far_ahead'],
  ['"0000-01-01"', 'too_old'],
  ['"1969-12-31T23:59:59Z"', 'too_old'],
  // An hour off, as by a missing time zone.
  ['"2024-03-01T01:30:00Z"', NOW_US + HOUR_US],
  ['"2024-02-29T23:30:00Z"', NOW_US - HOUR_US],
  ['"2024-03-01T01:30:00+01:00"', NOW_US],
  ['"2024-02-29T23:30:00-01:00"', NOW_US],
  // The limits of the accepted times.
  ['"2024-03-02T00:29:59.999999Z"', NOW_US + DAY_US - 1],
  ['"2024-03-02T00:30:00Z"', NOW_US + DAY_US],
  ['"2024-03-02T00:30:00.000001Z"', 'too_far_ahead'],
  [`${NOW_US - RETENTION_US}`, NOW_US - RETENTION_US],
  [`${NOW_US - RETENTION_US - 1}`, 'too_old'],
  // Not a time.
  ['null', NOW_US],
  ['NaN', 'invalid_json'],
  ['"NaN"', 'invalid_timestamp'],
  ['""', 'invalid_timestamp'],
  ['"now"', 'invalid_timestamp'],
  ['true', 'invalid_timestamp'],
  ['[]', 'invalid_timestamp'],
  ['{}', 'invalid_timestamp'],
]

const lineOf = (id: string, timestamp: string) =>
  `{"source":"edge_logs","project":"p","id":"${id}","timestamp":${timestamp}}`

async function openAt(nowUs: number, rowsLimitBytes = 64 * MIB) {
  const [clock, metrics] = [createFakeClock(nowUs), createMetrics()]
  const engine = openEngine({ clock, metrics, rowsLimitBytes, sealRows: 50 })
  async function take(lines: readonly string[]) {
    const { batches, rejects } = parse(lines.join('\n'), { nowUs: clock.nowUs() })
    for (const batch of batches) await engine.append(batch)
    return rejects.map(({ line, reason }) => ({ line, reason }))
  }
  const ids = async (params: Record<string, string> = {}) => {
    const rows = await ask(engine, 'logs.all', { project: 'p', project_tier: 'ENTERPRISE', ...params }, clock.nowUs())
    return rows.map(({ id }) => id)
  }
  return { clock, engine, metrics, take, ids }
}

async function evictedRows({ evictedRows }: Metrics) {
  return (await evictedRows.get()).values.reduce((sum, { value }) => sum + value, 0)
}

describe('I7: times', () => {
  it.each(RULES)('I7: %s is %s', (json, outcome) => {
    const { rows, rejects } = parse(lineOf('a', json), { nowUs: NOW_US })
    const found = rejects[0]?.reason ?? Number(rows[0]!.timestamp)
    expect(found).toBe(outcome)
  })

  it('I7: a record without one has the time of its receipt', () => {
    const { rows } = parse('{"source":"edge_logs"}', { nowUs: NOW_US })
    expect(rows.map(({ timestamp }) => timestamp)).toEqual([BigInt(NOW_US)])
  })

  it('I7: those taken are served to the microsecond, those refused are told by line and reason', async () => {
    const { engine, take } = await openAt(NOW_US)
    const rejects = await take(RULES.map(([json], i) => lineOf(`${i}`, json)))
    expect(rejects).toEqual(
      RULES.flatMap(([, outcome], i) => (typeof outcome === 'number' ? [] : [{ line: i + 1, reason: outcome }])),
    )
    // 1 µs earlier than now, since the window of a query does not include the start of the retention.
    const rows = await ask(engine, 'logs.all', { project: 'p', project_tier: 'ENTERPRISE' }, NOW_US - 1)
    expect(new Map(rows.map(({ id, timestamp }) => [Number(id), timestamp]))).toEqual(
      new Map(RULES.flatMap(([, outcome], i) => (typeof outcome === 'number' ? [[i, outcome] as const] : []))),
    )
    await engine.close()
  })
})

describe('I7: one row of a day ahead', { timeout: TIMEOUT_MS }, () => {
  const DAYS = 12
  const ahead = lineOf('ahead', `${NOW_US + DAY_US}`)
  const past = Array.from({ length: DAYS }, (_, day) => lineOf(`${day}`, `${NOW_US - RETENTION_US + day * DAY_US}`))

  it.each([
    ['after', [...past, ahead]],
    ['before', [ahead, ...past]],
  ])('I7: that comes %s all others evicts nothing, and blocks no retention', async (_, lines) => {
    const { clock, engine, metrics, take, ids } = await openAt(NOW_US)
    expect(await take(lines)).toEqual([])
    await engine.seal()
    clock.advance(60_000 * 10)
    expect([await evictedRows(metrics), (await ids()).length]).toEqual([0, DAYS])
    for (let day = 1; day <= DAYS; day++) {
      clock.advance(MINUTES_OF_DAY * 60_000)
      expect([day, await evictedRows(metrics)]).toEqual([day, day])
    }
    expect(await ids()).toEqual(['ahead'])
    clock.advance(MINUTES_OF_DAY * 60_000 * 90)
    expect([await evictedRows(metrics), await ids()]).toEqual([DAYS + 1, []])
    await engine.close()
  })
})
