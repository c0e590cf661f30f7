import { beforeAll, expect, it } from 'vitest'
import { connectServer } from '../../src/engine/clickhouse/server/clickhouse-server.js'
import { until } from '../program/support/program.js'
import { type Cluster, findServer, sharedCluster, USER, WHY_NO_SERVER } from './cluster.js'
import { describeWhere } from './needs.js'
import { connect } from './targets.js'

const RUNNING =
  "SELECT count() FROM system.processes WHERE query LIKE '%sleepEachRow%' AND query NOT LIKE '%processes%'"
/** A query of six seconds, in blocks. The server can cancel the query between two blocks. */
const SLOW =
  'SELECT sum(sleepEachRow(0.1)) FROM (SELECT number FROM system.numbers LIMIT 60) SETTINGS max_block_size = 5'

describeWhere(findServer(), 'clickhouse-server', WHY_NO_SERVER, 'a ClickHouse server', () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await sharedCluster()
  })

  it('tells how many rows it has read', async () => {
    const server = connect(cluster.urls[0]!, cluster.name)
    const read: number[] = []
    await server.select('SELECT count() FROM numbers(1000) WHERE number % 7 = 1', { onRead: (rows) => read.push(rows) })
    expect(read).toEqual([1000])
    await server.close()
  })

  it('is not waited for beyond the deadline, and ends the query then', async () => {
    const server = connect(cluster.urls[0]!, cluster.name)
    await expect(server.select(SLOW, { deadlineMs: 300 })).rejects.toMatchObject({ message: 'no answer within 0.3 s' })
    await until(
      () => server.select(RUNNING),
      ([row]) => row![0] === '0',
      4_000,
    )
    await server.close()
  })

  it('ends the query of a caller who leaves', async () => {
    const server = connect(cluster.urls[0]!, cluster.name)
    const leaving = new AbortController()
    const asked = server.select(SLOW, { signal: leaving.signal })
    await until(
      () => server.select(RUNNING),
      ([row]) => row![0] === '1',
    )
    const reason = new Error('gone')
    leaving.abort(reason)
    await expect(asked).rejects.toBe(reason)
    await until(
      () => server.select(RUNNING),
      ([row]) => row![0] === '0',
      4_000,
    )
    await server.close()
  })

  it('gives its number of an error, and no part of an answer', async () => {
    const server = connect(cluster.urls[0]!, cluster.name)
    await expect(server.select('SELECT nothing FROM nowhere')).rejects.toMatchObject({ name: 'ServerError', code: 60 })
    const failsLate = 'SELECT throwIf(number = 900000) FROM (SELECT number FROM system.numbers LIMIT 1000000)'
    await expect(server.select(failsLate)).rejects.toMatchObject({ code: 395 })
    await server.close()
    const stranger = connectServer({ url: cluster.urls[0]!, user: USER.name, password: 'wrong', cluster: cluster.name })
    await expect(stranger.select('SELECT 1')).rejects.toMatchObject({ code: 193 })
    await stranger.close()
  })

  it('that is away is an error without a number', async () => {
    const server = connect('http://127.0.0.1:1', cluster.name)
    await expect(server.select('SELECT 1')).rejects.toMatchObject({ name: 'ServerError', code: undefined })
    await server.close()
  })
})
