import { describe, expect, it } from 'vitest'
import { HEAD_BYTES } from '../../../src/ingest/lines/check-lines.js'
import { mulberry32 } from '../../support/random.js'
import { runs } from '../../support/runs.js'
import { INVALID_JSON, VALID_JSON } from '../json-cases.js'
import { NOT_UTF8 } from '../json-test-suite.js'
import { FEED, NOW_US, type Parse, parse, parseChunks } from '../parsing.js'

/** How many times the corpus is split at random. */
const SPLITS = runs(60)

const record = (id: string, more: object = {}) =>
  JSON.stringify({ source: 'edge_logs', id, timestamp: NOW_US, ...more })
const ids = ({ rows }: Parse) => rows.map(({ id }) => id)
const faults = ({ rejects }: Parse) => rejects.map(({ line, reason }) => [line, reason])
const bytes = (...values: number[]) => Buffer.from(values)

/** Returns a record of exactly `length` bytes. */
function recordOf(id: string, length: number): string {
  const empty = record(id, { event_message: '' })
  return record(id, { event_message: 'x'.repeat(length - empty.length) })
}

describe('I3: split anywhere', () => {
  const corpus = Buffer.concat([
    bytes(0xef, 0xbb, 0xbf),
    ...[...VALID_JSON, ...INVALID_JSON].map((text, i) =>
      Buffer.from(
        `${text}\n${record(`${i}`, { project: `é${i % 5}`, metadata: { request: { url: '€😀', path: text } } })}\r\n`,
      ),
    ),
    ...Object.values(NOT_UTF8).map((text) => Buffer.from(`${text}\n`, 'latin1')),
    Buffer.from('\n \t\r\n'),
    Buffer.from(`{"source":"edge_logs","id":"`),
    bytes(0xf0, 0x9f, 0x98, 0x0a, 0xc3, 0x28, 0x0a, 0xed, 0xa0, 0x80, 0x0a),
    Buffer.from(
      `${record('long', { event_message: 'y'.repeat(3000) })}\n${record('last', { event_message: '\u2028' })}`,
    ),
  ])
  const options = { maxLineBytes: 2500, batchRows: 50 }
  const comparable = ({ rows, rejects, batches }: Parse) => ({
    rows,
    rejects: rejects.map((reject) => ({ ...reject, bytes: Buffer.from(reject.bytes).toString('hex') })),
    sizes: batches.map((batch) => batch.rows),
  })
  const whole = comparable(parse(corpus, options))

  it('in one piece it is as expected', () => {
    expect(whole.rows).toHaveLength(VALID_JSON.length + INVALID_JSON.length + 1)
    expect(whole.rejects.slice(-4).map(({ reason }) => reason)).toEqual([
      'invalid_utf8',
      'invalid_utf8',
      'invalid_utf8',
      'line_too_long',
    ])
  })

  it.each(Array.from({ length: SPLITS }, (_, seed) => seed))('seed %i', (seed) => {
    const random = mulberry32(seed)
    const most = 2 ** Math.floor(1 + random() * 16)
    const chunks: Buffer[] = []
    for (let start = 0; start < corpus.length; ) {
      const end = start + 1 + Math.floor(random() * most)
      chunks.push(corpus.subarray(start, end))
      start = end
    }
    const either = () => (random() < 0.5 ? FEED.pushed : FEED.read)
    for (const feed of [() => FEED.pushed, () => FEED.read, either]) {
      expect(comparable(parseChunks(chunks, options, feed))).toEqual(whole)
    }
  })

  it.each([FEED.pushed, FEED.read])('byte by byte: %o', (feed) => {
    const each = [...corpus].map((byte) => bytes(byte))
    expect(comparable(parseChunks(each, options, () => feed))).toEqual(whole)
  })
})

