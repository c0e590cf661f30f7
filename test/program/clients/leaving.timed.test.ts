import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { exchange, statusLines } from '../../support/raw-http.js'
import { feedEdges, heavyQuestion } from '../support/feed.js'
import { type Served, serve } from '../support/program.js'
import { dialer, getText } from '../support/raw.js'
import { worstPlansFolder, worstQuery } from '../support/worst-plans.js'

const ROWS = 60_000
/** A head, and so a unit of work of a query, is a sixteenth of the limit. */
const MEMORY_LIMIT = '64M'
const STAYS_MS = 20
const STOPS_MS = 50
const CLIENTS = 7
/** Queries that may stop late: on a busy machine the server may not run in time. Without the stop all are late. */
const LATE = 2

const scanned = (service: Served) => service.metric('logweir_scanned_rows_total')

/**
 * Sends a query and disconnects after a while. Returns the rows counted by the time the query must have stopped, and
 * later.
 */
async function askAndLeave(service: Served, question: string) {
  const before = await scanned(service)
  const socket = dialer(service)()
  socket.write(getText(question))
  await wait(STAYS_MS)
  socket.destroy()
  await wait(STOPS_MS)
  const [counted, running] = [await scanned(service), await service.metric('logweir_queries_running')]
  await wait(5 * STOPS_MS)
  const later = await scanned(service)
  return { isLate: running > 0 || later > counted, counted: later - before }
}

it('O4: a query whose client has left stops within 50 ms', async () => {
  const service = await serve(['--memory-limit', MEMORY_LIMIT])
  await feedEdges(service, ROWS)
  const stays = getText(heavyQuestion(0), 'Connection: close')
  expect(statusLines(await exchange(dialer(service), stays))).toEqual(['HTTP/1.1 200 OK'])
  expect(await scanned(service)).toBe(ROWS)
  const left = []
  for (let i = 1; i <= CLIENTS; i++) left.push(await askAndLeave(service, heavyQuestion(i)))
  console.log('O4', JSON.stringify(left))
  for (const { counted } of left) expect(counted).toBeLessThan(ROWS)
  expect(left.filter(({ isLate }) => isLate).length).toBeLessThanOrEqual(LATE)
  expect(await service.metric('logweir_queries_running')).toBe(0)
})

it('O4: a plan of a user whose client has left stops within 50 ms', async () => {
  const service = await serve(['--memory-limit', MEMORY_LIMIT, '--endpoints', worstPlansFolder()])
  await feedEdges(service, ROWS)
  const left = []
  for (const plan of ['patterns', 'unnest', 'union', 'sort'] as const) {
    const before = await scanned(service)
    const stays = getText(worstQuery(plan), 'Connection: close')
    expect(statusLines(await exchange(dialer(service), stays))[0]).toMatch(/^HTTP\/1.1 [24]00 /)
    const whole = (await scanned(service)) - before
    left.push({ plan, whole, ...(await askAndLeave(service, worstQuery(plan))) })
  }
  console.log('O4', JSON.stringify(left))
  expect(left.some(({ whole, counted }) => counted < whole)).toBe(true)
  expect(left.filter(({ isLate }) => isLate).length).toBeLessThanOrEqual(LATE)
  expect(await service.metric('logweir_queries_running')).toBe(0)
})
