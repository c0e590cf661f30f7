import { expect, it } from 'vitest'
import { write } from '../program/support/feed.js'
import { type Served, until } from '../program/support/program.js'
import { readEvents } from '../support/events.js'
import { findServer, sharedCluster, WHY_NO_SERVER } from './cluster.js'
import { describeWhere } from './needs.js'
import { serveOn } from './service.js'
import { targetOn } from './targets.js'

const send = (service: Served, ...ids: string[]) =>
  write(service, ids.length, (i) => `${JSON.stringify({ source: 'edge_logs', project: 'a', id: ids[i] })}\n`)

describeWhere(findServer(), 'clickhouse-server', WHY_NO_SERVER, 'a live tail over two shards', () => {
  it('hears what comes through any process, each once, and what was missed when it comes back', async () => {
    const cluster = await sharedCluster()
    const target = await targetOn(cluster)
    try {
      const [one, other] = await Promise.all([serveOn(cluster), serveOn(cluster)])
      const tail = async (lastEventId: string) => {
        const headers = { 'Last-Event-ID': lastEventId }
        const reader = readEvents(await one.get('/api/tail?project=a', { headers }))
        await until(
          async () => reader.stream().lastEventId,
          (id) => id.split('.').length === 4,
        )
        return reader
      }
      await send(one, 'old')
      await until(
        () => other.rows('logs.all?project=a'),
        (rows) => rows.length === 1,
      )
      const reader = await tail('')
      const wanted = Array.from({ length: 12 }, (_, i) => `${i}`)
      for (const [i, id] of wanted.entries()) {
        await send(i % 2 === 0 ? one : other, id)
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
      await until(
        async () => reader.ids(),
        (ids) => ids.length >= 13,
      )
      expect([...reader.ids()].sort()).toEqual([...wanted, 'old'].sort())
      const { lastEventId } = reader.stream()
      await reader.leave()

      // Another process knows only the time of the last record.
      await send(other, 'missed')
      await until(
        () => one.rows('logs.all?project=a'),
        (rows) => rows.length === 14,
      )
      const place = lastEventId.split('.').slice(0, 2).join('.')
      const back = await tail(place)
      await send(one, 'new')
      await until(
        async () => back.ids(),
        (ids) => ids.length >= 2,
      )
      expect(back.ids()).toEqual(['missed', 'new'])
    } finally {
      await target.stop()
    }
  })
})
