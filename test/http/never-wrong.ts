import { expect } from 'vitest'
import { LogweirError } from '../../src/base/errors.js'
import { ENDPOINTS } from '../../src/endpoints/index.js'
import type { Engine } from '../../src/engine/engine.js'
import { jsonFormat } from '../../src/http/formats/json.js'
import { encodeAll } from '../../src/http/reply/chunks.js'
import { createFakeClock } from '../support/clock.js'
import { appendAll, openEngine } from '../support/engine.js'
import { below, mulberry32, oneOf, type Random } from '../support/random.js'
import { edge, invocation, type TestRecord } from '../support/records.js'
import { testSeed } from '../support/seed.js'
import { createTestApp, settle } from './support.js'

/**
 * A cached answer is never wrong, only old, and states the age: it equals the answer of an engine without a cache at
 * the time that Age implies, over the rows that had arrived by then. Rows arrive and time passes at random, in whole
 * seconds, so that Age states the time exactly. Runs fail or take long at random, too.
 */

/** Fewer entries than different queries, so that entries are evicted as well. */
const LIMITS = { cacheEntries: 8 }
const STEPS_A_LIFE = 100
const TTL_S = 900
const SECOND_MS = 1_000
const SECOND_US = 1_000_000

const QUESTIONS = [
  ...['5min', '15min', '1hr', '1day', '7day'].map(
    (interval) => `functions.invocation-stats?project=a&interval=${interval}`,
  ),
  'functions.invocation-stats?project=b&interval=5min',
  'functions.invocation-stats?project=a&interval=5min&function_id=f',
  ...['minutely', 'hourly', 'daily'].map((interval) => `usage.api-counts?project=a&interval=${interval}`),
  'usage.api-counts?project=a.*f&interval=minutely',
  'usage.api-counts?project=b&interval=minutely',
]

/** The records that arrived at `atUs`. */
interface Arrival {
  atUs: number
  records: readonly TestRecord[]
}

/** An answer, the time of the response, and the time of the rows according to Age. */
interface Observed {
  question: string
  askedUs: number
  momentUs: number
  body: string
}

/** Counts over all runs. */
interface Seen {
  answers: number
  hits: number
  /** Answers that would have been different without the cache. */
  outdated: number
  refused: number
}

function arrivalAt(random: Random, nowUs: number): Arrival {
  const records = Array.from({ length: 1 + below(random, 4) }, () => {
    const project = oneOf(random, ['a', 'a', 'b'])
    const timestampUs = nowUs - below(random, oneOf(random, [2, 400, 90_000])) * SECOND_US
    if (random() < 0.5) {
      const request = {
        url: `https://${project}/${oneOf(random, ['f', 'g'])}`,
        path: oneOf(random, ['/rest', '/auth', '/x']),
      }
      return edge({ project, timestampUs, metadata: { request } })
    }
    const response = { status_code: oneOf(random, [200, 500]) }
    const metadata = { function_id: oneOf(random, ['f', 'g']), execution_time_ms: below(random, 1_000), response }
    return invocation({ project, timestampUs, metadata })
  })
  return { atUs: nowUs, records }
}

/** An engine that fails or delays runs at random. Delayed runs end when the test releases the runs. */
function moody(engine: Engine, random: Random) {
  const held: (() => void)[] = []
  const run: Engine['run'] = async (...given) => {
    if (random() < 0.1) throw new LogweirError('overloaded', 'Full.')
    const rows = engine.run(...given)
    if (random() < 0.2) await new Promise<void>((resolve) => held.push(resolve))
    return rows
  }
  const letGo = () => {
    for (const release of held.splice(0)) release()
  }
  return { run, letGo }
}

