import { expect, it } from 'vitest'
import { applyToCluster } from '../../../../src/engine/clickhouse/schema/shards.js'
import type { Cell, Server } from '../../../../src/engine/clickhouse/server/clickhouse-server.js'
import { fakeService, reply } from '../../../client/fake-service.js'

const LOCATION = { database: 'logweir', cluster: 'weir' }

/** A server with the given other hosts in system.clusters. The server creates its own tables, the shards have none. */
function serverOf(hosts: readonly string[]): Server {
  const rows: Cell[][] = [[1, 'ch1', 1], ...hosts.map((host, i) => [i + 2, host, 0])]
  return {
    async select(sql) {
      if (sql.includes('version()')) return [['18.16.1']]
      return sql.includes('system.clusters') ? rows : []
    },
    selectNative: () => Promise.reject(new Error('no rows are expected')),
    insert: () => Promise.reject(new Error('no insert is expected')),
    command: async () => {},
    close: async () => {},
  }
}

const apply = (url: string, hosts: readonly string[]) =>
  applyToCluster(serverOf(hosts), LOCATION, { url, user: 'default', password: 'secret', cluster: 'weir' })

it.each([
  'localhost',
  '127.0.0.1',
  '::1',
])('sends nothing to this machine because a distant server is named %s', async (host) => {
  const { url, requests } = await fakeService((_, response) => reply(response, {}))
  const { port } = new URL(url)
  const { reached, unreached } = await apply(`http://ch1.example:${port}`, [host])
  expect(reached).toEqual([])
  expect(unreached.map(({ shard, reason }) => [shard, reason])).toEqual([
    [2, `${host} names this machine, not that of the server`],
  ])
  expect(requests).toEqual([])
})

it('creates nothing on a server that does not know the cluster', async () => {
  const statements: string[] = []
  const { url } = await fakeService((request, response) => {
    request.setEncoding('utf8').on('data', (text: string) => statements.push(text))
    request.on('end', () => reply(response, { meta: [], data: [], rows: 0 }))
  })
  const { port } = new URL(url)
  const { unreached } = await apply(`http://localhost:${port}`, ['127.0.0.1'])
  expect(unreached.map(({ url, reason }) => [url, reason])).toEqual([
    [`http://127.0.0.1:${port}`, 'the server there knows no cluster weir'],
  ])
  expect(statements).toHaveLength(1)
  expect(statements[0]).toMatch(/^SELECT .* FROM system\.clusters /)
})
