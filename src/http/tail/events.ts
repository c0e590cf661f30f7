import type { Row } from '../../plan/answer.js'
import { createRowJson } from '../formats/json.js'
import { type ErrorForm, errorJson } from '../reply/error-form.js'
import { type Cursor, writeCursor } from './cursor.js'

/** Server-sent events (WHATWG HTML, "Server-sent events", "Parsing an event stream"). */

/** The first bytes of a stream. A client that loses the connection reconnects after 2 s. */
export const BEGINNING = Buffer.from('retry: 2000\n: logweir\n\n')
/** A comment, sent while there are no records, so that proxies keep the connection open. */
export const KEEP_ALIVE = Buffer.from(': keep-alive\n\n')

const rowJson = createRowJson()
const GAP = 'gap'

/**
 * Line ends would end a line of the stream. In JSON, line ends are white space between tokens. Within texts, line ends
 * are escaped.
 */
const LINE_ENDS = /[\r\n]/g

/**
 * Returns the event of a record: the row as a line of JSON. Without a cursor, the caller puts an id line before the
 * event.
 */
export function recordEvent(row: Row, cursor?: Cursor): Buffer {
  const id = cursor === undefined ? '' : idText(cursor)
  return Buffer.from(`${id}data: ${rowLine(row)}\n\n`)
}

/** Returns a row as JSON on one line. */
export const rowLine = (row: Row): string => rowJson(row).replace(LINE_ENDS, ' ')

/** Returns the line that states the reader's position. An id line without data only sets the client's Last-Event-ID. */
export function idLine(cursor: Cursor): Buffer {
  return Buffer.from(idText(cursor))
}

const idText = (cursor: Cursor) => `id: ${writeCursor(cursor)}\n`

/** Ends an id line that has no data. */
export const NO_DATA = Buffer.from('\n')

/** Returns the last event of a stream: the reason why the stream ends. */
export function droppedEvent(reason: { message: string; code: string }, form: ErrorForm): Buffer {
  return namedEvent('dropped', errorJson(reason, form))
}

/** Returns the event that says that records were left out. Records from `fromUs` on follow. */
export function gapEvent(fromUs: number, form: ErrorForm): Buffer {
  const message =
    'More records arrived than can be sent: those before the time "from" (µs) are left out. A query has them.'
  return namedEvent(GAP, errorJson({ message, code: GAP }, form, { from: fromUs }))
}

function namedEvent(name: string, json: string): Buffer {
  return Buffer.from(`event: ${name}\ndata: ${json}\n\n`)
}
