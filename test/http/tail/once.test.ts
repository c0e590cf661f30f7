import { expect, it, onTestFinished, vi } from 'vitest'
import { SECOND_US } from '../../../src/base/units.js'
import type { ArrowEngine } from '../../../src/engine/store/engine.js'
import { createFakeClock } from '../../support/clock.js'
import { appendAll, openEngine } from '../../support/engine.js'
import type { EventReader, ServerSentEvent } from '../../support/events.js'
import { below, mulberry32, oneOf, type Random } from '../../support/random.js'
import { edge, type TestRecord } from '../../support/records.js'
import { testSeed } from '../../support/seed.js'
import { pass, settle } from '../support.js'
import { createTailApp, notices } from './support.js'

const LIVES = 6
const STEPS = 30
const LONGER_THAN_A_CHANNEL_S = 31

/** A reader over all connections: the received records, and the position. */
interface Reader {
  ids: string[]
  /** The number of records that were not live. */
  old: number
  lastEventId: string | undefined
  connection: EventReader | undefined
}

/**
 * Random runs of a service with readers that connect, lose the connection after any event, and reconnect. With
 * `restarts` records arrive in order of time, because only that order survives a channel. Without `restarts` records
 * arrive in any order.
 */
async function live(random: Random, restarts: boolean): Promise<number> {
  const clock = createFakeClock()
  const records: TestRecord[] = []
  const readers: Reader[] = []
  const open = (sealRows: number) => createTailApp({ clock, engine: pausing(openEngine({ clock, sealRows }), random) })
  let app = open(7)
  let appended = Promise.resolve()

  async function bring(): Promise<void> {
    if (random() < 0.5) clock.advance(1)
    const come = Array.from({ length: 1 + below(random, 4) }, (_, i) => {
      const ageUs = restarts ? 0 : below(random, oneOf(random, [2, 60 * SECOND_US]))
      const project = oneOf(random, ['a', 'a', 'a', 'b'])
      return edge({ id: `${records.length + i}`, project, timestampUs: clock.nowUs() - ageUs })
    })
    records.push(...come)
    appended = appendAll(app.engine, come)
    if (random() < 0.5) await appended
    if (random() < 0.5) await settle()
  }

  async function come(reader: Reader): Promise<void> {
    const coming = app.tail(reader.lastEventId)
    for (; random() < 0.6; await aWhile(random)) await bring()
    reader.connection = await coming
  }

  /** The connection breaks. The events after a random event were sent, but not received. */
  async function cut(reader: Reader): Promise<void> {
    const { connection } = reader
    if (connection === undefined) return
    if (random() < 0.3) await settle()
    expect(notices(connection)).toEqual([])
    const { events, lastEventId } = connection.stream()
    const heard = events.slice(0, random() < 0.5 ? events.length : below(random, events.length + 1))
    hear(reader, heard)
    if (heard.length > 0) reader.lastEventId = heard.at(-1)!.lastEventId
    if (heard.length === events.length) reader.lastEventId = lastEventId || reader.lastEventId
    if (!restarts && !isLive(reader.lastEventId)) beginAnew(reader)
    reader.connection = undefined
    await connection.leave()
  }

  /** Another process recovers the rows, in different batches. */
  async function restart(): Promise<void> {
    await settle()
    for (const reader of readers) await cut(reader)
    app.app.beginStop(0)
    app = open(5)
    await appendAll(app.engine, records, 1 + below(random, 10))
  }

  async function join(): Promise<void> {
    readers.push({ ids: [], old: 0, lastEventId: undefined, connection: undefined })
    await come(readers.at(-1)!)
  }

  await join()
  records.push(edge({ id: `${records.length}`, timestampUs: clock.nowUs() }))
  await appended
  await appendAll(app.engine, records.slice(-1))
  for (let step = 0; step < STEPS; step++) {
    const reader = oneOf(random, readers) as Reader | undefined
    const dice = random()
    if (dice < 0.5) await bring()
    else if (dice < 0.6) await app.engine.seal()
    else if (dice < 0.7 && readers.length < 3) {
      await join()
    } else if (dice < 0.95 && reader !== undefined) {
      await cut(reader)
      if (restarts && random() < 0.1) await pass(clock, LONGER_THAN_A_CHANNEL_S)
      await come(reader)
    } else if (restarts) await restart()
  }
  for (const reader of readers) if (reader.connection === undefined) await come(reader)
  await appended
  await settle()
  for (const reader of readers) {
    expect(notices(reader.connection!)).toEqual([])
    hear(reader, reader.connection!.stream().events)
  }

  const all = records.filter(({ project }) => project === 'a').map(({ id }) => id)
  for (const { ids, old } of readers) {
    expect(new Set(ids).size).toBe(ids.length)
    const heard = restarts ? ids : ids.slice(old)
    expect(heard).toEqual(all.slice(all.length - heard.length))
    // A tail of a project with only a few records begins with the first record.
    if (all.length <= 10) expect(ids.length).toBe(all.length)
  }
  return readers.reduce((sum, { ids }) => sum + ids.length, 0)
}

/** Waits some turns of the event loop. */
async function aWhile(random: Random): Promise<void> {
  for (let i = below(random, 4); i > 0; i--) await new Promise((resolve) => setImmediate(resolve))
}

/** Wraps an engine so that reading results takes a while: rows arrive in between. */
function pausing(engine: ArrowEngine, random: Random): ArrowEngine {
  const follow: ArrowEngine['follow'] = async (...given) => {
    const { run, stop } = await engine.follow(...given)
    return {
      async run(...plan) {
        const answer = await run(...plan)
        await aWhile(random)
        return answer
      },
      stop,
    }
  }
  return { ...engine, follow }
}

function hear(reader: Reader, events: readonly ServerSentEvent[]): void {
  reader.ids.push(...events.map(({ data }) => JSON.parse(data).id))
  reader.old += events.filter(({ lastEventId }) => !isLive(lastEventId)).length
}

/** Whether an id names a channel. If so, the reader misses no late record. */
const isLive = (id = '') => id.split('.').length > 2

function beginAnew(reader: Reader): void {
  Object.assign(reader, { ids: [], old: 0, lastEventId: undefined })
}

it.each([
  ['in order of time, over restarts', true],
  ['in any order, while the service lives', false],
])('each record comes once: %s', async (_, restarts) => {
  // Time slices never expire, so that work settles within the same turns on a busy machine.
  vi.spyOn(performance, 'now').mockReturnValue(0)
  onTestFinished(() => void vi.restoreAllMocks())
  const seed = testSeed()
  console.log(`once seed ${seed}`)
  const random = mulberry32(seed)
  let heard = 0
  for (let i = 0; i < LIVES; i++) heard += await live(random, restarts)
  expect(heard).toBeGreaterThanOrEqual(LIVES)
})
