import { describe, expect, it } from 'vitest'
import { DAY_US, HOUR_US } from '../../../src/base/units.js'
import { below, mulberry32, oneOf, type Random } from '../../support/random.js'
import { edge } from '../../support/records.js'
import { runs } from '../../support/runs.js'
import { testSeed } from '../../support/seed.js'
import { define, expectView, openWorld, type World } from './world.js'

const RETENTION_US = 2 * DAY_US
const KEEP_US = 7 * DAY_US
const DAYS = 20
const TEXT = `select timestamp_trunc(timestamp, hour) as hour, metadata.k as k, count(*) as n, sum(metadata.v) as s
  from edge_logs group by hour, k`

async function append(random: Random, { clock, append: add, records }: World): Promise<void> {
  const lateUs = () => oneOf(random, [0, HOUR_US, below(random, 40) * HOUR_US, -HOUR_US])
  await add(
    Array.from({ length: 1 + below(random, 6) }, (_, i) =>
      edge({
        id: `${records.length + i}`,
        timestampUs: clock.nowUs() - lateUs(),
        project: oneOf(random, ['a', 'b', null]),
        metadata: { k: oneOf(random, ['x', '__proto__', null]), v: below(random, 9) },
      }),
    ),
  )
}

/** Hours pass, of which the service runs at most 20 minutes. */
async function pass(random: Random, { clock, work }: World): Promise<void> {
  clock.setNowUs(clock.nowUs() + (1 + below(random, 12)) * HOUR_US)
  for (let i = below(random, 3); i > 0; i--) {
    clock.advance(10 * 60_000)
    await work.finish()
  }
}

const storedRows = ({ engine }: World) => engine.stats().reduce((sum, { rows }) => sum + rows, 0)
const daysOf = ({ files }: World) =>
  new Set(files.paths().flatMap((path) => /^views\/.{64}\/(.{10})-/.exec(path)?.[1] ?? []))

describe('a view of 7 days over rows of 2 days', () => {
  const seed = testSeed()
  const services = runs(20)

  it(`has the rows of 7 days (seed ${seed})`, { timeout: 60_000 + 30_000 * services }, async () => {
    for (let i = 0; i < services; i++) {
      const random = mulberry32(seed + i)
      const world = await openWorld({ retentionUs: RETENTION_US }, { dayFiles: oneOf(random, [1, 4]) })
      world.setViews({ v: TEXT }, KEEP_US)
      const endUs = world.clock.nowUs() + DAYS * DAY_US
      while (world.clock.nowUs() < endUs) {
        await append(random, world)
        if (below(random, 3) === 0) await world.engine.seal()
        await pass(random, world)
        if (below(random, 6) === 0) await world.restart(oneOf(random, ['close', 'kill'] as const))
        if (below(random, 2) === 0) continue
        await expectView(world, define(TEXT, 'v', KEEP_US), world.records, oneOf(random, [undefined, 'a']))
      }
      for (let minutes = 0; minutes < 180; minutes += 10) {
        world.clock.advance(10 * 60_000)
        await world.work.finish()
      }
      expect(storedRows(world), `seed ${seed + i}`).toBeLessThan(world.records.length / 4)
      // The groups of later days are deleted too.
      expect(daysOf(world).size, `seed ${seed + i}`).toBeLessThan(14)
      await expectView(world, define(TEXT, 'v', KEEP_US), world.records)
      expect(world.logged.map(({ code }) => code)).not.toContain('view_rows_lost')
      await world.close()
    }
  })
})
