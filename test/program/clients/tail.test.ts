import { expect, it } from 'vitest'
import { readEvents } from '../../support/events.js'
import { untilVisible, write } from '../support/feed.js'
import { type Served, serve, temporaryFolder, until } from '../support/program.js'
import { openUnread, tailLine } from '../support/tails.js'

const sendRecords = (service: Served, ...ids: string[]) => write(service, ids.length, (i) => tailLine(ids[i]!))

async function tail(service: Served, lastEventId?: string) {
  const headers: Record<string, string> = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }
  const response = await service.get('/api/tail?project=a', { headers })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
  const reader = readEvents(response)
  // The cursor is sent after all old records.
  await until(
    async () => reader.stream().lastEventId,
    (id) => id.split('.').length === 4,
  )
  return reader
}

const heard = (reader: ReturnType<typeof readEvents>, count: number) =>
  until(
    async () => reader.ids(),
    (ids) => ids.length >= count,
  )

it('records are heard as they come, and the rest by who comes back, over kill -9 too', async () => {
  const folder = temporaryFolder()
  const onDisk = { environment: { LOGWEIR_IN_MEMORY: '0' } }
  const service = await serve(['--data-dir', folder], onDisk)
  await sendRecords(service, 'old')
  await untilVisible(service, 1)
  const reader = await tail(service)
  await sendRecords(service, '1', '2')
  expect(await heard(reader, 3)).toEqual(['old', '1', '2'])
  expect(reader.stream().retryMs).toBe(2000)

  await reader.leave()
  await until(
    () => service.metric('logweir_tails_open'),
    (open) => open === 0,
  )
  await sendRecords(service, '3')
  await untilVisible(service, 4)
  const back = await tail(service, reader.stream().lastEventId)
  expect(await heard(back, 1)).toEqual(['3'])

  await sendRecords(service, '4')
  await heard(back, 2)
  const { lastEventId } = back.stream()
  await sendRecords(service, '5')
  await untilVisible(service, 6)
  service.child.kill('SIGKILL')
  await service.exit
  await back.ended
  const next = await serve(['--data-dir', folder], onDisk)
  const after = await tail(next, lastEventId)
  await sendRecords(next, '6')
  expect(await heard(after, 2)).toEqual(['5', '6'])
})

it('a stop ends tails at once, those that are not read too, and exits with 0', async () => {
  const service = await serve()
  const reader = await tail(service)
  const socket = await openUnread(service)
  await sendRecords(service, '1')
  await heard(reader, 1)
  const startMs = performance.now()
  service.child.kill('SIGTERM')
  expect(await service.exit).toBe(0)
  expect(performance.now() - startMs).toBeLessThan(5_000)
  const { type, data } = reader.stream().events.at(-1)!
  expect([type, JSON.parse(data).code]).toEqual(['dropped', 'stopping'])
  socket.destroy()
})
