import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { MIB } from '../../../src/base/units.js'
import { readEvents } from '../../support/events.js'
import { untilVisible, write } from '../support/feed.js'
import { forgetPeak, residentBytes } from '../support/memory.js'
import { type Served, serve, temporaryFolder, until } from '../support/program.js'
import { getText } from '../support/raw.js'

const lineOf = (id: string, project = 'a', event_message = '') =>
  `${JSON.stringify({ source: 'edge_logs', project, id, event_message })}\n`

const sendRecords = (service: Served, ...ids: string[]) => write(service, ids.length, (i) => lineOf(ids[i]!))

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

/** Opens a tail whose client reads nothing. */
async function openUnread({ url }: Served) {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' })
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.pause()
  socket.write(getText('/api/tail?project=a'))
  return socket
}

const UNREAD = 30
const ROWS = 60_000
/** One backlog, its encoded form, and garbage; a backlog for each reader would be three times as much. */
const MOST_GROWTH_BYTES = 128 * MIB

/** Writes rows of 1 KB of the project; resolves when all are accepted. */
async function flood(service: Served, times: number): Promise<void> {
  const message = 'x'.repeat(1_000)
  await write(service, ROWS, (i) => lineOf(`${i}`, 'a', message))
  await until(
    () => service.metric('logweir_ingested_rows_total{source="edge_logs"}'),
    (rows) => rows === times * ROWS,
    60_000,
  )
}

it('readers that read nothing hold no memory and are let go of; records come all the same', async () => {
  const service = await serve(['--memory-limit', '128M'])
  // The first floods let the heaps grow to their full size, which is mostly garbage.
  await flood(service, 1)
  await flood(service, 2)
  const before = residentBytes(service).now
  const sockets = await Promise.all(Array.from({ length: UNREAD }, () => openUnread(service)))
  const openTails = (count: number) =>
    until(
      () => service.metric('logweir_tails_open'),
      (open) => open === count,
    )
  await openTails(UNREAD)
  forgetPeak(service)
  await flood(service, 3)
  const grown = residentBytes(service).peak - before
  console.log(`grown by ${(grown / MIB).toFixed(1)} MiB from ${(before / MIB).toFixed(1)}`)
  await openTails(0)
  expect(await service.metric('logweir_tails_dropped_total')).toBe(UNREAD)
  expect(grown).toBeLessThanOrEqual(MOST_GROWTH_BYTES)
  for (const socket of sockets) socket.destroy()
})
