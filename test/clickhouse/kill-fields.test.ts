import { expect, it } from 'vitest'
import { count, scan } from '../../src/plan/builder.js'
import { call, field, literal } from '../../src/plan/expression.js'
import type { Plan } from '../../src/plan/plan.js'
import { appendAll, readAll } from '../support/engine.js'
import { edge } from '../support/records.js'
import { findServer, startCluster, WHY_NO_SERVER } from './cluster.js'
import { describeWhere } from './needs.js'
import { makeTarget } from './targets.js'

const ROWS = 20_000
const PROJECTS = 20
const METHODS = ['GET', 'POST', 'PUT']
/** The number of queries, and the queries at which a shard is killed and started again. */
const [QUERIES, KILLED_AT, STARTED_AT] = [60, 15, 40]

const rows = scan('edge_logs', { fromUs: 0, throughUs: ROWS })
const method = field('request.method')
/** Groups that the server computes, rows that the process groups, and the newest rows. */
const PLANS: readonly Plan[] = [
  rows.group({ method }).aggregate({ n: count() }).orderBy('method').limit(10),
  rows
    .group({ method: call('concat', method, literal('')) })
    .aggregate({ n: count() })
    .orderBy('method')
    .limit(10),
  rows
    .filter(call('eq', method, literal('PUT')))
    .select('id')
    .orderBy('timestamp', 'desc')
    .limit(500),
]

describeWhere(findServer(), 'clickhouse-server', WHY_NO_SERVER, 'a shard that is killed during field queries', () => {
  it.each([0, 1])('makes them fail with a code; no answer lacks its rows (shard %i)', async (shard) => {
    const cluster = await startCluster()
    const target = await makeTarget(cluster.urls, { database: 'logweir', cluster: cluster.name }, cluster.stop)
    const engine = await target.open({ partRows: { hot: 1_000 }, log: () => {} })
    try {
      const records = Array.from({ length: ROWS }, (_, i) =>
        edge({
          id: `${i}`,
          project: `p${i % PROJECTS}`,
          timestampUs: i,
          metadata: { request: { method: METHODS[i % METHODS.length] } },
        }),
      )
      await appendAll(engine, records)
      await engine.settled()
      const expected: unknown[] = []
      for (const plan of PLANS) expected.push(await readAll(await engine.run(plan)))
      expect(expected[0]).toEqual(expected[1])
      expect(expected[0]).toMatchObject([{ n: 6667 }, { n: 6667 }, { n: 6666 }])
      const outcomes = PLANS.map(() => ({ whole: 0, refused: 0 }))
      for (let query = 0; query < QUERIES; query++) {
        const running = PLANS.map(async (plan, i) => {
          try {
            expect(await readAll(await engine.run(plan))).toEqual(expected[i])
            outcomes[i]!.whole++
          } catch (error) {
            expect(error).toMatchObject({ code: 'engine_unavailable' })
            outcomes[i]!.refused++
          }
        })
        if (query === KILLED_AT) await cluster.kill(shard)
        if (query === STARTED_AT) await cluster.start(shard)
        await Promise.all(running)
      }
      for (const { whole, refused } of outcomes) {
        expect(whole).toBeGreaterThan(0)
        expect(refused).toBeGreaterThan(0)
      }
    } finally {
      await engine.close()
      await target.stop()
    }
  })
})
