import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { systemClock } from '../../src/base/time/clock.js'
import { quotedTable } from '../../src/engine/clickhouse/schema/table-names.js'
import { appendAll, ask } from '../support/engine.js'
import { edge } from '../support/records.js'
import { findServer, startCluster, WHY_NO_SERVER } from './cluster.js'
import { describeWhere } from './needs.js'
import { makeTarget } from './targets.js'

const BATCH_ROWS = 50
const BATCHES = 120
/** The batches between which a shard is down. */
const [KILLED_AT, STARTED_AT] = [40, 80]
const PROJECTS = 20
const START_US = Date.UTC(2026, 10, 20) * 1000

describeWhere(
  findServer(),
  'clickhouse-server',
  WHY_NO_SERVER,
  'a shard that is killed in the middle of a stream',
  () => {
    it.each([
      0, 1,
    ])('loses and doubles nothing, and queries meanwhile are refused, not wrong (shard %i)', async (shard) => {
      const cluster = await startCluster()
      const target = await makeTarget(cluster.urls, { database: 'logweir', cluster: cluster.name }, cluster.stop)
      const logged: string[] = []
      const engine = await target.open({
        clock: systemClock,
        limits: { ageMs: 50 },
        timing: { settleMs: 100, firstWaitMs: 50, longestWaitMs: 500 },
        log: (line) => logged.push(line),
      })
      const outcomes = { answered: 0, refused: 0 }
      /** Counts by a pattern that needs both shards: the sum is right, or the query fails. */
      async function count(rows: number) {
        try {
          const params = { project: 'https', interval: 'hourly' }
          const answer = await ask(engine, 'usage.api-counts', params, START_US + 1_800e6)
          const counted = answer.reduce((sum, row) => sum + Number(row.total_rest_requests), 0)
          expect(counted).toBeLessThanOrEqual(rows)
          outcomes.answered++
        } catch (error) {
          expect(error).toMatchObject({ code: 'engine_unavailable' })
          outcomes.refused++
        }
      }

      try {
        let rows = 0
        for (let batch = 0; batch < BATCHES; batch++) {
          if (batch === KILLED_AT) await cluster.kill(shard)
          if (batch === STARTED_AT) await cluster.start(shard)
          const records = Array.from({ length: BATCH_ROWS }, () =>
            edge({
              id: `${rows}`,
              project: `p${rows % PROJECTS}`,
              timestampUs: START_US + rows++,
              metadata: { request: { url: `https://p${rows}`, path: '/rest' } },
            }),
          )
          await appendAll(engine, records)
          if (batch % 10 === 5) await count(rows)
          if (batch > KILLED_AT && batch < STARTED_AT && batch % 10 === 6) {
            await expect(
              ask(engine, 'usage.api-counts', { project: 'x', interval: 'daily' }, START_US),
            ).rejects.toMatchObject({
              code: 'engine_unavailable',
            })
            expect(engine.writeFailure()).toBeDefined()
          }
          await wait(10)
        }
        await engine.settled()
        expect(engine.writeFailure()).toBeUndefined()
        const ids = await target.servers[0]!.select(`SELECT id FROM ${quotedTable(target.location, 'edge_logs')}`)
        expect(ids.map(([id]) => Number(id)).sort((a, b) => a - b)).toEqual(Array.from({ length: rows }, (_, i) => i))
        expect(outcomes.answered).toBeGreaterThan(0)
        expect(outcomes.refused).toBeGreaterThan(0)
        expect(logged.filter((line) => line.startsWith('rows cannot be sent')).length).toBeGreaterThan(0)
      } finally {
        await engine.close()
        await target.stop()
      }
    })
  },
)
