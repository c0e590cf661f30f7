/** `GET /api/tail`: the newly arriving records of a project and a source, as server-sent events. */

import { LogweirError } from '../../base/errors.js'
import type { Log } from '../../base/log.js'
import type { Metrics } from '../../base/metrics.js'
import type { Clock } from '../../base/time/clock.js'
import { missingParameter } from '../../endpoints/params.js'
import { refuseUnknown } from '../../endpoints/unknown-parameters.js'
import type { Engine } from '../../engine/engine.js'
import { type Access, projectForNone } from '../../tokens/access.js'
import { createConcurrencyLimit } from '../query/concurrency.js'
import type { DeletedRows } from '../query/current-rows.js'
import type { ErrorForm } from '../reply/error-form.js'
import { refusals, toPublicError } from '../reply/errors.js'
import { streamBody } from '../reply/stream.js'
import type { Channel } from './channel.js'
import { createChannels } from './channels.js'
import { type Cursor, readCursor } from './cursor.js'
import { EVENT_HEADERS, type EventStream, stopping } from './event-stream.js'
import type { TailLimits } from './limits.js'
import { createReader } from './reader.js'
import { createSendRate } from './send-rate.js'
import { EDGE_ROWS, onlyValue, readTailRows, streamName, type TailRows } from './tail-rows.js'

/** The surroundings of the tails. */
export interface TailsOptions {
  follow: Engine['follow']
  metrics: Pick<Metrics, 'tailsOpen' | 'tailsDropped' | 'queriesRunning'>
  clock: Clock
  log: Log
  limits: TailLimits
  errorForm: ErrorForm
  /** The project of requests that name none. */
  defaultProject?: string | undefined
}

/** All live tails of the service. */
export interface Tails {
  /**
   * Answers GET or HEAD. `access` returns the access of the token, and is called again while the tail lasts. `breakOff`
   * closes the connection of a client that does not read. Throws `missing_parameter`, `duplicate_parameter`,
   * `invalid_parameter`, `invalid_pattern`, `invalid_last_event_id`, `forbidden_project`, or `overloaded` if there are
   * too many tails.
   */
  answer(request: Request, access: () => Access | undefined, breakOff?: () => void): Response
  /** Ends the tails of a project and some sources, and forgets their records. */
  forgetRows(rows: DeletedRows): void
  /** Ends all tails and refuses new tails with `stopping`. Called at shutdown. */
  close(): void
}

/** Tails have separate concurrency slots for stored rows, and wait for a slot as queries do. */
const READING = { queriesAtOnce: 2, waitMs: 10_000, queryMs: 30_000 }

/** A tail reads once for the reader, and once more if the tail opens a channel with a filter. */
const createReading = ({ limits, clock, metrics }: TailsOptions) =>
  createConcurrencyLimit({ ...READING, queriesWaiting: 2 * limits.tails }, clock, metrics.queriesRunning)

/** Creates the tails, with none open. */
export function createTails(options: TailsOptions): Tails {
  const { follow, metrics, clock, log, limits, errorForm, defaultProject } = options
  const shared = { clock, limits, errorForm }
  const concurrency = createReading(options)
  const channels = createChannels({ follow, ...shared, concurrency })
  const sendRate = createSendRate(limits.sentBytesPerS, limits.sentBurstBytes, clock)
  const readers = new Map<EventStream, Channel>()
  let isClosed = false

  function open(
    { project, tailRows, cursor }: TailRequest,
    isAllowed: () => boolean,
    breakOff: () => void,
  ): EventStream {
    const channel = channels.acquire(project, tailRows)
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
    readers.set(reader, channel)
    metrics.tailsOpen.set(readers.size)
    return reader
  }

  return {
    answer(request, access, breakOff = () => {}) {
      const asked = readRequest(request, access()?.projects, defaultProject)
      if (request.method === 'HEAD') return new Response(null, { headers: EVENT_HEADERS })
      if (isClosed) throw stopping()
      if (readers.size >= limits.tails) throw tooMany(limits.tails)
      const rest = open(asked, () => permits(access(), asked.project), breakOff)
      return new Response(streamBody({ head: undefined, rest }, breakOff), { headers: EVENT_HEADERS })
    },
    forgetRows({ project, sources }) {
      const isConcerned = (one: Channel) => one.project === project && sources.has(one.tailRows.source)
      for (const [reader, channel] of readers) if (isConcerned(channel)) reader.end(rowsDeleted())
      channels.close(isConcerned)
    },
    close() {
      isClosed = true
      for (const reader of readers.keys()) reader.end(stopping())
      channels.close()
    },
  }
}

/** The parameters of a tail. */
interface TailRequest {
  project: string
  tailRows: TailRows
  /** The position at which the client lost the connection. Undefined for a new client. */
  cursor: Cursor | undefined
}

/** Reads the parameters of a tail. With `projects`, other projects are refused. */
function readRequest(
  { url, headers }: Request,
  projects: ReadonlySet<string> | undefined,
  defaultProject: string | undefined,
): TailRequest {
  const params = new URL(url).searchParams
  refuseUnknown(params, TAIL_PARAMETERS)
  const project = onlyValue(params, 'project') ?? projectForNone(projects, defaultProject)
  if (project === undefined) throw missingParameter('project')
  if (projects?.has(project) === false) throw refusals.forbiddenProject()
  const tailRows = readTailRows(params)
  return { project, tailRows, cursor: cursorOf(headers, project, tailRows) }
}

const TAIL_PARAMETERS = ['project', 'source', 'filter', 'search']

/** Whether a token, which may have changed since the tail was opened, still permits the tail. */
const permits = (access: Access | undefined, project: string) =>
  access?.scopes.has('query') === true && access.projects?.has(project) !== false

const rowsDeleted = () =>
  new LogweirError('stopping', 'Rows that this tail reads were deleted. Reconnect, with Last-Event-ID.')

const tooMany = (tails: number) =>
  new LogweirError('overloaded', `There are ${tails} live tails already. Try again when one has ended.`)

/** Reads Last-Event-ID. The rank of an id counts the rows of a single tail: an id of another tail is refused. */
function cursorOf(headers: Headers, project: string, tailRows: TailRows): Cursor | undefined {
  const text = headers.get('last-event-id')
  if (!text) return undefined
  const cursor = readCursor(text)
  if (cursor === undefined) {
    throw wrongId('is not an id of this service. Send the id of the last event unchanged, or none.')
  }
  const { stream, live } = cursor
  // Earlier versions had tails of all edge records alone. Without a channel, the id may be the place of any row.
  const isOther =
    stream === undefined
      ? live !== undefined && !isOfAllEdgeRecords(tailRows)
      : stream !== streamName(project, tailRows)
  if (isOther) throw wrongId('is of another project, source, filter or search. Send an id of this tail, or none.')
  return cursor
}

const isOfAllEdgeRecords = ({ key }: TailRows) => key === EDGE_ROWS.key

const wrongId = (fault: string) => new LogweirError('invalid_last_event_id', `Last-Event-ID ${fault}`)
