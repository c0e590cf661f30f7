import { expect, it } from 'vitest'
import { DAY_US, MINUTE_US } from '../../src/base/units.js'
import type { ClickHouseEngine } from '../../src/engine/clickhouse/engine.js'
import type { RowLimits } from '../../src/engine/deletion.js'
import { scan } from '../../src/plan/builder.js'
import { createFakeClock } from '../support/clock.js'
import { appendAll, readAll } from '../support/engine.js'
import { eventually } from '../support/eventually.js'
import { below, mulberry32, oneOf } from '../support/random.js'
import type { TestRecord } from '../support/records.js'
import { testSeed } from '../support/seed.js'
import { onEachTarget } from './on-targets.js'

const TODAY = 20_778
const NOW_US = TODAY * DAY_US + 12 * 60 * MINUTE_US
const SOURCES = ['edge_logs', 'auth_logs'] as const
const DAYS: Record<string, number> = { free: 1, "it's": 1, pro: 7, none: 3 }

/** Days that rows are kept: those of `auth_logs` for at most two. */
const daysOf = (source: string, project: string | null | undefined) =>
  Math.min(DAYS[project ?? 'none'] ?? 9, source === 'auth_logs' ? 2 : 99)

const limits: RowLimits = {
  revision: 0,
  nextRulesUs: () => Number.POSITIVE_INFINITY,
  newestHiddenUs: (_, nowUs) => nowUs - DAY_US,
  hiddenThroughUs: (source, project, nowUs) => nowUs - daysOf(source, project) * DAY_US,
  removableThroughUs: (source, project, settledUs) => settledUs - daysOf(source, project) * DAY_US,
}

const random = mulberry32(testSeed())
const RECORDS: readonly TestRecord[] = Array.from({ length: 400 }, (_, i) => ({
  source: oneOf(random, SOURCES),
  id: `${i}`,
  timestampUs: NOW_US - below(random, 12 * DAY_US),
  project: oneOf(random, ['free', "it's", 'pro', 'other', null]),
  event_message: '',
  metadata: '{}',
}))

async function storedIds(engine: ClickHouseEngine): Promise<number[]> {
  const ids: number[] = []
  for (const source of SOURCES) {
    const plan = scan(source, { fromUs: -Infinity, throughUs: Infinity }).select('id', 'timestamp')
    const rows = await readAll(await engine.run(plan.orderBy('timestamp', 'desc').limit(10_000)))
    ids.push(...rows.map(({ id }) => Number(id)))
  }
  return ids.sort((a, b) => a - b)
}

/** The ids of the rows that stay at a time: those of days that are not wholly past. */
const staying = (nowUs: number): number[] =>
  RECORDS.filter(({ source, project, timestampUs }) => {
    const endUs = (Math.floor(timestampUs / DAY_US) + 1) * DAY_US - 1
    return endUs > nowUs - daysOf(source, project) * DAY_US
  }).map(({ id }) => Number(id))

onEachTarget('the retention by project on %s', (target) => {
  it('deletes whole days that are past, an hour later, and nothing because of a clock that jumped', async () => {
    console.log(`retention seed ${testSeed()}`)
    const clock = createFakeClock(NOW_US)
    const engine = await target().open({ clock, rowLimits: limits })
    await appendAll(engine, RECORDS, 50)
    await engine.settled()
    const pass = async (minutes: number) => {
      for (let i = 0; i < minutes; i++) {
        clock.advance(MINUTE_US / 1_000)
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    const all = RECORDS.map(({ id }) => Number(id))
    await pass(30)
    clock.setNowUs(clock.nowUs() + 40 * DAY_US)
    await pass(20)
    clock.setNowUs(clock.nowUs() - 40 * DAY_US)
    expect(await storedIds(engine)).toEqual(all)
    await pass(12)
    const expected = staying(NOW_US)
    expect(expected.length).toBeLessThan(all.length)
    expect(expected.length).toBeGreaterThan(0)
    await eventually(async () => expect(await storedIds(engine)).toEqual(expected))
    // The next deletion is due a day after the first is done, which the engine notices within a second.
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    await pass(24 * 60 + 60)
    const later = staying(NOW_US + DAY_US)
    expect(later.length).toBeLessThan(expected.length)
    await eventually(async () => expect(await storedIds(engine)).toEqual(later))
    await engine.close()
  })
})
