import { expect, it } from 'vitest'
import { MIB } from '../../../src/base/units.js'
import { write } from '../support/feed.js'
import { forgetPeak, residentBytes } from '../support/memory.js'
import { type Served, serve, until } from '../support/program.js'
import { openUnread, tailLine } from '../support/tails.js'

const UNREAD = 30
const ROWS = 60_000
/** A backlog, its encoded form, and garbage. A backlog for each reader would be three times as much. */
const MOST_GROWTH_BYTES = 128 * MIB

/** Writes rows of 1 KB of the project. Resolves when all rows are accepted. */
async function flood(service: Served, times: number): Promise<void> {
  const message = 'x'.repeat(1_000)
  await write(service, ROWS, (i) => tailLine(`${i}`, 'a', message))
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
