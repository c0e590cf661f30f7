import { LogweirError } from '../base/errors.js'
import type { Log } from '../base/log.js'
import { isDoneWithin } from '../base/scheduling/time-limit.js'
import type { Engine } from '../engine/engine.js'
import type { App } from '../http/app.js'
import type { Listening } from '../http/server/server.js'
import type { StdinReader } from '../ingest/stream/stdin.js'

/**
 * The limits of a stop, counted from the begin, in the order of the constants: requests that have not arrived yet get
 * 503. Other requests that still wait get 503. The rows of standard input that are not stored yet are counted as lost.
 * The data directory is left unchanged, since a disk may hang.
 */
const BODY_MS = 2_500
const ANSWER_MS = 3_700
const GIVE_UP_MS = 3_500
const CLOSE_MS = 4_400

/** The components of a service that a stop ends, in the order of the stop. */
export interface RunningService {
  engine: Pick<Engine, 'stopWaiting'>
  app: Pick<App, 'beginStop'>
  server: Pick<Listening, 'close'>
  /** Undefined if standard input is not read. */
  stdin: StdinReader | undefined
  /** Releases everything after the last row and the last answer. */
  close(): Promise<void>
  /** The data directory, for messages. Undefined if there is none. */
  dataDir: string | undefined
  log: Log
}

/**
 * Stops accepting input, finishes pending rows and queries, and releases everything, within 4.5 s. Writes to a failing
 * disk get one last attempt.
 */
export async function stopService({ engine, app, server, stdin, close, dataDir, log }: RunningService): Promise<void> {
  const startMs = performance.now()
  // From now on refused rows of standard input are counted, so this comes before their writes are refused.
  const stdinEnded = stdin?.stop()
  engine.stopWaiting()
  app.beginStop(ANSWER_MS, BODY_MS)
  const giveUp = setTimeout(() => stdin?.giveUp(tooSlow(dataDir)), GIVE_UP_MS)
  await Promise.all([stdinEnded, server.close()])
  clearTimeout(giveUp)
  if (await isDoneWithin(startMs + CLOSE_MS - performance.now(), close())) return
  log(`${tooSlow(dataDir).message} It is left as it is: the next start reads the rows that are stored.`, {
    level: 'error',
    code: 'stop_broken_off',
  })
}

const tooSlow = (dataDir: string | undefined) =>
  new LogweirError(
    'stop_broken_off',
    `The ${dataDir === undefined ? 'service' : `disk of ${dataDir}`} does not answer.`,
  )
