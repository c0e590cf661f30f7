import { expect, it } from 'vitest'
import { budgetLimits, createMemoryBudget } from '../../src/base/memory/memory-budget.js'
import { createMetrics } from '../../src/base/metrics.js'
import { GIB } from '../../src/base/units.js'
import type { RunOptions } from '../../src/engine/engine.js'
import type { Row } from '../../src/plan/answer.js'
import { createRuleQueries } from '../../src/service/rule-queries.js'
import { createFakeClock } from '../support/clock.js'

const QUERY_MS = 30_000

/** Queries of an engine with the rows of `rows`, and the used memory and the running queries. */
function open(rows: (options: RunOptions) => AsyncIterable<Row>) {
  const clock = createFakeClock()
  const metrics = createMetrics()
  const memory = createMemoryBudget(budgetLimits(GIB), clock)
  const engine = {
    async run(_: unknown, options: RunOptions = {}) {
      options.memory!.add(1_000)
      return rows(options)
    },
  }
  const queries = createRuleQueries({ engine, memory, clock, metrics, queryMs: QUERY_MS })
  const state = () => [memory.usedBytes(), metrics.queriesRunning.count]
  return { clock, queries, state }
}

async function readAll(rows: AsyncIterable<Row>): Promise<Row[]> {
  const all: Row[] = []
  for await (const row of rows) all.push(row)
  return all
}

/** Rows that never end, and notice nothing of a limit. */
async function* endless(): AsyncIterable<Row> {
  for (let n = 0; ; n++) {
    await new Promise((resolve) => setImmediate(resolve))
    yield { n }
  }
}

it('a query of a rule holds memory until its last row is read', async () => {
  const seen: number[][] = []
  const { queries, state } = open(async function* () {
    seen.push(state())
    yield { n: 1 }
  })
  expect(await readAll(await queries.ask([]))).toEqual([{ n: 1 }])
  expect([seen, state()]).toEqual([[[1_000, 1]], [0, 0]])
})

it('a query that is left early, or fails, holds nothing', async () => {
  const { queries, state } = open(endless)
  for await (const _ of await queries.ask([])) break
  expect(state()).toEqual([0, 0])
  const failing = open(async function* () {
    yield* []
    throw new Error('full')
  })
  await expect(readAll(await failing.queries.ask([]))).rejects.toThrow('full')
  expect(failing.state()).toEqual([0, 0])
})

it('a query that takes too long is cut, and so are running ones at a stop', async () => {
  const { clock, queries, state } = open(endless)
  const late = readAll(await queries.ask([]))
  late.catch(() => {})
  clock.advance(QUERY_MS)
  await expect(late).rejects.toThrow('The query ran longer than 30 s')
  const running = readAll(await queries.ask([]))
  queries.cut()
  await expect(running).rejects.toThrow('The service stops')
  expect(state()).toEqual([0, 0])
})
