import { expect, it } from 'vitest'
import { createMetrics } from '../../../../src/base/metrics.js'
import { createSerialQueue } from '../../../../src/base/scheduling/serial-queue.js'
import { MIB } from '../../../../src/base/units.js'
import type { SourceName } from '../../../../src/common/sources.js'
import { conditionOf } from '../../../../src/endpoints/explore-params.js'
import { readFilter } from '../../../../src/endpoints/filter.js'
import { range } from '../../../../src/engine/execute/columns/selection.js'
import { cacheMetrics } from '../../../../src/engine/execute/fields/cache-metrics.js'
import { createFieldCache } from '../../../../src/engine/execute/fields/field-cache.js'
import { decodeBatch } from '../../../../src/engine/execute/open-batch/append-batch.js'
import { createOpenBatch, type OpenBatch } from '../../../../src/engine/execute/open-batch/open-batch.js'
import { createRowFilter } from '../../../../src/engine/store/follow/follow-filtered.js'
import { equals, matches, scan } from '../../../../src/plan/builder.js'
import { allRowsOf, randomAsked, randomRecord } from '../../../endpoints/random-filters.js'
import { settle } from '../../../http/support.js'
import { type Asked, matching } from '../../../oracle/explore.js'
import { toBatch } from '../../../support/batch.js'
import { createFakeClock } from '../../../support/clock.js'
import { appendAll, openEngine, readAll } from '../../../support/engine.js'
import { createGate } from '../../../support/gate.js'
import { below, mulberry32 } from '../../../support/random.js'
import { edge, type TestRecord } from '../../../support/records.js'
import { testSeed } from '../../../support/seed.js'

const COLUMNS = ['id', 'timestamp', 'event_message', 'metadata'] as const
const ALL_TIME = { fromUs: Number.NEGATIVE_INFINITY, throughUs: Number.POSITIVE_INFINITY }
const FOLLOWERS = 12
const SEAL_ROWS = 40
/** Most rows that are appended while a plan runs. */
const MOST_WHILE_RUNNING = 5

const whereOf = ({ filter, search }: Asked) =>
  conditionOf({ filter: readFilter(JSON.stringify(filter)), search: search || undefined }) ?? matches('id', '')

const TITLE =
  'delivers the rows that pass by obvious code, once, in order of arrival, ' +
  'and runs plans over exactly these and older ones'
it(TITLE, async () => {
  const seed = testSeed()
  console.log(`filtered seed ${seed}`)
  const random = mulberry32(seed)
  const engine = openEngine({ sealRows: SEAL_ROWS })
  const records: TestRecord[] = []
  let appendedSinceSettled = 0
  const append = async (count: number) => {
    appendedSinceSettled += count
    const more = Array.from({ length: count }, (_, i) => randomRecord(random, records.length + i))
    records.push(...more)
    await appendAll(engine, more, 1 + below(random, 20))
  }
  await append(30)
  const followers = await Promise.all(
    Array.from({ length: FOLLOWERS }, async (_, i) => {
      const asked = {
        ...(i === 0 ? allRowsOf('edge_logs') : randomAsked(random)),
        startUs: 0,
        endUs: Number.POSITIVE_INFINITY,
      }
      const where = whereOf(asked)
      const ids: unknown[] = []
      const gaps: unknown[] = []
      const source = asked.source as SourceName
      const listener = (rows: Iterable<{ id?: unknown }>, hasGap: boolean) => {
        if (hasGap) gaps.push(ids.length)
        for (const { id } of rows) ids.push(id)
      }
      const following = await engine.follow({ source, project: 'a', columns: COLUMNS, where }, listener)
      const plan = scan(source, ALL_TIME)
        .filter(equals('project', 'a'), where)
        .select(...COLUMNS)
        .orderBy('timestamp', 'desc')
        .limit(1_000)
      return { asked, ids, gaps, run: () => following.run(plan), old: matching(records, asked).length }
    }),
  )

  /** Waits for the filters, which skip the rows of a third head. */
  async function settleFilters() {
    await Promise.all(followers.map(async ({ run }) => readAll((await run()).rows)))
    appendedSinceSettled = 0
  }

  async function check({ asked, ids, gaps, run, old }: (typeof followers)[number]): Promise<number> {
    const wanted = matching(records, asked).map(({ id }) => id)
    const running = run()
    if (random() < 0.5) await append(1 + below(random, MOST_WHILE_RUNNING))
    const { rows, delivered } = await running
    const answer = (await readAll(rows)).map(({ id }) => id)
    const place = `seed ${seed}, ${JSON.stringify(asked)}`
    expect([answer.sort(), delivered], place).toEqual([[...wanted].sort(), wanted.length - old])
    expect([ids.slice(0, delivered), gaps], place).toEqual([wanted.slice(old), []])
    return delivered
  }

  let delivered = 0
  for (let step = 0; step < 40; step++) {
    const rows = 1 + below(random, 30)
    if (appendedSinceSettled + rows + MOST_WHILE_RUNNING > SEAL_ROWS) await settleFilters()
    await append(rows)
    if (random() < 0.2) {
      await settleFilters()
      await engine.seal()
    }
    if (random() < 0.5) await settle()
    delivered += await check(followers[below(random, FOLLOWERS)]!)
  }
  for (const follower of followers) delivered += await check(follower)
  // The first follower gets all rows of a source.
  expect(delivered).toBeGreaterThan(20)
  await engine.close()
})

