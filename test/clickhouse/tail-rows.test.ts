import { expect, it } from 'vitest'
import type { SourceName } from '../../src/common/sources.js'
import { conditionOf } from '../../src/endpoints/explore-params.js'
import { readFilter } from '../../src/endpoints/filter.js'
import { equals, matches, scan } from '../../src/plan/builder.js'
import type { Plan } from '../../src/plan/plan.js'
import { DAY_US, randomAsked, randomRecord } from '../endpoints/random-filters.js'
import { matching } from '../oracle/explore.js'
import { createFakeClock } from '../support/clock.js'
import { appendAll, readAll } from '../support/engine.js'
import { mulberry32 } from '../support/random.js'
import type { TestRecord } from '../support/records.js'
import { testSeed } from '../support/seed.js'
import { onEachTarget } from './on-targets.js'

const COLUMNS = ['id', 'timestamp', 'event_message', 'metadata'] as const
const FOLLOWERS = 8

/** The plan of the newest rows, with their ranks and at most `rows` rows. */
const ranked = (plan: Plan, rows: number): Plan =>
  plan.map((operator) => {
    if (operator.op === 'orderBy') return { ...operator, rank: 'rank' }
    return operator.op === 'limit' ? { ...operator, rows } : operator
  })

const placeOf = ({ id, timestamp, rank }: Readonly<Record<string, unknown>>) => [id, timestamp, rank]

onEachTarget('a filtered subscription on %s', (target) => {
  it('delivers the rows that pass by obvious code, each once, and runs plans over these and older ones', async () => {
    const seed = testSeed()
    console.log(`filtered seed ${seed}`)
    const random = mulberry32(seed)
    const clock = createFakeClock(DAY_US + 1_000)
    const engine = await target().open({ clock })
    const records: TestRecord[] = []
    const append = async (count: number) => {
      clock.advance(1)
      const more = Array.from({ length: count }, (_, i) => randomRecord(random, records.length + i))
      records.push(...more)
      await appendAll(engine, more)
      await engine.settled()
    }
    await append(60)
    const followers = await Promise.all(
      Array.from({ length: FOLLOWERS }, async () => {
        const asked = { ...randomAsked(random), startUs: 0, endUs: Number.POSITIVE_INFINITY }
        const { filter, search } = asked
        const where =
          conditionOf({ filter: readFilter(JSON.stringify(filter)), search: search || undefined }) ?? matches('id', '')
        const source = asked.source as SourceName
        const ids: string[] = []
        const following = await engine.follow({ source, project: 'a', columns: COLUMNS, where }, (rows, hasGap) => {
          expect(hasGap).toBe(false)
          for (const { id } of rows) ids.push(id as string)
        })
        const plan = scan(source, { fromUs: 0, throughUs: Number.POSITIVE_INFINITY })
          .filter(equals('project', 'a'), where)
          .select(...COLUMNS)
          .orderBy('timestamp', 'desc')
          .limit(1_000)
        return { asked, ids, following, plan, old: matching(records, asked).length }
      }),
    )
    for (let round = 0; round < 4; round++) {
      await append(30)
      if (round % 2 === 0) clock.advance(1_000)
      for (const { asked, ids, following, plan, old } of followers) {
        const wanted = matching(records, asked).map(({ id }) => id)
        const { rows, delivered, isCut } = await following.run(plan)
        const answer = (await readAll(rows)).map(({ id }) => id)
        const place = `seed ${seed}, ${JSON.stringify(asked)}`
        expect([answer.sort(), delivered, isCut], place).toEqual([[...wanted].sort(), wanted.length - old, false])
        expect([...ids].sort(), place).toEqual(wanted.slice(old).sort())
        const all = await readAll((await following.run(ranked(plan, 1_000))).rows)
        expect((await readAll((await following.run(ranked(plan, 5))).rows)).map(placeOf), place).toEqual(
          all.slice(0, 5).map(placeOf),
        )
        const first = new Map<unknown, number>()
        for (const { timestamp, rank } of all.toReversed()) {
          first.set(timestamp, (first.get(timestamp) ?? 0) + 1)
          expect(rank, place).toBe(first.get(timestamp))
        }
      }
    }
    for (const { following } of followers) following.stop()
    await engine.close()
    await target().clear()
  })
})
