import { expect, it, onTestFinished, vi } from 'vitest'
import type { SourceName } from '../../../src/common/sources.js'
import { allRowsOf, randomAsked, randomRecord } from '../../endpoints/random-filters.js'
import { type Asked, matching } from '../../oracle/explore.js'
import { createFakeClock } from '../../support/clock.js'
import { appendAll, openEngine } from '../../support/engine.js'
import type { EventReader } from '../../support/events.js'
import { below, mulberry32, oneOf, type Random } from '../../support/random.js'
import { edge, type TestRecord } from '../../support/records.js'
import { testSeed } from '../../support/seed.js'
import { pass, settle } from '../support.js'
import { createTailApp, notices } from './support.js'

const LIVES = 4
const STEPS = 40
const LONGER_THAN_A_CHANNEL_S = 31

/** A reader over all connections of the reader. */
interface Reader {
  asked: Asked
  ids: string[]
  lastEventId: string | undefined
  connection: EventReader | undefined
}

/**
 * A random run of a service with readers of random rows, which lose the connection after any event and reconnect, also
 * to another process. Records arrive in order of time: only that order survives a process. The first reader gets at
 * least one record. Returns how many records were read.
 */
async function live(random: Random, place: string): Promise<number> {
  const clock = createFakeClock()
  const records: TestRecord[] = []
  const readers: Reader[] = []
  const open = (sealRows: number) => createTailApp({ clock, engine: openEngine({ clock, sealRows }) })
  let app = open(9)

  async function append(): Promise<void> {
    if (random() < 0.5) clock.advance(1)
    const more = Array.from({ length: 1 + below(random, 6) }, (_, i) => {
      return { ...randomRecord(random, records.length + i), timestampUs: clock.nowUs() }
    })
    records.push(...more)
    await appendAll(app.engine, more)
    if (random() < 0.5) await settle()
  }

  async function connect(reader: Reader): Promise<void> {
    const { source, filter, search } = reader.asked
    const more = { source, ...(filter.length > 0 && { filter: JSON.stringify(filter) }), search }
    const connecting = app.tail(reader.lastEventId, 'a', more)
    while (random() < 0.5) await append()
    reader.connection = await connecting
  }

  /** Some events were sent, but not received. */
  async function disconnect(reader: Reader): Promise<void> {
    const { connection } = reader
    if (connection === undefined) return
    expect(notices(connection), place).toEqual([])
    const { events, lastEventId } = connection.stream()
    const received = events.slice(0, random() < 0.5 ? events.length : below(random, events.length + 1))
    reader.ids.push(...received.map(({ data }) => JSON.parse(data).id))
    if (received.length === events.length) reader.lastEventId = lastEventId || reader.lastEventId
    else if (received.length > 0) reader.lastEventId = received.at(-1)!.lastEventId
    reader.connection = undefined
    await connection.leave()
  }

  async function restart(): Promise<void> {
    await settle()
    for (const reader of readers) await disconnect(reader)
    app.app.beginStop(0)
    app = open(6)
    await appendAll(app.engine, records, 1 + below(random, 10))
  }

  async function join(asked: Asked): Promise<void> {
    readers.push({ asked, ids: [], lastEventId: undefined, connection: undefined })
    await connect(readers.at(-1)!)
  }

  await join(allRowsOf('edge_logs'))
  records.push(edge({ id: `${records.length}`, timestampUs: clock.nowUs() }))
  await appendAll(app.engine, records.slice(-1))
  for (let step = 0; step < STEPS; step++) {
    const reader = oneOf(random, readers) as Reader | undefined
    const dice = random()
    if (dice < 0.5) await append()
    else if (dice < 0.6) await app.engine.seal()
    else if (dice < 0.75 && readers.length < 4) {
      await join({ ...randomAsked(random), source: oneOf<SourceName>(random, ['edge_logs', 'auth_logs']) })
    } else if (dice < 0.95 && reader !== undefined) {
      await disconnect(reader)
      if (random() < 0.1) await pass(clock, LONGER_THAN_A_CHANNEL_S)
      await connect(reader)
    } else await restart()
  }
  for (const reader of readers) if (reader.connection === undefined) await connect(reader)
  await settle()
  for (const { connection } of readers) expect(notices(connection!), place).toEqual([])
  for (const reader of readers) reader.ids.push(...reader.connection!.ids())
  for (const { asked, ids } of readers) {
    const all = matching(records, { ...asked, startUs: 0, endUs: Number.POSITIVE_INFINITY }).map(({ id }) => id)
    expect(ids, `${place} ${JSON.stringify(asked)}`).toEqual(all.slice(all.length - ids.length))
    if (all.length <= 10) expect(ids.length).toBe(all.length)
  }
  app.app.beginStop(0)
  return readers.reduce((sum, { ids }) => sum + ids.length, 0)
}

it('each record that passes comes once and in order, over lost connections and restarts', async () => {
  // Time slices never expire, so that work settles within the same turns on a busy machine.
  vi.spyOn(performance, 'now').mockReturnValue(0)
  onTestFinished(() => void vi.restoreAllMocks())
  const seed = testSeed()
  console.log(`filtered once seed ${seed}`)
  const random = mulberry32(seed)
  let read = 0
  for (let i = 0; i < LIVES; i++) read += await live(random, `seed ${seed}`)
  expect(read).toBeGreaterThanOrEqual(LIVES)
})
