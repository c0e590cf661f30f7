import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBodyParser, MAX_RECORDS } from '../../../src/ingest/body/body.js'
import type { BodyForm, Defaults } from '../../../src/ingest/thread/messages.js'
import { createModule } from '../../../src/ingest/wasm/module.js'
import { isJson } from '../../support/json.js'
import { runs } from '../../support/runs.js'
import { NOW_US, type ParsedRow, parse, RETENTION_US, rowsOf } from '../parsing.js'
import { splitByReference } from '../reference/split.js'
import { collectInto, type Reject } from '../rejected.js'

const SIZES = { maxLines: 16, maxLineBytes: 4096, batchRows: 64, batchBytes: 4096, retentionUs: RETENTION_US }
const module = createModule({ ...SIZES, capacityBytes: 1 << 21 })
/** Left-over bytes after a body. */
const LEFT_OVER = Buffer.from('"]}\\"]}'.repeat(8))

/** Splits a body. Returns the lines without surrounding white space, or the fault of the body. */
function split(text: string, maxRecords = MAX_RECORDS) {
  const body = Buffer.from(text, 'latin1')
  module.bytes.set(body)
  module.bytes.set(LEFT_OVER, body.length)
  const found = module.splitJson(0, body.length, maxRecords)
  if ('fault' in found) return found
  const lines = Buffer.from(module.bytes.slice(found.start, found.end)).toString('latin1').split('\n')
  if (found.records === 0) expect(lines.join('\n').trim()).toBe('')
  else expect(lines.length).toBe(found.records)
  return found.records === 0 ? [] : lines.map((line) => line.replace(/^[ \t\r]+|[ \t\r]+$/g, ''))
}

let rows: ParsedRow[] = []
let rejects: Reject[] = []
const parser = createBodyParser(
  { retentionUs: RETENTION_US, scannedLines: 64 },
  { batch: (batch) => rows.push(...rowsOf(batch)), reject: (...reject) => collectInto(rejects)(...reject) },
)

/** Parses a body. Returns the rows, the ids and the faults: record number, reason and text of each reject. */
function take(body: unknown, { form = 'json' as BodyForm, defaults = { source: 'edge_logs' } as Defaults } = {}) {
  rows = []
  rejects = []
  const isRaw = typeof body === 'string' || body instanceof Uint8Array
  const bytes = Buffer.from(isRaw ? (body as string) : JSON.stringify(body))
  const result = parser.parse({ bytes, form, defaults }, NOW_US)
  parser.flush()
  expect(result.taken).toBe(rows.length)
  expect(result.rejected).toBe(rejects.length)
  const faults = rejects.map(({ line, reason, bytes }) => [line, reason, Buffer.from(bytes).toString()])
  return { rows, faults, ids: rows.map(({ id }) => id) }
}

/** Keys with a meaning to the parser, and others, for objects at any level. */
const KEYS = [
  'source',
  'project',
  'project_ref',
  'metadata',
  'event_message',
  'message',
  'batch',
  'a',
  '__proto__',
  'é"\\\n',
]
const { object: arbitraryObject } = fc.letrec<{ object: object; value: unknown }>((tie) => ({
  object: fc
    .uniqueArray(fc.tuple(fc.constantFrom(...KEYS), tie('value')), { selector: ([key]) => key, maxLength: 5 })
    .map((members) => Object.fromEntries(members.filter(([key]) => key !== '__proto__'))),
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('', 'text', '"\\\n{[', '\u2028', null, 1.5, -0.25, true, [], {}),
    fc.string({ unit: 'binary' }),
    tie('object'),
    fc.array(tie('object'), { maxLength: 3 }),
  ),
}))
const arbitraryIndent = fc.constantFrom(undefined, 1, '\t', '\n\r ')

