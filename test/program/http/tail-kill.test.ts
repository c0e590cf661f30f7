import { expect, it } from 'vitest'
import { type EventReader, readEvents } from '../../support/events.js'
import { write } from '../support/feed.js'
import { type Served, serve, temporaryFolder, until } from '../support/program.js'

const FILTER = JSON.stringify([
  { field: 'level', op: 'in', value: ['error', 'fatal'] },
  { field: 'tenant', op: '=', value: 'acme' },
])
const SEARCH = new URLSearchParams({ project: 'a', source: 'auth_logs', filter: FILTER, search: 'failed' })

/** Record `i` as a line. Every 6th record passes the filter. */
function lineOf(i: number): string {
  const metadata = { level: i % 2 === 0 ? 'error' : 'info', tenant: 'acme' }
  const event_message = i % 3 === 0 ? `login Failed ${i}` : 'ok'
  return `${JSON.stringify({ source: 'auth_logs', project: 'a', id: `${i}`, event_message, metadata })}\n`
}

const passes = (i: number) => i % 6 === 0

it('a tail with a filter has each record once and in order, over kills of the service', async () => {
  const args = ['--data-dir', temporaryFolder()]
  const ids: string[] = []
  let lastEventId = ''
  let sent = 0

  const connect = async (service: Served) =>
    readEvents(await service.get(`/api/tail?${SEARCH}`, { headers: { 'Last-Event-ID': lastEventId } }))

  /** Sends records until the reader has received some records, and is in the middle of others. */
  async function send(service: Served, reader: EventReader): Promise<void> {
    for (let batch = 0; batch < 10; batch++) {
      const from = sent
      sent += 24
      await write(service, 24, (i) => lineOf(from + i))
    }
    await until(
      async () => reader.ids(),
      (received) => received.length >= 10,
    )
  }

  for (let life = 0; life < 3; life++) {
    const service = await serve(args, { stdin: 'pipe' })
    const reader = await connect(service)
    await send(service, reader)
    await until(
      () => service.metric('logweir_rows{source="auth_logs"}'),
      (rows) => rows === sent,
    )
    if (life === 2) {
      await until(
        async () => ids.length + reader.ids().length,
        (received) => received === sent / 6,
      )
    }
    service.child.kill('SIGKILL')
    await reader.ended
    ids.push(...reader.ids())
    lastEventId = reader.stream().lastEventId
  }
  const wanted = Array.from({ length: sent }, (_, i) => i).filter(passes)
  expect(ids).toEqual(wanted.map(String))
})