describe('I2: line lengths', () => {
  const limit = 300
  const options = { maxLineBytes: limit }

  it.each([-1, 0, 1, 100, limit])('limit and %i, at every place', (more) => {
    const long = recordOf('long', limit + more)
    expect(long).toHaveLength(limit + more)
    const fits = more <= 0
    for (let place = 0; place < 3; place++) {
      const lines = [record('a'), record('b')]
      lines.splice(place, 0, long)
      for (const end of ['', '\n', '\r\n']) {
        const cut = end === '\r\n' && more === 0 && place === 2
        const result = parse(lines.join('\n') + end, options)
        expect(ids(result)).toEqual(['a', 'b'].toSpliced(place, 0, ...(fits && !cut ? ['long'] : [])))
        expect(faults(result)).toEqual(fits && !cut ? [] : [[place + 1, 'line_too_long']])
      }
    }
    expect(ids(parse(long, options))).toEqual(fits ? ['long'] : [])
  })

  it.each([FEED.pushed, FEED.read])('keeps the head of a line that never ends, and counts on behind it: %o', (feed) => {
    const chunk = Buffer.alloc(1000, 'z')
    const chunks = [Buffer.from(record('a')), Buffer.from('\nzz'), ...Array.from({ length: 5000 }, () => chunk)]
    const result = parseChunks([...chunks, Buffer.from(`\n\n${record('b')}\nx`)], options, () => feed)
    expect(ids(result)).toEqual(['a', 'b'])
    expect(faults(result)).toEqual([
      [2, 'line_too_long'],
      [5, 'invalid_json'],
    ])
    expect(result.rejects[0]!.bytes.length).toBeLessThanOrEqual(HEAD_BYTES)
    expect(Buffer.from(result.rejects[0]!.bytes).toString()).toMatch(/^z+$/)
  })

  it('judges length first', () => {
    const long = Buffer.concat([Buffer.from('{"a":'), Buffer.alloc(400, 0xff), Buffer.from(`\n${record('a')}`)])
    expect(faults(parse(long, options))).toEqual([[1, 'line_too_long']])
    expect(faults(parse(`${' '.repeat(400)}\n`, options))).toEqual([[1, 'line_too_long']])
  })
})

describe('I6: UTF-8', () => {
  it.each([
    ['a lone continuation', [0x80]],
    ['a cut sequence', [0xe2, 0x82]],
    ['an overlong form', [0xc0, 0xaf]],
    ['an overlong form of three', [0xe0, 0x80, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['beyond the last code point', [0xf4, 0x90, 0x80, 0x80]],
    ['a byte that is never used', [0xff]],
    ['a cut before the end of the line', [0xf0, 0x9f, 0x98]],
  ])('%s is refused, its neighbours are not', (_name, sequence) => {
    const line = Buffer.concat([Buffer.from('{"source":"edge_logs","id":"'), bytes(...sequence), Buffer.from('"}')])
    const text = Buffer.concat([
      Buffer.from(`${record('é')}\n`),
      line,
      Buffer.from(`\n${record('😀')}\n`),
      bytes(...sequence),
    ])
    const result = parse(text)
    expect(ids(result)).toEqual(['é', '😀'])
    expect(faults(result)).toEqual([
      [2, 'invalid_utf8'],
      [4, 'invalid_utf8'],
    ])
    expect(Buffer.from(result.rejects[0]!.bytes)).toEqual(line)
  })

  it('is judged before the JSON', () => {
    expect(faults(parse(bytes(0x7b, 0xff)))).toEqual([[1, 'invalid_utf8']])
  })

  it('passes over a byte order mark at the very start, and nowhere else', () => {
    const mark = '\ufeff'
    expect(faults(parse(`${mark}${record('a')}\n${mark}${record('b')}`))).toEqual([[2, 'invalid_json']])
    expect(faults(parse(`\n${mark}${record('b')}`))).toEqual([[2, 'invalid_json']])
    expect(ids(parse(`${mark}\n${record('a')}`))).toEqual(['a'])
    expect(faults(parse(mark))).toEqual([])
    const chunks = [mark + recordOf('a', 300), '\n', recordOf('b', 300)].map((text) => Buffer.from(text))
    expect(ids(parseChunks(chunks, { maxLineBytes: 300 }))).toEqual(['a', 'b'])
  })
})

describe('lines', () => {
  it('are counted from 1, blank ones too', () => {
    const result = parse(`\n \t \nx\n\r\n${record('a')}\r\n\n[]\n`)
    expect(ids(result)).toEqual(['a'])
    expect(faults(result)).toEqual([
      [3, 'invalid_json'],
      [7, 'not_an_object'],
    ])
  })

  it.each(['', '\n', '\n\n', ' ', '\r\n', '\t\n '])('none in %j', (text) => {
    const result = parse(text)
    expect([result.batches, result.rejects]).toEqual([[], []])
  })

  it('keep their order over more lines and bytes than the scanner takes at once', () => {
    const wanted = Array.from({ length: 3000 }, (_, i) => `${i}`)
    const text = wanted.map((id) => record(id, { event_message: 'm'.repeat((Number(id) * 7) % 400) })).join('\n')
    expect(ids(parse(text, { maxLineBytes: 500, scannedLines: 7 }))).toEqual(wanted)
  })
})
