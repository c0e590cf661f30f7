import { describe, expect, it } from 'vitest'
import { COLD_COLUMNS, hotColumns } from '../../../../src/common/columns.js'
import { SOURCE_NAMES } from '../../../../src/common/sources.js'
import { dialectOf, printSchema, tables } from '../../../../src/engine/clickhouse/schema/ddl.js'
import { columnNameOf, tableColumns } from '../../../../src/engine/clickhouse/schema/table-names.js'
import { OWN_SOURCE } from '../../../support/own-source.js'

const OLD = { isModern: false }
const MODERN = { isModern: true }
const ONE = { database: 'logs' }
const CLUSTER = { database: 'logs', cluster: 'weir' }
/** An own source, and another with a name that is a word of ClickHouse's SQL. */
const OWN = [OWN_SOURCE, 'final']

const ddlOf = (name: string, location: { database: string; cluster?: string }, dialect: { isModern: boolean }) =>
  tables(location, dialect, OWN).find((table) => table.name === name)!.ddl

describe('the tables', () => {
  it('are one a source, or on a cluster two: what is asked stands behind what it stands on', () => {
    expect(tables(ONE, MODERN).map(({ name }) => name)).toEqual([...SOURCE_NAMES])
    expect(tables(CLUSTER, MODERN).map(({ name }) => name)).toEqual(
      SOURCE_NAMES.flatMap((source) => [`${source}_shard`, source]),
    )
  })

  it('of own sources stand behind those of the nine', () => {
    expect(tables(ONE, MODERN, OWN).map(({ name }) => name)).toEqual([...SOURCE_NAMES, ...OWN])
    expect(tables(CLUSTER, MODERN, OWN).map(({ name }) => name)).toEqual(
      [...SOURCE_NAMES, ...OWN].flatMap((source) => [`${source}_shard`, source]),
    )
  })

  it.each([
    ...SOURCE_NAMES,
    ...OWN,
  ])('have the columns of the batches of %s, and where each row came from', (source) => {
    const hot = hotColumns(source).map(columnNameOf)
    const bitSets = hot.length === 0 ? [] : ['in_metadata']
    const names = ['timestamp', 'project', ...hot, ...bitSets, ...COLD_COLUMNS, 'arrived', 'batch', 'row']
    expect(new Set(names).size).toBe(names.length)
    expect(tableColumns(source).map(({ name }) => name)).toEqual(names)
    for (const table of tables(CLUSTER, MODERN, OWN).filter(({ name }) => name.replace(/_shard$/, '') === source)) {
      expect(table.columns.map(({ name }) => name)).toEqual(names)
    }
  })

  it('are of the types that servers of 2018 know', () => {
    expect(ddlOf('function_edge_logs', ONE, OLD)).toBe(`CREATE TABLE IF NOT EXISTS \`logs\`.\`function_edge_logs\`
(
  timestamp Int64,
  project String,
  function_id String,
  execution_time_ms Nullable(Float64),
  status_code Nullable(Float64),
  request_method Nullable(String),
  in_metadata UInt32 DEFAULT 4294967295,
  id String,
  event_message String,
  metadata String,
  arrived Int64,
  batch UInt64,
  row UInt32
)
ENGINE = MergeTree
PARTITION BY intDiv(timestamp, toInt64(86400000000))
ORDER BY (project, timestamp)`)
  })

  it('are smaller and forget by themselves on newer ones', () => {
    expect(
      ddlOf('function_edge_logs_shard', CLUSTER, MODERN),
    ).toBe(`CREATE TABLE IF NOT EXISTS \`logs\`.\`function_edge_logs_shard\`
(
  timestamp Int64 CODEC(Delta, ZSTD(1)),
  project String,
  function_id LowCardinality(String),
  execution_time_ms Nullable(Float64),
  status_code Nullable(Float64),
  request_method LowCardinality(Nullable(String)),
  in_metadata UInt32 DEFAULT 4294967295,
  id String,
  event_message String CODEC(ZSTD(1)),
  metadata String CODEC(ZSTD(1)),
  arrived Int64 CODEC(Delta, ZSTD(1)),
  batch UInt64,
  row UInt32 CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY intDiv(timestamp, toInt64(86400000000))
ORDER BY (project, timestamp)
TTL toDateTime(intDiv(timestamp, 1000000)) + INTERVAL 90 DAY`)
  })

  it.each([OLD, MODERN])('over all shards hold nothing themselves: %j', (dialect) => {
    const ddl = ddlOf('edge_logs', CLUSTER, dialect)
    expect(ddl).toMatch(/\nENGINE = Distributed\(`weir`, `logs`, `edge_logs_shard`, sipHash64\(project\)\)$/)
    expect(ddl).toContain('\n  url Nullable(String),\n  path UInt8,\n')
    expect(ddl).toContain('\n  in_metadata UInt32 DEFAULT 4294967295,\n')
    expect(ddl).not.toMatch(/CODEC|TTL|LowCardinality|PARTITION/)
  })

  it('have their names quoted', () => {
    const printed = printSchema({ database: 'a`b', cluster: 'c\\d' }, MODERN)
    expect(printed).toContain('CREATE DATABASE IF NOT EXISTS `a\\`b`;')
    expect(printed).toContain('CREATE TABLE IF NOT EXISTS `a\\`b`.`edge_logs`\n')
    expect(ddlOf('final', ONE, OLD)).toContain('CREATE TABLE IF NOT EXISTS `logs`.`final`\n')
    expect(printed).toContain('Distributed(`c\\\\d`, `a\\`b`, `edge_logs_shard`,')
  })
})

describe('what is printed', () => {
  it.each([
    [ONE, 12],
    [CLUSTER, 23],
  ])('for %j is %d statements, each ended, the database first', (location, count) => {
    const statements = printSchema(location, OLD, OWN).split(';\n')
    expect(statements.pop()).toBe('')
    expect(statements.length).toBe(count)
    expect(statements[0]).toBe('CREATE DATABASE IF NOT EXISTS `logs`')
    for (const statement of statements.slice(1)) {
      expect(statement.trimStart()).toMatch(/^CREATE TABLE IF NOT EXISTS `logs`\.`\w+`\n\(/)
    }
  })
})

describe('the dialect of a version', () => {
  it.each([
    ['18.16.1', false],
    ['19.17.1', false],
    ['20.1.2.4', true],
    ['21.8.0', true],
    ['25.5.2.1', true],
    ['', false],
  ])('%j: modern %s', (version, isModern) => {
    expect(dialectOf(version)).toEqual({ isModern })
  })
})
