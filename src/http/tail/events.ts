import type { Row } from '../../engine/engine.js'
import { createRowJson } from '../formats/json.js'
import { type Cursor, writeCursor } from './cursor.js'

/** Server-sent events, as WHATWG's HTML standard has them ("Server-sent events", "Parsing an event stream"). */

/** The first bytes of a stream: a reader that is cut off comes back after 2 s. */
export const BEGINNING = Buffer.from('retry: 2000\n: logweir\n\n')
export const KEEP_ALIVE = Buffer.from(': keep-alive\n\n')

const rowJson = createRowJson()
const GAP = 'gap'

/** A line that ends a line of the stream is white space where JSON may have one: within a text it is escaped. */
const LINE_ENDS = /[\r\n]/g

/** The event of a record: the row as one line of JSON. Where no cursor is given an id line is to go before it. */
export function recordEvent(row: Row, cursor?: Cursor): Buffer {
  const id = cursor === undefined ? '' : idText(cursor)
  return Buffer.from(`${id}data: ${rowJson(row).replace(LINE_ENDS, ' ')}\n\n`)
}

/** The line that tells a reader how far it has read; without data behind it that is all that it does. */
export function idLine(cursor: Cursor): Buffer {
  return Buffer.from(idText(cursor))
}

const idText = (cursor: Cursor) => `id: ${writeCursor(cursor)}\n`

/** Where no data follows. */
export const NO_DATA = Buffer.from('\n')

/** The last event: why the stream ends. */
export function droppedEvent({ message, code }: { message: string; code: string }): Buffer {
  return namedEvent('dropped', { error: message, code })
}

/** Records were left out; those from `fromUs` on follow. */
export function gapEvent(fromUs: number): Buffer {
  const error =
    'More records came than are sent again: those before the time "from" (µs) are left out. logs.all has them.'
  return namedEvent(GAP, { error, code: GAP, from: fromUs })
}

function namedEvent(name: string, data: object): Buffer {
  return Buffer.from(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
}
