import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock } from '../../src/base/time/clock.js'
import { hotColumns } from '../../src/common/columns.js'
import { SOURCE_NAMES } from '../../src/common/sources.js'
import type { ClickHouseEngine } from '../../src/engine/clickhouse/engine.js'
import { columnNameOf, shardTableName, type TableLocation } from '../../src/engine/clickhouse/schema/table-names.js'
import type { Server } from '../../src/engine/clickhouse/server/clickhouse-server.js'
import { run } from '../program/support/program.js'
import { appendAll } from '../support/engine.js'
import { oddMetadata } from '../support/odd-values.js'
import { edge, type TestRecord } from '../support/records.js'
import { findChdb, startChdb, WHY_NO_CHDB } from './chdb.js'
import { findServer, startCluster, USER, WHY_NO_SERVER } from './cluster.js'
import { describeWhere } from './needs.js'
import { expectedColumns, storedColumns } from './stored-fields.js'
import { makeTarget, type Target } from './targets.js'

/** The statements that the commit 4ef8db6 printed, before there were columns of declared fields. */
const statementsOf = (name: string) =>
  readFileSync(new URL(`../fixtures/clickhouse-4ef8db6/${name}.sql`, import.meta.url), 'utf8')
    .split(';\n')
    .slice(0, -1)

const ALL = 2 ** 32 - 1
const SOURCES = ['edge_logs', 'function_edge_logs', 'auth_logs', 'postgrest_logs'] as const

interface Kind {
  name: string
  found: unknown
  needed: string
  why: string
  statements: string
  start(): Promise<{ urls: string[]; location: TableLocation; stop(): Promise<void> }>
}

const KINDS: readonly Kind[] = [
  {
    name: 'two shards of ClickHouse',
    found: findServer(),
    needed: 'clickhouse-server',
    why: WHY_NO_SERVER,
    statements: 'cluster-of-2018',
    async start() {
      const { urls, name, stop } = await startCluster('own')
      return { urls, location: { database: 'logweir', cluster: name }, stop }
    },
  },
  {
    name: 'chdb',
    found: findChdb(),
    needed: 'chdb',
    why: WHY_NO_CHDB,
    statements: 'modern-server',
    async start() {
      const { url, stop } = await startChdb()
      return { urls: [url], location: { database: 'logweir' }, stop }
    },
  },
]

/** Wraps a server. An engine over the wrapped server sends the blocks of engines without columns of fields. */
function withoutFields(server: Server): Server {
  const later = new Set(SOURCE_NAMES.flatMap((source) => hotColumns(source).filter(({ isFieldOnly }) => isFieldOnly)))
  const names = new Set(['in_metadata', ...[...later].map(columnNameOf)])
  return {
    ...server,
    close: async () => {},
    async select(sql, options) {
      const rows = await server.select(sql, options)
      return sql.includes('FROM system.columns') ? rows.filter(([name]) => !names.has(String(name))) : rows
    },
  }
}

for (const { name, found, needed, why, statements, start } of KINDS) {
  describeWhere(found, needed, why, `tables of an earlier version on ${name}`, () => {
    let target: Target
    beforeAll(async () => {
      const { urls, location, stop } = await start()
      target = await makeTarget(urls, location, stop, async (server) => {
        for (const statement of statementsOf(statements)) await server.command(statement)
      })
    })
    afterAll(() => target?.stop())

    const apply = async () => {
      const { cluster } = target.location
      const flags = cluster === undefined ? [] : ['--clickhouse-cluster', cluster]
      const { code, stdout, stderr } = await run(
        ['schema', 'clickhouse', '--apply', '--clickhouse-url', target.url, ...flags],
        cluster === undefined
          ? {}
          : { environment: { LOGWEIR_CLICKHOUSE_USER: USER.name, LOGWEIR_CLICKHOUSE_PASSWORD: USER.password } },
      )
      return { code, stderr, lines: stdout.toString().split('\n').slice(0, -1) }
    }

    /** Appends records of all sources, a few at a time, until `isEnough`. Returns the records. */
    async function feed(engine: ClickHouseEngine, prefix: string, isEnough: () => boolean): Promise<TestRecord[]> {
      const sent: TestRecord[] = []
      for (let round = 0; !isEnough(); round++) {
        for (const source of SOURCES) {
          const odd = oddMetadata(source)
          const records = Array.from({ length: 7 }, (_, i): TestRecord => {
            const [id, project] = [`${prefix}${sent.length + i}`, `p${(round + i) % 5}`]
            return { ...edge({ id, project, metadata: odd[(7 * round + i) % odd.length]! }), source }
          })
          await appendAll(engine, records, 3)
          sent.push(...records)
        }
        await wait(20)
      }
      await engine.settled()
      return sent
    }

    it('get the columns while rows are sent in both forms, and none of them is lost, doubled or wrong', async () => {
      const log: string[] = []
      const engines = await Promise.all([
        target.open({ clock: systemClock, log: (line) => log.push(line) }),
        target.open({ clock: systemClock, server: withoutFields(target.servers[0]!), log: (line) => log.push(line) }),
      ])
      let isEnough = false
      const feeding = Promise.all(engines.map((engine, i) => feed(engine, `${i}-`, () => isEnough)))
      await wait(1_000)
      const applied = await apply()
      // The engine looks again after three seconds.
      await wait(5_000)
      isEnough = true
      const [now, old] = await feeding
      await Promise.all(engines.map((engine) => engine.close()))
      expect(log.map((line) => line.slice(0, 45))).toEqual(
        engines.map(() => 'tables of ClickHouse are of an earlier version'.slice(0, 45)),
      )
      expect({ code: applied.code, stderr: applied.stderr }).toEqual({ code: 0, stderr: '' })
      expectAdded(applied.lines)
      for (const source of SOURCES) {
        const byId = await storedColumns(target, source)
        const sent = [now!, old!].map((records) => records.filter((record) => record.source === source))
        expect([...byId.keys()].sort()).toEqual(
          sent
            .flat()
            .map(({ id }) => id)
            .sort(),
        )
        const isWhole = ({ id }: TestRecord) => byId.get(id)!.in_metadata !== ALL
        if (hotColumns(source).length === 0) continue
        for (const record of sent.flat()) expect(byId.get(record.id)).toEqual(expectedColumns(record, isWhole(record)))
        expect(sent[1]!.filter(isWhole)).toEqual([])
        // From the first row with values on, all rows have values.
        const from = sent[0]!.findIndex(isWhole)
        expect(from).toBeGreaterThan(0)
        expect(sent[0]!.slice(from).every(isWhole)).toBe(true)
      }
      expect(await apply()).toEqual({ code: 0, stderr: '', lines: ['nothing was missing'] })
    }, 60_000)

    function expectAdded(lines: readonly string[]): void {
      const { database, cluster } = target.location
      const withFields = SOURCE_NAMES.filter((source) => hotColumns(source).length > 0)
      const urls = cluster === undefined ? [undefined] : target.urls
      const expected = urls.flatMap((url) =>
        withFields.flatMap((source) => {
          const fields = hotColumns(source)
            .filter(({ isFieldOnly }) => isFieldOnly)
            .map(columnNameOf)
          const tables = cluster === undefined ? [source] : [shardTableName(source), source]
          const at = url === undefined ? '' : ` at ${url}`
          return tables.map((table) => `added ${fields.join(', ')}, in_metadata to ${database}.${table}${at}`)
        }),
      )
      const [last, ...others] = [...lines].reverse()
      expect(others.sort()).toEqual(expected.sort())
      expect(last).toMatch(/^rows stored before 20\S+Z have no values in added columns: /)
    }
  })
}
