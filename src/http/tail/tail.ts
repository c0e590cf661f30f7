/** `GET /api/tail`: the edge records of a project as they arrive, as server-sent events. */
import type { Clock } from '../../base/clock.js'
import { LogweirError } from '../../base/errors.js'
import type { Log } from '../../base/log.js'
import type { Metrics } from '../../base/metrics.js'
import type { Engine } from '../../engine/engine.js'
import type { Access } from '../../tokens/access.js'
import { createConcurrencyLimit } from '../query/concurrency.js'
import { CORS_HEADERS } from '../reply/cors.js'
import type { ErrorForm } from '../reply/error-form.js'
import { refusals, toPublicError } from '../reply/errors.js'
import { streamBody } from '../reply/stream.js'
import { createChannels } from './channels.js'
import { type Cursor, readCursor } from './cursor.js'
import type { TailLimits } from './limits.js'
import { createReader, type TailReader } from './reader.js'
import { createSendRate } from './send-rate.js'

/** The surroundings of the tails. */
export interface TailParts {
  follow: Engine['follow']
  metrics: Pick<Metrics, 'tailsOpen' | 'tailsDropped' | 'queriesRunning'>
  clock: Clock
  log: Log
  limits: TailLimits
  errorForm: ErrorForm
}

/** All live tails of the service. */
export interface Tails {
  /**
   * Answers GET or HEAD. `access` returns the access of the token; it is called again while the tail lasts. `breakOff`
   * closes the connection of a client that does not read. Throws `missing_parameter`, `duplicate_parameter`,
   * `invalid_last_event_id`, `forbidden_project`, or `overloaded` if there are too many tails.
   */
  answer(request: Request, access: () => Access | undefined, breakOff?: () => void): Response
  /** Ends all tails and refuses new ones with `stopping`. Called at shutdown. */
  close(): void
}

const HEADERS = {
  ...CORS_HEADERS,
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  // nginx would buffer the events.
  'X-Accel-Buffering': 'no',
} as const

/** Tails have concurrency slots of their own for stored rows, and wait for them as queries do. */
const READING = { queriesAtOnce: 2, waitMs: 10_000, queryMs: 30_000 }

/** Creates the tails, with none open. */
export function createTails({ follow, metrics, clock, log, limits, errorForm }: TailParts): Tails {
  const shared = { clock, limits, errorForm }
  const channels = createChannels({ follow, ...shared })
  const concurrency = createConcurrencyLimit(
    { ...READING, queriesWaiting: limits.tails },
    clock,
    metrics.queriesRunning,
  )
  const sendRate = createSendRate(limits.sentBytesPerS, limits.sentBurstBytes, clock)
  const readers = new Set<TailReader>()
  let isClosed = false

  function open(
    project: string,
    cursor: Cursor | undefined,
    isAllowed: () => boolean,
    breakOff: () => void,
  ): TailReader {
    const channel = channels.acquire(project)
    const reader = createReader({
      channel,
      cursor,
      ...shared,
      concurrency,
      sendRate,
      isAllowed,
      breakOff,
      toPublicError: (error) => toPublicError(error, log),
      onEnd({ code }) {
        if (code === 'slow_reader') metrics.tailsDropped.inc()
      },
      onLeave() {
        readers.delete(reader)
        channels.release(channel)
        metrics.tailsOpen.set(readers.size)
      },
    })
    readers.add(reader)
    metrics.tailsOpen.set(readers.size)
    return reader
  }

  return {
    answer(request, access, breakOff = () => {}) {
      const project = projectOf(new URL(request.url).searchParams)
      if (access()?.projects?.has(project) === false) throw refusals.forbiddenProject()
      const cursor = cursorOf(request.headers)
      if (request.method === 'HEAD') return new Response(null, { headers: HEADERS })
      if (isClosed) throw stopping()
      if (readers.size >= limits.tails) throw tooMany(limits.tails)
      const rest = open(project, cursor, () => permits(access(), project), breakOff)
      return new Response(streamBody({ head: undefined, rest }, breakOff), { headers: HEADERS })
    },
    close() {
      isClosed = true
      for (const reader of readers) reader.end(stopping())
      channels.close()
    },
  }
}

/** Whether a token, which may have changed since the tail was opened, still permits it. */
const permits = (access: Access | undefined, project: string) =>
  access?.scopes.has('query') === true && access.projects?.has(project) !== false

const stopping = () =>
  new LogweirError('stopping', 'The service is shutting down. Reconnect shortly, with Last-Event-ID.')

const tooMany = (tails: number) =>
  new LogweirError('overloaded', `There are ${tails} live tails already. Try again when one has ended.`)

function projectOf(params: URLSearchParams): string {
  const [project, ...others] = params.getAll('project')
  if (others.length > 0) throw refusals.twice('project')
  if (project) return project
  throw new LogweirError(
    'missing_parameter',
    'The parameter "project" is missing or empty. Give it a value: ?project=…',
  )
}

function cursorOf(headers: Headers): Cursor | undefined {
  const text = headers.get('last-event-id')
  if (!text) return undefined
  const cursor = readCursor(text)
  if (cursor !== undefined) return cursor
  throw new LogweirError(
    'invalid_last_event_id',
    'Last-Event-ID is not an id of this service. Send the id of the last event unchanged, or none.',
  )
}
