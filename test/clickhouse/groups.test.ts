import { expect, it } from 'vitest'
import { shardTableName } from '../../src/engine/clickhouse/schema/table-names.js'
import { GROUPING_LIMITS } from '../../src/engine/engine.js'
import { count, mean, scan } from '../../src/plan/builder.js'
import type { Plan } from '../../src/plan/plan.js'
import { readAll } from '../support/engine.js'
import { onEachTarget } from './on-targets.js'

const ORDERS = ['count', 'mean', 'function_id'] as const

const byFunction = (order: (typeof ORDERS)[number]): Plan =>
  scan('function_edge_logs', { fromUs: 0, throughUs: 1 })
    .group('function_id')
    .aggregate({ count: count(), mean: mean('execution_time_ms') })
    .orderBy(order)
    .limit(1)

onEachTarget('many groups on %s', (target) => {
  it('are answered up to the limit, and refused beyond it, whatever they are ordered by', async () => {
    const engine = await target().open()
    const { servers, location } = target()
    const table = location.cluster === undefined ? 'function_edge_logs' : shardTableName('function_edge_logs')
    /** Writes functions with one call each, each on one shard. */
    const fill = (from: number, rows: number) =>
      Promise.all(
        servers.map((server, shard) =>
          server.command(
            `INSERT INTO ${location.database}.${table} (timestamp, project, function_id, execution_time_ms) ` +
              `SELECT toInt64(0), '', toString(1000000000 + number), toFloat64(1) FROM numbers(${from + rows}) ` +
              `WHERE number >= ${from} AND number % ${servers.length} = ${shard}`,
          ),
        ),
      )
    await fill(0, GROUPING_LIMITS.groups)
    const first = { function_id: '1000000000', count: 1, mean: 1 }
    for (const order of ORDERS) {
      expect(await readAll(await engine.run(byFunction(order)))).toEqual([first])
    }
    await fill(GROUPING_LIMITS.groups, 1)
    for (const order of ORDERS) {
      await expect(engine.run(byFunction(order))).rejects.toMatchObject({ code: 'too_many_groups' })
    }
    await engine.close()
  })
})
