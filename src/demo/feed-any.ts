import { stateError } from '../base/failures.js'
import { createRandom, type Random } from '../generate/values/random.js'
import { ANY_SOURCES, type AnySource, anyLine } from './any-lines.js'
import type { DemoService } from './service.js'

/** The project of the rows. */
export const ANY_PROJECT = 'shop'
const SEED = 1
/** The rows that are there at first are of the last hour. */
const SPAN_MS = 3_600_000
/** One row in this many is of `app`, the others are of `nginx`. */
const APP_EVERY = 5
/** Rows of a request: far below the limit of a body. */
const BATCH_ROWS = 10_000
/** New rows arrive at this interval. */
const LIVE_MS = 1_000
const LIVE_ROWS = 5

/** The fields of pino that hold time and message. Those of nginx have the names that are read by default. */
const NAMES: Readonly<Record<AnySource, string>> = { nginx: '', app: '&time_field=time&message_field=msg' }

/** Sends `rows` generated rows of the last hour to the service. Throws `failed` if the service refuses them. */
export async function feedAny(service: DemoService, rows: number): Promise<void> {
  // The service reads nothing from standard input.
  service.child.stdin.end()
  await service.inputEnded
  const random = createRandom(SEED)
  const nowMs = Date.now()
  for (let from = 0; from < rows; from += BATCH_ROWS) {
    const numbers = Array.from({ length: Math.min(BATCH_ROWS, rows - from) }, (_, i) => from + i)
    const times = numbers.map((number) => Math.round(nowMs - SPAN_MS * (1 - (number + 1) / rows)))
    await send(service, random, times)
  }
}

/** Sends some rows every second, until the service ends or refuses rows. The demo reports the exit of the service. */
export function keepFeeding(service: DemoService): void {
  const random = createRandom(SEED, 1)
  const timer = setInterval(() => {
    const times = Array.from({ length: 1 + random.below(2 * LIVE_ROWS) }, () => Date.now() - random.below(LIVE_MS))
    send(service, random, times).catch(stop)
  }, LIVE_MS)
  const stop = () => clearInterval(timer)
  service.child.once('exit', stop)
}

/** Sends a row for each time, in milliseconds since the epoch. */
async function send({ url, token }: DemoService, random: Random, timesMs: readonly number[]): Promise<void> {
  const lines: Record<AnySource, string> = { nginx: '', app: '' }
  for (const timeMs of timesMs) {
    const source = random.below(APP_EVERY) === 0 ? 'app' : 'nginx'
    lines[source] += anyLine(source, random, timeMs)
  }
  for (const source of ANY_SOURCES) {
    if (lines[source] === '') continue
    const address = `${url}/api/logs?source=${source}&project=${ANY_PROJECT}${NAMES[source]}`
    const headers = { 'X-API-KEY': token, 'Content-Type': 'application/x-ndjson' }
    const answer = await fetch(address, { method: 'POST', headers, body: lines[source] })
    const text = await answer.text()
    if (!answer.ok) throw stateError(`${address} answered ${answer.status}: ${text}`)
  }
}
