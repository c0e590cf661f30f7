import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { MIB } from '../../../src/base/units.js'
import { write } from '../support/feed.js'
import { residentBytes } from '../support/memory.js'
import { serve, until } from '../support/program.js'
import { dialer, getText } from '../support/raw.js'

const SUBSCRIBERS = 200
const ROWS = 1_000
/** Long paths: an answer of about a MiB. */
const TEXT = 'x'.repeat(900)
const SEARCH = new URLSearchParams({
  project: 'a',
  sql: 'select request.path, count(*) as n from edge_logs group by path',
})
const PATH = `/api/endpoints/query/logs.all?${SEARCH}`
const MOST_GROWTH_BYTES = 64 * MIB
const ROUNDS = 5

const lineOf = (i: number) => `{"source":"edge_logs","project":"a","metadata":{"request":{"path":"/${i}${TEXT}"}}}\n`

/** Opens a stream with a client that reads everything, or nothing. `last` returns the end of what was read. */
function subscribe(socket: Socket, isSilent: boolean) {
  let last = ''
  socket.write(getText(PATH, 'Accept: text/event-stream'))
  if (isSilent) socket.pause()
  else
    socket.setEncoding('latin1').on('data', (text: string) => {
      last = (last + text).slice(-200)
    })
  return { last: () => last }
}

const watermarkIn = (text: string) => Number(/"watermark":"\w+\.(\d+)\.\w+"/.exec(text)?.[1] ?? 0)

it(`${SUBSCRIBERS} subscribers of which half never read cost at most 64 MiB, and the others are served`, async () => {
  const service = await serve(['--sql'], { stdin: 'pipe' })
  await write(service, ROWS, lineOf)
  await until(
    () => service.metric('logweir_rows{source="edge_logs"}'),
    (rows) => rows === ROWS,
  )
  for (let i = 0; i < 20; i++) await (await service.get(PATH)).text()
  const beforeBytes = residentBytes(service).now
  const dial = dialer(service)
  const clients = Array.from({ length: SUBSCRIBERS }, (_, i) => subscribe(dial(), i % 2 === 0))
  await until(
    () => service.metric('logweir_subscriptions_open'),
    (open) => open === SUBSCRIBERS,
  )
  for (let round = 1; round <= ROUNDS; round++) {
    await write(service, ROWS, lineOf)
    await until(
      async () => clients.filter((client, i) => i % 2 === 1 && watermarkIn(client.last()) > round).length,
      (count) => count === SUBSCRIBERS / 2,
    )
    expect(await service.metric('logweir_subscription_bytes')).toBeLessThan(16 * MIB)
  }
  // The sent bytes are collected within seconds.
  for (let i = 0; i < 20 && residentBytes(service).now - beforeBytes > MOST_GROWTH_BYTES; i++) await wait(1_000)
  expect(residentBytes(service).now - beforeBytes).toBeLessThanOrEqual(MOST_GROWTH_BYTES)
}, 180_000)
