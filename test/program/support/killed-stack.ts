import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import { freePort } from '../../support/free-port.js'
import { mulberry32, type Random } from '../../support/random.js'
import { testSeed } from '../../support/seed.js'
import {
  SINK_NAMES,
  type SinkEvent,
  SOURCE_OF,
  STACK_PROJECT,
  vectorEvents,
} from '../../support/supabase/vector-events.js'
import { type Served, served, start, TOKEN, temporaryFolder } from './program.js'
import { shipLikeVector } from './vector.js'

/** Events of a round, their spacing, and how many are in a batch. */
const EVENTS = 120
const STEP_MS = 5
const BATCH_EVENTS = 10
/** A service is killed at a random moment of this time after the service has answered the first query. */
const LONGEST_LIFE_MS = 300
/** The retries of a self-hosted Supabase's Vector, with a shorter first wait. */
const RETRY = { retryMs: 50, retryForMs: 30_000 }

/** How often each event may have been stored, by the event's number. */
type Sent = Map<number, number>

/**
 * Sends events of the seven sinks to a service that is killed and started again `kills` times, and before the service
 * is started first. Expects each event afterwards, and no event more often than sent.
 */
export async function expectAllKeptInStack(kills: number): Promise<void> {
  const seed = testSeed()
  console.log(`stack seed ${seed}`)
  const random = mulberry32(seed)
  const port = await freePort()
  const startService = startAt(port, temporaryFolder())
  const sent: Sent = new Map()
  const rounds = [ship(port, eventsOf(random, 0), sent)]
  for (let kill = 1; kill <= kills; kill++) {
    const service = await startService()
    // So no batch meets more kills than the retries of the batch last, however slow the machine is.
    await rounds[kill - 2]
    await wait(random() * LONGEST_LIFE_MS)
    service.child.kill('SIGKILL')
    rounds.push(ship(port, eventsOf(random, kill), sent))
    await service.exit
  }
  const service = await startService()
  await Promise.all(rounds)
  expectStored(await storedNumbers(service), sent, (kills + 1) * EVENTS)
}

function expectStored(stored: ReadonlyMap<number, number>, sent: Sent, count: number): void {
  const twice = [...stored.values()].filter((times) => times > 1).length
  console.log(`stack: ${sent.size} events, ${twice} stored more than once`)
  expect(sent.size).toBe(count)
  expect([...sent.keys()].filter((number) => !stored.has(number))).toEqual([])
  expect([...stored].filter(([number, times]) => !(times <= sent.get(number)!))).toEqual([])
}

function startAt(port: number, folder: string): () => Promise<Served> {
  const environment = { LOGWEIR_ACCESS_TOKENS: TOKEN, LOGWEIR_IN_MEMORY: '0' }
  return () => served(start(['serve', '--supabase', '--port', `${port}`, '--data-dir', folder], { environment }))
}

const eventsOf = (random: Random, round: number): SinkEvent[] =>
  vectorEvents(random, { count: EVENTS, fromMs: Date.now() - EVENTS * STEP_MS, stepMs: STEP_MS, first: round * EVENTS })

/** Sends a round of events, each sink in separate batches, and notes how often each event was sent. */
async function ship(port: number, events: readonly SinkEvent[], sent: Sent): Promise<void> {
  await Promise.all(
    SINK_NAMES.map((sink) =>
      shipSink(
        port,
        sink,
        events.filter((event) => event.sink === sink),
        sent,
      ),
    ),
  )
}

async function shipSink(port: number, sink: string, events: readonly SinkEvent[], sent: Sent): Promise<void> {
  const uri = `http://127.0.0.1:${port}/api/logs?source_name=${sink}`
  for (let i = 0; i < events.length; i += BATCH_EVENTS) {
    const batch = events.slice(i, i + BATCH_EVENTS)
    const bodies = [batch.map(({ event }) => event)]
    const options = { uri, framing: 'json array', compression: 'none', ...RETRY } as const
    const { statuses, dropped } = await shipLikeVector(bodies, options)
    expect(dropped).toBe(0)
    // A request without an answer may have been stored.
    const times = (statuses['200'] ?? 0) + (statuses.none ?? 0)
    for (const { number } of batch) sent.set(number!, times)
  }
}

/** Returns how often each event is stored, by the event's number. */
async function storedNumbers(service: Served): Promise<Map<number, number>> {
  const stored = new Map<number, number>()
  for (const source of Object.values(SOURCE_OF)) {
    for (let after = -1, rows: { number: number; times: number }[] = []; ; after = rows.at(-1)!.number) {
      const sql =
        `select cast(regexp_extract(event_message, r'\\bnr\\W?(\\d+)') as int64) as number, count(*) as times ` +
        `from ${source} group by number having number > ${after} order by number limit 1000`
      rows = await service.rows(`logs.all?project=${STACK_PROJECT}&sql=${encodeURIComponent(sql)}`)
      if (rows.length === 0) break
      for (const { number, times } of rows) stored.set(number, times)
    }
  }
  return stored
}