/** Strings, numbers and punctuation of malformed bodies. */
const fragment = fc.constantFrom(
  ...[
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    ' ',
    '\n',
    '\r\t',
    '"',
    '\\',
    '\\"',
    '\\\n',
    '"batch"',
    '"b\\u0061tch"',
    '"batch":[',
  ],
  ...['"text"', '"a\nb"', '"]"', '1', 'nope', '{"a":1}', '[{},{}]', 'x'.repeat(40), `"${'y'.repeat(40)}\\""`],
)

describe('a body is cut', () => {
  it('into the elements of any array or batch, however it is laid out', () => {
    fc.assert(
      fc.property(
        fc.array(arbitraryObject as fc.Arbitrary<Record<string, unknown>>, { maxLength: 6 }),
        arbitraryIndent,
        fc.constantFrom('array', 'batch', 'batch behind others'),
        (records, indent, shape) => {
          const body = {
            array: records,
            batch: { batch: records },
            'batch behind others': { b: [1, { batch: [2] }], batch: records },
          }[shape]
          const text = Buffer.from(JSON.stringify(body, null, indent)).toString('latin1')
          const lines = split(text) as string[]
          expect(lines.map((line) => JSON.parse(Buffer.from(line, 'latin1').toString()))).toEqual(records)
        },
      ),
      { numRuns: runs(1_000) },
    )
  })

  it('as the reference cuts it, whatever it is', () => {
    const bodies = fc
      .tuple(
        fc.constantFrom('[', '{', '{"batch":[', ''),
        fc.array(fragment, { maxLength: 14 }),
        fc.constantFrom(']', '}', ']}', ''),
      )
      .map(([open, shards, close]) => open + shards.join('') + close)
    fc.assert(
      fc.property(bodies, (text) => {
        const found = split(text)
        const wanted = splitByReference(text)
        const trimmed = Array.isArray(wanted) ? wanted.map((line) => line.replace(/^[ \t\r]+|[ \t\r]+$/g, '')) : wanted
        expect(found).toEqual(trimmed)
      }),
      { numRuns: runs(5_000) },
    )
  })

  it('into one line for one object, and none for none', () => {
    expect(split('{"a":\n1} \n')).toEqual(['{"a": 1}'])
    for (const none of ['[]', ' [ ] ', '{"batch":[]}', '{"batch" : [\n]}']) expect(split(none)).toEqual([])
    expect(split('{"batch":{"a":1}}')).toEqual(['{"batch":{"a":1}}'])
    expect(split('{"batch":[{"a":1}],"batch":[{"b":2}]}')).toEqual(['{"b":2}'])
    expect(split('{"b\\u0061tch":[{"b":2}]}')).toEqual(['{"b":2}'])
  })

  it('with every number and text as it is spelled', () => {
    const record = '{"metadata":{"a":12345678901234567890,"b":1.0,"c":1E5,"d":"\\u0041\\/","e":-0}}'
    expect(split(`[${record} ,\r\n${record}]`)).toEqual([record, record])
  })

  it('into elements that are no records, for the scanner to name', () => {
    expect(split('[1,"a,]",null,[{}]]')).toEqual(['1', '"a,]"', 'null', '[{}]'])
  })

  it.each([
    'nope',
    '01',
    '"\\x"',
    '[01]',
    '{"a":nope}',
    '{"a":"x\ny"}',
    '{"a":"\\\n"}',
    '{"a":[1}}',
    '{,}',
    '-',
    'nul',
  ])('not at all where the element %j is damaged', (element) => {
    const damaged = (at: number) => ({ fault: 'damaged', at })
    expect(split(`[{"a":1},${element}]`)).toEqual(damaged(2))
    expect(split(`[${element},{"a":1},${element} ]`)).toEqual(damaged(1))
    expect(split(`{"batch":[{},{},${element}],"b":1}`)).toEqual(damaged(3))
    expect(split(`{"b":${element},"batch":[{}]}`)).toEqual(damaged(0))
    expect(split(`{"batch":[],"b":${element}}`)).toEqual(damaged(0))
    expect(split(`{"b":${element}}`)).toEqual(damaged(1))
  })

  it('at any depth that a record may have, and one that is deeper is left for the scanner to name', () => {
    const nested = (levels: number, inner = '') => `{"a":${'['.repeat(levels - 1)}${inner}${']'.repeat(levels - 1)}}`
    for (const levels of [127, 128, 129, 130, 131, 1000]) {
      expect(split(`[${nested(levels)}]`)).toEqual([nested(levels)])
      expect(split(`{"batch":[{},${nested(levels)}],"b":1}`)).toEqual(['{}', nested(levels)])
    }
    expect(split(`{"batch":[${nested(1000)},{"b":01}]}`)).toEqual({ fault: 'damaged', at: 2 })
    expect(split(`[${nested(128, '01')}]`)).toEqual({ fault: 'damaged', at: 1 })
  })

  it('not at all where it is cut off anywhere', () => {
    const text = '{"batch":[{"metadata":{"a":[1,"]"]},"message":"\\"x"},{}]}'
    for (let end = 1; end < text.length; end++) expect(split(text.slice(0, end))).toEqual({ fault: 'cut_off', at: end })
  })

  it('into lines that are all JSON only where the whole is, however it is damaged', () => {
    const damaged = fc.tuple(
      fc.array(arbitraryObject, { minLength: 1, maxLength: 4 }),
      fc.nat(),
      fc.constantFrom(...'{}[],:"\\\n0 '),
    )
    fc.assert(
      fc.property(damaged, ([records, place, byte]) => {
        const text = Buffer.from(JSON.stringify(records)).toString('latin1')
        const at = place % text.length
        const broken = text.slice(0, at) + byte + text.slice(at + 1)
        const lines = split(broken)
        if (isJson(broken)) expect(Array.isArray(lines)).toBe(true)
        else if (broken.trim().startsWith('[')) expect(Array.isArray(lines) && lines.every(isJson)).toBe(false)
      }),
      { numRuns: runs(1_000) },
    )
  })

  it('into a bounded number of records', () => {
    expect(split('[1,2,3]', 3)).toEqual(['1', '2', '3'])
    expect(split('[1,2,3]', 2)).toEqual({ fault: 'too_many', at: 5 })
  })
})

