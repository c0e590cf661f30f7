import { expect, it } from 'vitest'
import { createMetrics } from '../../../src/base/metrics.js'
import { DAY_US, HOUR_US } from '../../../src/base/units.js'
import { createFakeClock } from '../../support/clock.js'
import { appendAll, openEngine } from '../../support/engine.js'
import { edge } from '../../support/records.js'

it('the revision of a source grows with rows that arrive and rows that expire, and with nothing else', async () => {
  const clock = createFakeClock()
  const engine = openEngine({ clock, metrics: createMetrics(), retentionUs: DAY_US })
  const revision = () => engine.revision!('edge_logs')
  const seen = [revision()]
  await appendAll(engine, [edge({ timestampUs: clock.nowUs() })])
  seen.push(revision())
  await appendAll(engine, [edge({ timestampUs: clock.nowUs() })])
  seen.push(revision())
  expect(seen[0]).toBeLessThan(seen[1]!)
  expect(seen[1]).toBeLessThan(seen[2]!)
  await engine.seal()
  expect([revision(), engine.revision!('auth_logs')]).toEqual([seen[2], seen[0]])
  clock.advance((3 * DAY_US + HOUR_US) / 1_000)
  expect(engine.stats().find(({ source }) => source === 'edge_logs')!.rows).toBe(0)
  expect(revision()).toBeGreaterThan(seen[2]!)
  await engine.close()
})
