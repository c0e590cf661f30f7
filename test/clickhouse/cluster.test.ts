import { afterAll, beforeAll, expect, it } from 'vitest'
import { ask, command, rows } from './ask.js'
import { type Cluster, findServer, startCluster, startServer, USER, WHY_NO_SERVER } from './cluster.js'
import { describeWhere } from './needs.js'

const SERVER = findServer()
const ROWS = 1_000
const AUTHORIZATION = `Basic ${Buffer.from(`${USER.name}:${USER.password}`).toString('base64')}`
const SHARD_GONE = 279

describeWhere(SERVER, 'clickhouse-server', WHY_NO_SERVER, 'a ClickHouse cluster of two shards', () => {
  let cluster: Cluster

  /** The number of rows and the sum of their values. */
  const sumOf = async (url: string, table: string) => (await rows(url, `SELECT count(), sum(value) FROM ${table}`))[0]

  beforeAll(async () => {
    cluster = await startCluster()
    for (const url of cluster.urls) {
      await command(url, 'CREATE TABLE rows (value Int64) ENGINE = MergeTree ORDER BY value')
      await command(url, `CREATE TABLE all_rows AS rows ENGINE = Distributed(${cluster.name}, default, rows, value)`)
    }
    const parameters = { insert_distributed_sync: '1' }
    const insert = `INSERT INTO all_rows SELECT toInt64(number) FROM numbers(${ROWS})`
    expect(await ask(cluster.urls[0]!, insert, { parameters })).toEqual({ status: 200, text: '' })
  })
  afterAll(() => cluster?.stop())

  it('has shards that answer, each in a time zone of its own', async () => {
    const zones = await Promise.all(cluster.urls.map((url) => rows(url, 'SELECT timezone()')))
    expect(zones.flat(2).map((zone) => /UTC$|New_York$/.exec(String(zone))?.[0])).toEqual(['UTC', 'New_York'])
  })

  it('knows a user by a password, and no other password', async () => {
    const as = (authorization: string) => ask(cluster.urls[0]!, 'SELECT 1', { headers: { authorization } })
    expect(await as(AUTHORIZATION)).toEqual({ status: 200, text: '1\n' })
    expect((await as(`Basic ${Buffer.from(`${USER.name}:wrong`).toString('base64')}`)).status).toBe(401)
  })

  it('has the rows of both in a Distributed table, whichever is asked', async () => {
    const sum = (ROWS * (ROWS - 1)) / 2
    const [first, second] = await Promise.all(cluster.urls.map((url) => sumOf(url, 'rows')))
    expect([first![0], second![0]]).toEqual([ROWS / 2, ROWS / 2])
    for (const url of cluster.urls) expect(await sumOf(url, 'all_rows')).toEqual([ROWS, sum])
  })

  it('fails a question over both while one is gone, rather than answer with half of the rows', async () => {
    const before = await sumOf(cluster.urls[0]!, 'all_rows')
    await cluster.kill(1)
    const { status, code, text } = await ask(cluster.urls[0]!, 'SELECT sum(value) FROM all_rows')
    expect([status, code], text).toEqual([500, SHARD_GONE])
    await expect(ask(cluster.urls[1]!, 'SELECT 1')).rejects.toThrow('ECONNREFUSED')

    await cluster.start(1)
    expect(await sumOf(cluster.urls[0]!, 'all_rows')).toEqual(before)
  })
})

describeWhere(SERVER, 'clickhouse-server', WHY_NO_SERVER, 'a ClickHouse server alone', () => {
  it('answers, knows no cluster, and is gone once stopped', async () => {
    const server = await startServer()
    try {
      expect(await rows(server.url, 'SELECT count() FROM system.clusters')).toEqual([[0]])
    } finally {
      await server.stop()
    }
    await expect(ask(server.url, 'SELECT 1')).rejects.toThrow('ECONNREFUSED')
  })
})
