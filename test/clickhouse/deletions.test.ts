import { expect, it } from 'vitest'
import { UNLIMITED_SHARE } from '../../src/base/memory/memory-budget.js'
import { DAY_US } from '../../src/base/units.js'
import type { ClickHouseEngine } from '../../src/engine/clickhouse/engine.js'
import type { Server } from '../../src/engine/clickhouse/server/clickhouse-server.js'
import type { Deletion } from '../../src/engine/deletion.js'
import { scan } from '../../src/plan/builder.js'
import { call, column, type Expression, literal } from '../../src/plan/expression.js'
import { usageOracle } from '../oracle/usage.js'
import { appendAll, readAll } from '../support/engine.js'
import { below, mulberry32, oneOf, type Random } from '../support/random.js'
import type { TestRecord } from '../support/records.js'
import { runs } from '../support/runs.js'
import { testSeed } from '../support/seed.js'
import { onEachTarget } from './on-targets.js'
import type { Target } from './targets.js'

const NOW_US = Date.UTC(2026, 10, 20, 10) * 1_000
const SOURCES = ['edge_logs', 'auth_logs'] as const
const PROJECTS = ['a', 'b', "it's", null]
const DELETIONS = runs(40)

/** A record, of which every fifth has the method in the metadata alone: the column cannot hold a number. */
function randomRecord(random: Random, i: number): TestRecord {
  const method = oneOf(random, ['GET', 'POST', 7, null])
  return {
    source: oneOf(random, SOURCES),
    id: `${i}`,
    timestampUs: NOW_US - below(random, 3 * DAY_US),
    project: oneOf(random, PROJECTS),
    event_message: `unique-${i} ${oneOf(random, ['secret', 'harmless', 'SECRET', '100%'])}`,
    metadata: JSON.stringify({ request: { method }, user: { name: oneOf(random, ['ann', 'bob']) } }),
  }
}

const field = (...keys: string[]) => call('field', column('metadata'), ...keys.map(literal))

const methodOf = ({ metadata }: TestRecord): unknown => JSON.parse(metadata).request.method

interface Condition {
  where: Expression | undefined
  isMeant(record: TestRecord): boolean
  /** Whether the server decides on it in every row, so that rows are hidden at once. */
  isWhole: boolean
}

const hasSecret = call('like', column('event_message'), literal('%secret%'))
const isGet = call('eq', field('request', 'method'), literal('GET'))
const isBob = call('eq', field('user', 'name'), literal('bob'))
const CONDITIONS: readonly Condition[] = [
  { where: undefined, isMeant: () => true, isWhole: true },
  { where: hasSecret, isMeant: ({ event_message }) => event_message.includes('secret'), isWhole: true },
  {
    where: call('like', column('event_message'), literal('%100\\%')),
    isMeant: ({ event_message }) => event_message.endsWith('100%'),
    isWhole: true,
  },
  // In some rows the method is in the metadata alone.
  { where: isGet, isMeant: (one) => methodOf(one) === 'GET', isWhole: false },
  { where: call('ne', field('request', 'method'), literal('GET')), isMeant: isOther, isWhole: false },
  { where: isBob, isMeant: ({ metadata }) => metadata.includes('bob'), isWhole: false },
  {
    where: call('and', hasSecret, call('or', isGet, isBob)),
    isMeant: (one) => one.event_message.includes('secret') && (methodOf(one) === 'GET' || one.metadata.includes('bob')),
    isWhole: false,
  },
]

function isOther(one: TestRecord): boolean {
  const method = methodOf(one)
  return method !== null && method !== 'GET'
}

function randomDeletion(random: Random, id: string, heads: ReadonlyMap<string, number>) {
  const { where, isMeant, isWhole } = oneOf(random, CONDITIONS)
  const project = oneOf(random, ['a', 'b', "it's", 'nobody'])
  const hasRange = random() < 0.5
  const fromUs = hasRange ? NOW_US - below(random, 3 * DAY_US) : Number.NEGATIVE_INFINITY
  const throughUs = hasRange ? fromUs + below(random, DAY_US) : Number.POSITIVE_INFINITY
  const wanted = random() < 0.5 ? SOURCES : [oneOf(random, SOURCES)]
  const sources = new Map(wanted.map((source) => [source as string, { lastHead: heads.get(source)!, where }]))
  const deletion: Deletion = { id, project, fromUs, throughUs, sources }
  const isDeleted = (one: TestRecord) =>
    one.project === project &&
    sources.has(one.source) &&
    one.timestampUs >= fromUs &&
    one.timestampUs <= throughUs &&
    isMeant(one)
  return { deletion, isDeleted, isWhole }
}

const idsOf = (records: readonly { id?: unknown }[]) => records.map(({ id }) => Number(id)).sort((a, b) => a - b)

async function storedIds(engine: ClickHouseEngine): Promise<number[]> {
  const found = await Promise.all(
    SOURCES.map(async (source) => {
      const plan = scan(source, { fromUs: -Infinity, throughUs: Infinity }).select('id', 'timestamp')
      return readAll(await engine.run(plan.orderBy('timestamp', 'desc').limit(10_000)))
    }),
  )
  return idsOf(found.flat())
}

/**
 * Opens an engine over the servers of a target. The servers of the cluster remove replaced parts soon, by their
 * configuration. chDB never does: it lacks the thread that does so.
 */
function open({ open, servers, location }: Target): Promise<ClickHouseEngine> {
  const withoutOldParts = (server: Server): Server => ({
    ...server,
    select: async (sql, options) => (sql.includes('active = 0') ? [] : server.select(sql, options)),
  })
  const shards = location.cluster === undefined ? servers.map(withoutOldParts) : servers
  return open({ connectShards: async () => ({ servers: shards, close: async () => {} }) })
}

onEachTarget('deletions on %s', (target) => {
  const { signal } = new AbortController()

  it('hide and erase the rows of an oracle, and no others', { timeout: 120_000 }, async () => {
    const seed = testSeed()
    console.log(`deletions seed ${seed}`)
    const random = mulberry32(seed)
    const engine = await open(target())
    let records: TestRecord[] = []
    let made = 0
    const append = async (count: number) => {
      const more = Array.from({ length: count }, () => randomRecord(random, made++))
      await appendAll(engine, more, 1 + below(random, 20))
      await engine.settled()
      records.push(...more)
    }
    await append(200)
    for (let i = 0; i < DELETIONS; i++) {
      const heads = await engine.deleting!.closeHeads(SOURCES, 'a')
      const { deletion, isDeleted, isWhole } = randomDeletion(random, `${i}`, heads)
      const before = records
      const isOfDeletion = records.filter(isDeleted)
      engine.deleting!.hide(deletion)
      records = records.filter((one) => !isDeleted(one))
      const seen = await storedIds(engine)
      // Rows of later arrival stay, even if the condition is true for them.
      await append(10)
      const erased = await engine.deleting!.erase(deletion, signal)
      if (isWhole) expect([i, seen]).toEqual([i, idsOf(before.filter((one) => !isDeleted(one)))])
      expect([i, erased.rows]).toEqual([i, isOfDeletion.length])
      expect([i, await storedIds(engine)]).toEqual([i, idsOf(records)])
    }
    const usage = await engine.usage({ fromDay: -Infinity, throughDay: Infinity }, { signal, memory: UNLIMITED_SHARE })
    const counted = usage.map(({ project = null, source, day, rows }) => {
      return { project, source, day: new Date((day * DAY_US) / 1_000).toISOString().slice(0, 10), rows }
    })
    expect(counted).toEqual(usageOracle(records))
    await engine.close()
  })
})