describe('of a body', () => {
  it.each([
    ['', 'it is empty'],
    [' \n', 'it is empty'],
    ['hello', 'it is neither an object nor an array'],
    ['"a"', 'it is neither an object nor an array'],
    ['[', 'it ends in the middle of a value'],
    ['[{}', 'it ends in the middle of a value'],
    ['[{},', 'it ends in the middle of a value'],
    ['[{"a":"', 'it ends in the middle of a value'],
    ['{"batch":[{}', 'it ends in the middle of a value'],
    ['[{},]', 'at byte 4 an element of the array is missing'],
    ['[,{}]', 'at byte 1 an element of the array is missing'],
    ['[{}{}]', 'at byte 3 a comma is missing between two elements of the array'],
    ['[{}] {}', 'something other than an object follows its end, at byte 5'],
    ['{} 5', 'something other than an object follows its end, at byte 3'],
    ['{"batch":[]},', 'something other than an object follows its end, at byte 12'],
    ['{"id":"a"}{"id":"b"}[]', 'something other than an object follows its end, at byte 20'],
    ['\ufeff{"id":"a"}{"id":"b"}\n"c"', 'something other than an object follows its end, at byte 24'],
    ['{"id":"a"},{"id":"b"}', 'something other than an object follows its end, at byte 10'],
    ['{"id":"a"}{"id":"b"', 'it ends in the middle of a value'],
    ['{"id":"a"}{"id":"b', 'it ends in the middle of a value'],
    ['{"id":"a"}{', 'it ends in the middle of a value'],
    ['{"id":"a"}{"id":nope}{"id":"c"}', 'number 2 of the records in it is damaged'],
    ['{"id":"a"]{"id":"b"}', 'number 1 of the records in it is damaged'],
    ['{"id":"a"}\n{"id":"b"}\n{"id" "c"}', 'number 3 of the records in it is damaged'],
    ['{"id":"a"}{"id":"x\ny"}', 'number 2 of the records in it is damaged'],
    ['{"id":01}', 'number 1 of the records in it is damaged'],
    ['[{"id":"a"},{"id":"b","c":01}]', 'number 2 of the records in it is damaged'],
    ['{"batch":[{"id":"a"},{"id":tru}]}', 'number 2 of the records in it is damaged'],
    ['{"batch":[{"id":"a"}],"b":tru}', 'something before or after its batch is damaged'],
  ])('that is %j nothing is taken', (text, why) => {
    const message = `The body is not valid JSON: ${why}. Nothing of it was taken.`
    expect(() => take(text)).toThrow(expect.objectContaining({ code: 'invalid_body', message }))
    parser.flush()
    expect([rows, rejects]).toEqual([[], []])
  })

  it('whose objects follow one another nothing is taken if the last of many is damaged', () => {
    const message = expect.stringContaining('number 1001 of the records in it is damaged')
    expect(() => take(`${'{}'.repeat(1_000)}{,}`)).toThrow(expect.objectContaining({ code: 'invalid_body', message }))
    parser.flush()
    expect([rows, rejects]).toEqual([[], []])
  })

  const SEPARATORS = ['', ' ', '\n', '\r\n', '\t', '\r', ' \n\n ']

  it('whose objects follow one another they are taken as those of an array', () => {
    const parts = fc.array(fc.tuple(arbitraryObject, arbitraryIndent, fc.constantFrom(...SEPARATORS)), { minLength: 2 })
    fc.assert(
      fc.property(parts, fc.constantFrom(...SEPARATORS, '\ufeff'), (records, before) => {
        const bodies = records.map(([record, indent, after]) => JSON.stringify(record, null, indent) + after)
        const found = take(before + bodies.join(''))
        const wanted = take(records.map(([record]) => record))
        const plain = ({ rows, faults }: typeof found) => ({
          rows: rows.map((row) => ({ ...row, id: '', metadata: JSON.parse(String(row.metadata)) })),
          faults: faults.map(([line, reason]) => [line, reason]),
        })
        expect(plain(found)).toEqual(plain(wanted))
      }),
      { numRuns: runs(1_000) },
    )
  })

  const adjacent =
    'whose objects follow one another on a line of NDJSON they are taken, too, ' + 'and faults stay with their line'
  it(adjacent, () => {
    const parts = fc.array(fc.tuple(arbitraryObject, fc.constantFrom(...SEPARATORS)), { minLength: 1 })
    fc.assert(
      fc.property(parts, fc.constantFrom('nope\n', '{"id":\n', '5\n', ''), (records, before) => {
        const found = take(before + records.map(([record, after]) => JSON.stringify(record) + after).join(''), {
          form: 'ndjson',
        })
        const wanted = take(records.map(([record]) => record))
        expect(found.rows.map((row) => ({ ...row, id: '' }))).toEqual(wanted.rows.map((row) => ({ ...row, id: '' })))
        expect(found.faults.length).toBe(wanted.faults.length + (before === '' ? 0 : 1))
      }),
      { numRuns: runs(1_000) },
    )
    const text =
      '{"id":"a"}{"id":"b"} {"id":"}{"}\n{"id":"c"}{"id":\n{"id":"d"}5\n{"id":"e"}}{"id":"f"}\n\n{"id":"g"}\t{"id":7}'
    const { ids, faults } = take(text, { form: 'ndjson' })
    expect(ids).toEqual(['a', 'b', '}{', 'c', 'g'])
    expect(faults).toEqual([
      [5, 'invalid_json', '{"id":'],
      [6, 'invalid_json', '{"id":"d"}5'],
      [7, 'invalid_json', '{"id":"e"}}{"id":"f"}'],
      [10, 'invalid_field', '{"id":7}'],
    ])
  })

  it.each<BodyForm>(['json', 'ndjson'])('that is one long line of objects they are all taken: %s', (form) => {
    const records = Array.from({ length: 40_000 }, (_, i) => ({ id: `${i}` }))
    const text = records.map((record) => JSON.stringify(record)).join('')
    expect(take(text, { form }).ids).toEqual(records.map(({ id }) => id))
  })

  it('whose objects are as short as they can be, none is lost', () => {
    for (const form of ['json', 'ndjson'] as const) expect(take('{}'.repeat(30_000), { form }).rows.length).toBe(30_000)
  })

  it('records that follow one another may have a list that is named batch', () => {
    expect(take('{"id":"a","batch":[1]}{"id":"b","batch":[{}]}').ids).toEqual(['a', 'b'])
  })

  it.each([
    ['an array', '[{"id":"a"},{"id":"?"},{"id":"b"}]', 'json'],
    ['a batch', '{"batch":[{"id":"a"},{"id":"?"},{"id":"b"}],"c":1}', 'json'],
    ['objects that follow one another', '{"id":"a"}{"id":"?"}\n{"id":"b"}', 'json'],
    ['lines of NDJSON', '{"id":"a"}\n{"id":"?"}\n{"id":"b"}', 'ndjson'],
  ] as const)('%s: records that are not UTF-8 are told, their neighbours taken', (_, text, form) => {
    const [before, after] = text.split('?').map((part) => Buffer.from(part))
    for (const bad of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0xaf]]) {
      const { ids, faults } = take(Buffer.concat([before!, Buffer.from(bad), after!]), { form })
      expect([ids, faults.map(([line, reason]) => [line, reason])]).toEqual([['a', 'b'], [[2, 'invalid_utf8']]])
    }
  })

  it('with all faults of a record that do not damage it the others are taken', () => {
    const records = [
      '{"id":7}',
      '5',
      'null',
      '"\\ud800"',
      '{"id":"\\ud800"}',
      '{"timestamp":0}',
      '{"timestamp":[]}',
      '{"id":"a"}',
    ]
    const reasons = ['invalid_field', ...Array(3).fill('not_an_object'), 'invalid_json', 'too_old', 'invalid_timestamp']
    for (const body of [`[${records}]`, `{"batch":[${records}],"b":{}}`]) {
      const { ids, faults } = take(body)
      expect([ids, faults.map(([, reason]) => reason)]).toEqual([['a'], reasons])
    }
  })

  it('records that follow one another and are too long or too deep are told, their neighbours taken', () => {
    const text = `{"id":"a"}{"id":"${'x'.repeat(1 << 20)}"}{"id":${'['.repeat(200)}${']'.repeat(200)}}{"id":"b"}`
    const { ids, faults } = take(text)
    expect(ids).toEqual(['a', 'b'])
    expect(faults.map(([line, reason]) => [line, reason])).toEqual([
      [2, 'line_too_long'],
      [3, 'too_deep'],
    ])
  })

  it('that holds too many records nothing is taken', () => {
    const many = (count: number) => `[${Array(count).fill('1').join(',')}]`
    expect(() => take(many(MAX_RECORDS + 1))).toThrow(expect.objectContaining({ code: 'body_too_large' }))
    expect([rows, rejects]).toEqual([[], []])
    expect(take(many(MAX_RECORDS)).faults.length).toBe(MAX_RECORDS)
    expect(() => take('{}'.repeat(MAX_RECORDS + 1))).toThrow(expect.objectContaining({ code: 'body_too_large' }))
  })

  it('bad records are told with their numbers and as they were sent', () => {
    const { ids, faults } = take('\ufeff[{"id":"a"},\n  {"id":\n7} , 5,"\ud800", {"id":"b"}\n]')
    expect(ids).toEqual(['a', 'b'])
    expect(faults).toEqual([
      [2, 'invalid_field', '{"id": 7}'],
      [3, 'not_an_object', '5'],
      [4, 'not_an_object', '"\ufffd"'],
    ])
    expect(take('[]').faults).toEqual([])
  })

  it('records that are too long are told, their neighbours taken', () => {
    const { ids, faults } = take(`[{"id":"a"},{"id":"${'x'.repeat(1 << 20)}"},{"id":"b"}]`)
    expect([ids, faults.map(([line, reason]) => [line, reason])]).toEqual([['a', 'b'], [[2, 'line_too_long']]])
  })

  it('that is larger than all before it all is taken, and its memory goes when no other comes', () => {
    const records = Array.from({ length: 40 }, (_, i) => ({ id: `${i}`, event_message: 'x'.repeat(200_000) }))
    expect(take(records).ids).toEqual(records.map(({ id }) => id))
    for (let i = 0; i < 9; i++) {
      parser.releaseIdle()
      expect(take([{ id: `${i} after` }]).ids).toEqual([`${i} after`])
      expect(parser.holdsLargeMemory()).toBe(true)
    }
    parser.releaseIdle()
    expect(parser.holdsLargeMemory()).toBe(false)
    expect(take([{ id: 'last' }]).ids).toEqual(['last'])
  })

  it('that is large but holds little gives its memory back, too', () => {
    expect(take(`${'\n'.repeat(3_000_000)}{"id":"a"}`, { form: 'ndjson' }).ids).toEqual(['a'])
    expect(parser.holdsLargeMemory()).toBe(true)
    for (let i = 0; i < 10; i++) parser.releaseIdle()
    expect(parser.holdsLargeMemory()).toBe(false)
  })

  it('of NDJSON its lines are taken, blank and broken ones counted', () => {
    const text = '\ufeff{"id":"a"}\r\n\n  {"id":"}"} \n{"c":\nnope\n{"d":1}}\n{"id":"e"}'
    const { ids, faults } = take(text, { form: 'ndjson' })
    expect(ids).toEqual(['a', '}', 'e'])
    expect(faults).toEqual([
      [4, 'invalid_json', '{"c":'],
      [5, 'invalid_json', 'nope'],
      [6, 'invalid_json', '{"d":1}}'],
    ])
    expect(take('', { form: 'ndjson' }).ids).toEqual([])
  })
})

