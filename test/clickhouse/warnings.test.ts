import { expect, it } from 'vitest'
import { createNameChecks } from '../../src/endpoints/unknown-names.js'
import { ofProject } from '../../src/plan/of-project.js'
import { readSql } from '../../src/sql/read-sql.js'
import { appendAll } from '../support/engine.js'
import { edge } from '../support/records.js'
import { onEachTarget } from './on-targets.js'

const RECORDS = [
  edge({ id: '1', metadata: { user_id: 'u', request: { path: '/a' } } }),
  edge({ id: '2', project: 'b', metadata: { usr_id: 'foreign', scret: 1 } }),
]

const absent = (name: string, meant = '') =>
  `No row of edge_logs in the range has the field ${name}.${meant && ` Did you mean ${meant}?`}`

onEachTarget('warnings about names on %s', (target) => {
  it('are those of the embedded engine', async () => {
    // The server of the shards is too old for fields without a column, and refuses the query itself.
    const isRefused = target().location.cluster !== undefined
    const expected = (...warnings: string[]) => (isRefused ? [] : warnings)
    const engine = await target().open()
    try {
      await appendAll(engine, RECORDS)
      await engine.settled()
      const warningsOf = (sql: string) => {
        const plan = ofProject(readSql(sql).plan({}, 0), 'a')
        const signal = new AbortController().signal
        return createNameChecks().warnings({ plan, project: 'a', ranMs: 60_000, signal, run: (one) => engine.run(one) })
      }
      expect(await warningsOf('select usr_id from edge_logs')).toEqual(expected(absent('usr_id', 'user_id')))
      expect(await warningsOf("select id from edge_logs where secret = '1'")).toEqual(expected(absent('secret')))
      expect(await warningsOf('select user_id, path from edge_logs, unnest(request) as r')).toEqual([])
      expect(await warningsOf("select upper(user_id) as p from edge_logs where p = 'U'")).toEqual(
        expected(
          `${absent('p').slice(0, -1)}, and WHERE does not see output columns. ` +
            'Filter a derived table: SELECT * FROM (SELECT …) WHERE p …',
        ),
      )
    } finally {
      await engine.close()
      await target().clear()
    }
  })
})
