import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ErrorForm } from '../../../src/http/reply/error-form.js'
import {
  BEGINNING,
  droppedEvent,
  gapEvent,
  idLine,
  KEEP_ALIVE,
  NO_DATA,
  recordEvent,
} from '../../../src/http/tail/events.js'
import { RawJson } from '../../../src/plan/values/values.js'
import { parseEvents } from '../../support/events.js'

const text = (...pieces: Buffer[]) => Buffer.concat(pieces).toString()
const live = { channel: '0123456789ab', number: 7 }

it('a stream begins with how soon to come back, and a comment', () => {
  expect(parseEvents(text(BEGINNING))).toEqual({ events: [], comments: ['logweir'], lastEventId: '', retryMs: 2000 })
})

it('a comment keeps a connection alive and is no event', () => {
  expect(text(KEEP_ALIVE)).toBe(': keep-alive\n\n')
  expect(parseEvents(text(KEEP_ALIVE)).events).toEqual([])
})

it('a record is one event without a name, its data a line of JSON', () => {
  const row = { id: 'x', timestamp: 5, event_message: 'GET', metadata: new RawJson('{"n": 1.0}') }
  const sent = text(idLine({ timestampUs: 5, rank: 1 }), recordEvent(row))
  expect(sent).toBe('id: 5.1\ndata: {"id":"x","timestamp":5,"event_message":"GET","metadata":{"n": 1.0}}\n\n')
})

it('an id without data moves the last id and is no event', () => {
  const { events, lastEventId } = parseEvents(text(idLine({ timestampUs: 5, rank: 1, live }), NO_DATA))
  expect([events, lastEventId]).toEqual([[], '5.1.0123456789ab.7'])
})

it('why a stream ends, and what is left out, are events with names', () => {
  const sent = (form: ErrorForm) => {
    const reason = { message: 'Too slow.', code: 'slow_reader' }
    const { events } = parseEvents(text(droppedEvent(reason, form), gapEvent(42, form)))
    return events.map(({ type, data }) => [type, JSON.parse(data)])
  }
  expect(sent('flat')).toEqual([
    ['dropped', { error: 'Too slow.', code: 'slow_reader' }],
    ['gap', { error: expect.any(String), code: 'gap', from: 42 }],
  ])
  expect(sent('nested')).toEqual([
    ['dropped', { error: { message: 'Too slow.', code: 'slow_reader' } }],
    ['gap', { error: { message: expect.any(String), code: 'gap' }, from: 42 }],
  ])
})

/** White space between JSON tokens. */
const space = fc.string({ unit: fc.constantFrom(' ', '\t', '\r', '\n'), maxLength: 4 })

it('any texts, and metadata with line ends between its tokens, come through whole', () => {
  const pieces = fc.constantFrom(
    '\n',
    '\r',
    '\r\n',
    '\n\n',
    'data: ',
    'id: ',
    ':',
    ' ',
    '\u2028',
    '\0',
    '"',
    '\\',
    'é',
    '😀',
  )
  const value = fc.string({ unit: pieces, maxLength: 8 })
  fc.assert(
    fc.property(fc.array(fc.tuple(value, value, value, space), { maxLength: 5 }), (rows) => {
      const sent = rows.map(([id, message, inside, blank]) => {
        const metadata = new RawJson(`{${blank}"k"${blank}:${blank}${JSON.stringify(inside)}${blank}}`)
        return text(idLine({ timestampUs: 1, rank: 1 }), recordEvent({ id, event_message: message, metadata }))
      })
      const { events } = parseEvents(sent.join(''))
      expect(events.map(({ type, data }) => [type, JSON.parse(data)])).toEqual(
        rows.map(([id, event_message, k]) => ['message', { id, event_message, metadata: { k } }]),
      )
    }),
  )
})