/** Returns the record with the URL's source and project if the record has none. */
function withDefaults(record: Record<string, unknown>, { source, project }: Defaults): Record<string, unknown> {
  const metadata = (Array.isArray(record.metadata) ? record.metadata[0] : record.metadata) ?? {}
  const hasProject =
    record.project != null || [metadata.project, metadata.project_ref].some((one) => typeof one === 'string')
  return { ...record, source: record.source ?? source, project: hasProject ? record.project : project }
}

describe('what a record lacks', () => {
  const defaults = { source: 'edge_logs', project: 'url"é' }
  const one = (record: string, form: BodyForm = 'json') => take(record, { form, defaults }).rows[0]!

  it('it gets from the URL, as if it said so itself', () => {
    const text = fc.constantFrom('a', 'b"\\', null)
    const some = fc.constantFrom<unknown>('a', null, 7, undefined)
    const places = fc.record({ project: some, project_ref: some }, { requiredKeys: [] })
    const record = fc.record(
      {
        id: fc.constant('id'),
        timestamp: fc.constant(NOW_US),
        source: fc.constantFrom('auth_logs', 'function_logs', 'realtime.logs.prod', null),
        project: some,
        event_message: some,
        message: some,
        metadata: fc.oneof(places, fc.array(places, { maxLength: 2 }), text),
      },
      { requiredKeys: ['id', 'timestamp'] },
    )
    const someDefaults = fc.constantFrom<Defaults>(defaults, { source: 'function_logs' }, { project: 'p' }, {})
    fc.assert(
      fc.property(
        fc.array(record, { maxLength: 300, size: 'max' }),
        someDefaults,
        fc.constantFrom<BodyForm>('json', 'ndjson'),
        (records, from, form) => {
          const body = form === 'json' ? JSON.stringify(records) : records.map((one) => JSON.stringify(one)).join('\n')
          const found = take(body, { form, defaults: from })
          const wanted = parse(records.map((record) => JSON.stringify(withDefaults(record, from))).join('\n'))
          expect(found.rows).toEqual(wanted.rows)
          expect(found.faults.map(([line, reason]) => [line, reason])).toEqual(
            wanted.rejects.map(({ line, reason }) => [line, reason]),
          )
        },
      ),
      { numRuns: 20 },
    )
  })

  const [SOURCE, PROJECT] = [defaults.source, defaults.project]
  it.each([
    ['{}', SOURCE, PROJECT],
    ['{ }', SOURCE, PROJECT],
    ['{"source":"auth_logs"}', 'auth_logs', PROJECT],
    ['{"source":null}', SOURCE, PROJECT],
    ['{"source":null,"source":"auth_logs","project":"p"}', 'auth_logs', 'p'],
    ['{"source":"auth_logs","source":null,"project":"p"}', SOURCE, 'p'],
    ['{"\\u0073ource":"auth_logs","project":"p"}', 'auth_logs', 'p'],
    ['{"a":{"source":"auth_logs","project":"c"}}', SOURCE, PROJECT],
    ['{"project":""}', SOURCE, ''],
    ['{"metadata":{"project":"p"}}', SOURCE, 'p'],
    ['{"metadata":{"project":7}}', SOURCE, PROJECT],
    ['{"metadata":{"a":{"project":"p"}}}', SOURCE, PROJECT],
    ['{"metadata":[{"a":[{}],"project_ref":"p"}]}', SOURCE, 'p'],
    ['{"metadata":[{},{"project":"p"}]}', SOURCE, PROJECT],
    ['{"metadata":{"project":"p"},"metadata":{}}', SOURCE, PROJECT],
  ])('%s gets from the URL', (record, source, project) => {
    for (const form of ['json', 'ndjson'] as const) expect(one(record, form)).toMatchObject({ source, project })
  })

  it('stays lacking where the next body says nothing', () => {
    expect(one('{}').project).toBe(PROJECT)
    expect(take('{}', { defaults: { source: SOURCE } }).rows[0]!.project).toBe(null)
    expect(take('{}', { defaults: {} }).faults).toEqual([[1, 'missing_source', '{}']])
  })

  it.each(['{"a":1,}', '{,}', '{"a"}', '{a}', '{"a":1 "b":2}'])('%s stays as wrong as it is', (record) => {
    expect(take(record, { defaults, form: 'ndjson' }).faults).toEqual([[1, 'invalid_json', record]])
  })

  it.each([
    ['{"message":"m"}', 'm'],
    ['{"message":"m","event_message":"e"}', 'e'],
    ['{"event_message":"e","message":"m"}', 'e'],
    ['{"message":"m","event_message":null}', 'm'],
    ['{"event_message":null,"message":"m"}', 'm'],
    ['{"message":"a","message":"m"}', 'm'],
    ['{"message":"a","message":null}', ''],
    ['{"m\\u0065ssage":"m\\n"}', 'm\n'],
    ['{"metadata":{"message":"m"}}', ''],
    ['{"metadata":{"event_message":"e"},"message":"m"}', 'm'],
  ])('%s has the event_message %j', (record, text) => {
    expect(one(record).event_message).toBe(text)
  })

  it('a message that is no text is no event_message either', () => {
    expect(take('{"message":7}', { defaults }).faults).toEqual([[1, 'invalid_field', '{"message":7}']])
  })
})