it('tells of nothing once it is stopped, also of rows that wait', async () => {
  const engine = openEngine()
  const ids: unknown[] = []
  const where = equals('event_message', 'x')
  const query = { source: 'edge_logs', project: 'a', columns: COLUMNS, where } as const
  const following = await engine.follow(query, (rows) => {
    for (const { id } of rows) ids.push(id)
  })
  await appendAll(engine, [edge({ id: '1', event_message: 'x' }), edge({ id: '2' })])
  await settle()
  const appending = appendAll(engine, [edge({ id: '3', event_message: 'x' })])
  following.stop()
  await appending
  await settle()
  expect(ids).toEqual(['1'])
})

/** A filter that waits for a turn until `begin` is called. `holds` returns how often the filter holds each head. */
function waitingFilter() {
  const gate = createGate()
  const queue = createSerialQueue()
  void queue.run(() => gate.opened)
  const held = new Map<OpenBatch, number>()
  const count = (head: OpenBatch, by: number) => held.set(head, (held.get(head) ?? 0) + by)
  const delivered: [rows: number[], hasGap: boolean][] = []
  const filter = createRowFilter(
    {
      where: equals('event_message', 'x'),
      select: (_, from, to) => range(from, to, false),
      deliver: (head, rows, hasGap) => void delivered.push([rows.map((row) => head.timestampsUs[row]!), hasGap]),
    },
    {
      queue,
      fieldCache: createFieldCache(MIB, cacheMetrics(createMetrics(), 'fields'), createFakeClock()),
      hold(head) {
        count(head, 1)
        return () => void count(head, -1)
      },
    },
  )
  let times = 0
  /** Appends rows to a head. Rows with the message `x` pass. The times count from 1. */
  const append = (head: OpenBatch, messages: string) => {
    const firstRow = head.rows
    const rows = [...messages].map((event_message) => edge({ event_message, timestampUs: ++times }))
    decodeBatch(toBatch('edge_logs', rows))(head)
    filter.add(head, firstRow)
  }
  return { filter, append, begin: gate.open, delivered, holds: () => [...held.values()] }
}

const newHead = () => createOpenBatch('edge_logs')

it('filters what waits in one head or two together, and holds no head afterwards', async () => {
  const { filter, append, begin, delivered, holds } = waitingFilter()
  const [first, second] = [newHead(), newHead()]
  append(first, 'xo')
  append(first, 'ox')
  append(second, 'x')
  expect(holds()).toEqual([1, 1])
  begin()
  await filter.settled()
  expect(delivered).toEqual([
    [[1, 4], false],
    [[5], false],
  ])
  append(second, 'o')
  append(second, 'x')
  await filter.settled()
  expect(delivered.slice(2)).toEqual([[[7], false]])
  await settle()
  expect(holds()).toEqual([0, 0])
})

it('skips the rows of older heads if it falls behind, and says so with the next that passes', async () => {
  const { filter, append, begin, delivered, holds } = waitingFilter()
  const heads = [newHead(), newHead(), newHead(), newHead()]
  for (const head of heads) append(head, 'x')
  expect(holds()).toEqual([0, 0, 1, 1])
  begin()
  await filter.settled()
  append(heads[3]!, 'o')
  append(heads[3]!, 'x')
  await filter.settled()
  await settle()
  expect(delivered).toEqual([
    [[3], true],
    [[4], false],
    [[6], false],
  ])
  expect(holds()).toEqual([0, 0, 0, 0])
})

it('is settled when the rows before are delivered, not those after, and when it is stopped', async () => {
  const { filter, append, begin, delivered, holds } = waitingFilter()
  const head = newHead()
  append(head, 'x')
  let before: number | undefined
  const settled = filter.settled().then(() => {
    before = delivered.length
  })
  append(head, 'x')
  begin()
  await settled
  expect(before).toBe(1)
  append(head, 'xx')
  const last = filter.settled()
  filter.stop()
  await last
  await settle()
  expect([delivered.flatMap(([times]) => times).length < 4, holds()]).toEqual([true, [0]])
})

it('goes on behind rows in which a condition fails, and says that these are missing', async () => {
  const engine = openEngine()
  const got: [ids: unknown[], hasGap: boolean][] = []
  // The builder of filters makes no such condition.
  const where = { kind: 'call', fn: 'cast_int64', args: [{ kind: 'column', name: 'event_message' }] } as const
  const isOne = { kind: 'call', fn: 'eq', args: [where, { kind: 'literal', value: 1 }] } as const
  const following = await engine.follow(
    { source: 'edge_logs', project: 'a', columns: COLUMNS, where: isOne },
    (rows, hasGap) => got.push([[...rows].map(({ id }) => id), hasGap]),
  )
  const append = async (id: string, event_message: string) => {
    await appendAll(engine, [edge({ id, event_message })])
    await settle()
  }
  await append('1', '1')
  await append('no', 'no number')
  await append('2', '1')
  await append('3', '1')
  expect(got).toEqual([
    [['1'], false],
    [['2'], true],
    [['3'], false],
  ])
  following.stop()
  await engine.close()
})
