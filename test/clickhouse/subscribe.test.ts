import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { followResponse } from '../http/subscribe/client.js'
import { write } from '../program/support/feed.js'
import { type Served, temporaryFolder, until } from '../program/support/program.js'
import { findServer, sharedCluster, WHY_NO_SERVER } from './cluster.js'
import { describeWhere } from './needs.js'
import { serveOn } from './service.js'
import { targetOn } from './targets.js'

const SQL = 'select project, event_message as message, count(*) as n from edge_logs group by project, message'
const PATH = `/api/endpoints/query/logs.all?${new URLSearchParams({ project: 'a', sql: SQL })}`
const EVENTS = { headers: { Accept: 'text/event-stream' } }
const PAUSE_MS = 5_000

const send = (service: Served, ...messages: string[]) =>
  write(service, messages.length, (i) => {
    const record = { source: 'edge_logs', project: messages[i]!.startsWith('b') ? 'b' : 'a' }
    return `${JSON.stringify({ ...record, event_message: messages[i] })}\n`
  })

/** How many evaluations of followed queries a service has made. */
async function evaluationsOf({ get }: Served): Promise<number> {
  const text = await (await get('/metrics')).text()
  const counts = text.matchAll(/^logweir_subscription_evaluations_total\{.*\} (\d+)$/gm)
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
}

const row = (message: string, n: number) => `{"project":"a","message":"${message}","n":${n}}`

describeWhere(findServer(), 'clickhouse-server', WHY_NO_SERVER, 'a followed query over two shards', () => {
  it('is sent as snapshots, also for rows of other processes, and evaluated every 5 s', async () => {
    const cluster = await sharedCluster()
    const target = await targetOn(cluster)
    try {
      const [one, other] = await Promise.all([serveOn(cluster, { args: ['--sql'] }), serveOn(cluster)])
      await send(one, 'a1', 'a2', 'b1')
      await until(
        async () => (await (await one.get(PATH)).json()) as { result: object[] },
        ({ result }) => result.length === 2,
      )
      const startMs = performance.now()
      const [client, same] = [followResponse(await one.get(PATH, EVENTS)), followResponse(await one.get(PATH, EVENTS))]
      const shows = (...rows: string[]) => expect.poll(() => client.rows().sort(), { timeout: 30_000 }).toEqual(rows)
      await shows(row('a1', 1), row('a2', 1))
      await send(other, 'a1', 'b2')
      await shows(row('a1', 2), row('a2', 1))
      for (let i = 0; i < 40; i++) {
        await send(i % 2 === 0 ? one : other, 'a3')
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
      await shows(row('a1', 2), row('a2', 1), row('a3', 40))
      const sent = client.events.length
      const [evaluations, passedMs] = [await evaluationsOf(one), performance.now() - startMs]
      // One for each subscriber at the start.
      expect(evaluations).toBeLessThanOrEqual(passedMs / PAUSE_MS + 2)
      expect(sent).toBeLessThanOrEqual(evaluations)
      expect(new Set(client.events.map(({ name }) => name))).toEqual(new Set(['snapshot']))
      expect(client.events.some(({ data }) => 'key' in data)).toBe(false)
      // Nothing arrives: evaluated, and not sent.
      const before = client.events.length
      await until(
        () => evaluationsOf(one),
        (count) => count >= evaluations + 2,
      )
      expect(client.events.length).toBe(before)
      expect(same.rows().sort()).toEqual(client.rows().sort())
    } finally {
      await target.stop()
    }
  })

  it('is refused with 501 if it reads a view', async () => {
    const cluster = await sharedCluster()
    const target = await targetOn(cluster)
    try {
      const endpoints = temporaryFolder()
      const text = 'select timestamp_trunc(timestamp, hour) as hour, count(*) as n from edge_logs group by hour'
      writeFileSync(join(endpoints, 'hours.sql'), `-- view: keep 48h\n${text}`)
      const service = await serveOn(cluster, { args: ['--endpoints', endpoints] })
      const response = await service.get('/api/endpoints/query/hours?project=a', EVENTS)
      expect([response.status, await response.json()]).toMatchObject([501, { code: 'unsupported_by_engine' }])
    } finally {
      await target.stop()
    }
  })
})