/** A run of a service: random steps, and all answers. */
async function live(random: Random, steps: number, seen: Seen) {
  const clock = createFakeClock()
  const inner = openEngine({ clock })
  const engine = moody(inner, random)
  const { get, app } = createTestApp({ engine, clock, limits: LIMITS })
  const arrivals: Arrival[] = []
  const observed: Observed[] = []

  let question = QUESTIONS[0]!

  /**
   * A delayed run is released within the second or later. If later, the answer to the first caller does not state the
   * time. The answers to joined callers and to later hits do.
   */
  async function ask(): Promise<void> {
    const askedUs = clock.nowUs()
    if (random() < 0.6) question = oneOf(random, QUESTIONS)
    const headers: Record<string, string> = random() < 0.1 ? { 'Cache-Control': 'no-cache' } : {}
    const reply = get(`/api/endpoints/query/${question}`, { headers })
    const answered = reply.then(() => clock.nowUs())
    await settle()
    if (random() < 0.5) await (random() < 0.5 ? arrive() : pass(1 + below(random, 20)))
    const response = await ended(reply)
    const answeredUs = await answered
    if (response.status !== 200) {
      seen.refused += 1
      return
    }
    const age = response.headers.get('age')
    if (age === null && answeredUs !== askedUs) return
    if (age !== null) seen.hits += 1
    expect(Number(age)).toBeLessThan(TTL_S)
    observed.push({ question, askedUs, momentUs: answeredUs - Number(age) * SECOND_US, body: await response.text() })
  }

  /** A run may be delayed after another was released. */
  async function ended(reply: Promise<Response>): Promise<Response> {
    let isEnded = false
    const ending = reply.finally(() => {
      isEnded = true
    })
    while (!isEnded) {
      engine.letGo()
      await settle()
    }
    return ending
  }

  /** Records are first queried a second after arrival, so that each time has one state. */
  async function arrive(): Promise<void> {
    const arrival = arrivalAt(random, clock.nowUs())
    arrivals.push(arrival)
    await appendAll(inner, arrival.records)
    await pass(1)
  }

  async function pass(seconds: number): Promise<void> {
    clock.advance(seconds * SECOND_MS)
    await settle()
  }

  for (let step = 0; step < steps; step++) {
    const chance = random()
    if (chance < 0.3) await arrive()
    else if (chance < 0.85) await ask()
    else await pass(below(random, oneOf(random, [10, 310, 1_000])))
  }
  engine.letGo()
  await settle()
  app.close()
  await inner.close()
  return { arrivals, observed }
}

/** Computes the answers again without a cache, each over the records that had arrived by the time of the answer. */
async function judge(arrivals: readonly Arrival[], observed: readonly Observed[], seen: Seen): Promise<void> {
  const engine = openEngine()
  let arrived = 0
  const answer = async (question: string, nowUs: number) => {
    for (; arrived < arrivals.length && arrivals[arrived]!.atUs < nowUs; arrived++) {
      await appendAll(engine, arrivals[arrived]!.records)
    }
    const [name, search] = question.split('?')
    const { plan } = ENDPOINTS.find((endpoint) => endpoint.name === name)!.call(new URLSearchParams(search))
    return Buffer.from(await encodeAll(await engine.run(plan(nowUs)), jsonFormat.encoder([]))).toString()
  }
  const checks = observed.flatMap((one) => [
    {
      atUs: one.momentUs,
      check: async () =>
        expect([one.question, one.body]).toEqual([one.question, await answer(one.question, one.momentUs)]),
    },
    {
      atUs: one.askedUs,
      check: async () => void (seen.outdated += one.body === (await answer(one.question, one.askedUs)) ? 0 : 1),
    },
  ])
  for (const { check } of checks.sort((a, b) => a.atUs - b.atUs)) await check()
  seen.answers += observed.length
  await engine.close()
}

/** Takes `steps` steps in several runs. Fails at the first answer that differs, or if too few cases occurred. */
export async function expectNeverWrong(steps: number): Promise<void> {
  const seed = testSeed()
  console.log(`C2 seed ${seed}`)
  const random = mulberry32(seed)
  const seen: Seen = { answers: 0, hits: 0, outdated: 0, refused: 0 }
  for (let taken = 0; taken < steps; taken += STEPS_A_LIFE) {
    const { arrivals, observed } = await live(random, STEPS_A_LIFE, seen)
    await judge(arrivals, observed, seen)
  }
  console.log('C2', JSON.stringify(seen))
  expect(seen.answers).toBeGreaterThan(steps / 5)
  expect(seen.hits).toBeGreaterThan(steps / 20)
  expect(seen.outdated).toBeGreaterThan(steps / 100)
  expect(seen.refused).toBeGreaterThan(0)
}
