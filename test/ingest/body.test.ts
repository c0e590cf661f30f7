import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type BodyForm, type Defaults, linesOf, recordsOf } from '../../src/ingest/body.js'
import { cut, MAX_RECORDS } from '../../src/ingest/cuts.js'
import { isJson } from '../support/json.js'
import { parse, rowOf } from './parsing.js'

/** The lines of a body, without their newlines. */
async function linesIn(text: string | Uint8Array, form: BodyForm = 'json', defaults: Defaults = {}) {
  const bytes = new Uint8Array(Buffer.from(text as string))
  const written = { lines: 0, blank: 0 }
  const records = form === 'json' ? await cut(bytes) : recordsOf(bytes, form)
  const pieces: string[] = []
  for (const piece of linesOf(bytes, records, defaults, written)) pieces.push(Buffer.from(piece).toString())
  const lines = pieces.join('').split('\n')
  expect(lines.pop()).toBe('')
  expect(written.lines).toBe(lines.length)
  return lines
}

const parsed = async (text: string) => (await linesIn(text)).map((line) => JSON.parse(line))

/** Objects whose keys are often those that are looked for, at any level. */
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

/** What a record becomes where the URL says nothing. */
function renamed(record: Record<string, unknown>): Record<string, unknown> {
  const { message, event_message, ...rest } = record
  if (message === undefined || message === null || (event_message ?? null) !== null) return record
  return { ...rest, event_message: message }
}

/** Without what nobody reads: a null, and the keys that were put out of the way. */
const essence = (record: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(record).filter(([key, value]) => value !== null && key !== '-vent_message'))

describe('the lines of a body', () => {
  it('are the records of any array or batch, however it is laid out', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(arbitraryObject as fc.Arbitrary<Record<string, unknown>>, { maxLength: 6 }),
        arbitraryIndent,
        fc.constantFrom('array', 'batch', 'batch behind others'),
        async (records, indent, shape) => {
          const body = {
            array: records,
            batch: { batch: records },
            'batch behind others': { b: [1, { batch: [2] }], batch: records },
          }[shape]
          const found = await parsed(JSON.stringify(body, null, indent))
          expect(found.map(essence)).toEqual(records.map(renamed).map(essence))
        },
      ),
      { numRuns: 500 },
    )
  })

  it('are one line for one object, and none for none', async () => {
    expect(await linesIn('\ufeff {"a":\n1} \n')).toEqual(['{"a": 1}'])
    for (const none of ['[]', ' [ ] ', '{"batch":[]}', '{"batch" : [\n]}']) expect(await linesIn(none)).toEqual([])
    expect(await linesIn('{"batch":{"a":1}}')).toEqual(['{"batch":{"a":1}}'])
    expect(await linesIn('{"batch":[{"a":1}],"batch":[{"b":2}]}')).toEqual(['{"b":2}'])
  })

  it('keep every number and text as it is spelled', async () => {
    const record = '{"metadata":{"a":12345678901234567890,"b":1.0,"c":1E5,"d":"\\u0041\\/","e":-0}}'
    expect(await linesIn(`[${record} ,\r\n${record}]`)).toEqual([record, record])
  })

  it('hold elements that are no records, for the scanner to name', async () => {
    expect(await linesIn('[1,"a,]",null,[{}],nope,{"a":nope},{"a":"x\ny"},{"a":"\\\n"}]')).toEqual([
      ...['1', '"a,]"', 'null', '[{}]', 'nope', '{"a":nope}', '{"a":"x\ry"}', '{"a":"\\\r"}'],
    ])
  })

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
    ['[{}] {}', 'something stands behind its end, at byte 5. One record a line is application/x-ndjson'],
    ['{}\n{}', 'something stands behind its end, at byte 3. One record a line is application/x-ndjson'],
  ])('there are none of %j', async (text, why) => {
    await expect(linesIn(text)).rejects.toMatchObject({
      code: 'invalid_body',
      message: `The body is not valid JSON: ${why}. Nothing of it was taken.`,
    })
  })

  it('there are none of what is cut anywhere', async () => {
    const text = '{"batch":[{"metadata":{"a":[1,"]"]},"message":"\\"x"},{}]}'
    for (let end = 0; end < text.length; end++) {
      await expect(linesIn(text.slice(0, end))).rejects.toMatchObject({ code: 'invalid_body' })
    }
  })

  it('are all JSON only where the whole is, however it is damaged', async () => {
    const damaged = fc.tuple(
      fc.array(arbitraryObject, { minLength: 1, maxLength: 4 }),
      fc.nat(),
      fc.constantFrom(...'{}[],:"\\\n0 '),
    )
    await fc.assert(
      fc.asyncProperty(damaged, async ([records, place, byte]) => {
        const text = JSON.stringify(records)
        const at = place % text.length
        const broken = text.slice(0, at) + byte + text.slice(at + 1)
        const lines = await linesIn(broken).catch(() => ['refused'])
        if (isJson(broken)) expect(lines).not.toEqual(['refused'])
        else if (broken.trim().startsWith('[')) expect(lines.every(isJson)).toBe(false)
      }),
      { numRuns: 1_000 },
    )
  })

  it('may be too many', async () => {
    const many = (count: number) => `[${Array(count).fill('1').join(',')}]`
    expect((await linesIn(many(MAX_RECORDS))).length).toBe(MAX_RECORDS)
    await expect(linesIn(many(MAX_RECORDS + 1))).rejects.toMatchObject({ code: 'body_too_large' })
  })

  it('are longer than a piece where a record is', async () => {
    const records = [1, 300_000, 2, 600_000, 300_000].map((length) => ({ id: 'x'.repeat(length) }))
    expect(await parsed(JSON.stringify(records))).toEqual(records)
  })

  it('of NDJSON are its lines, blank ones and broken ones too', async () => {
    const text = '\ufeff{"a":1}\r\n\n  {"b":"}"} \n{"c":\nnope\n{"d":1}}\n{"e":1}'
    expect(await linesIn(text, 'ndjson')).toEqual(['{"a":1}', '', '{"b":"}"}', '{"c":', 'nope', '{"d":1}}', '{"e":1}'])
    expect(await linesIn('', 'ndjson')).toEqual([])
  })
})

describe('what a record lacks', () => {
  const defaults = { source: 'edge_logs', project: 'url"' }
  const one = async (record: string, form: BodyForm = 'json') => (await linesIn(record, form, defaults))[0]!
  const SOURCE = '"source":"edge_logs"'
  const PROJECT = '"project":"url\\""'

  it.each([
    ['{}', `{${SOURCE},${PROJECT}}`],
    ['{ }', `{ ${SOURCE},${PROJECT}}`],
    ['{"a":1}', `{"a":1,${SOURCE},${PROJECT}}`],
    ['{"source":"auth_logs"}', `{"source":"auth_logs",${PROJECT}}`],
    ['{"source":null}', `{"source":null,${SOURCE},${PROJECT}}`],
    ['{"source":null,"source":"a","project":"p"}', '{"source":null,"source":"a","project":"p"}'],
    ['{"source":"a","source":null,"project":"p"}', `{"source":"a","source":null,"project":"p",${SOURCE}}`],
    ['{"\\u0073ource":"a","project":"p"}', '{"\\u0073ource":"a","project":"p"}'],
    ['{"a":"source","project":7}', `{"a":"source","project":7,${SOURCE}}`],
    ['{"a":{"source":"b","project":"c"}}', `{"a":{"source":"b","project":"c"},${SOURCE},${PROJECT}}`],
    ['{"metadata":{"project":"p"}}', `{"metadata":{"project":"p"},${SOURCE}}`],
    ['{"metadata":{"project":7}}', `{"metadata":{"project":7},${SOURCE},${PROJECT}}`],
    ['{"metadata":{"a":{"project":"p"}}}', `{"metadata":{"a":{"project":"p"}},${SOURCE},${PROJECT}}`],
    ['{"metadata":[{"a":[{}],"project_ref":"p"}]}', `{"metadata":[{"a":[{}],"project_ref":"p"}],${SOURCE}}`],
    ['{"metadata":[{},{"project":"p"}]}', `{"metadata":[{},{"project":"p"}],${SOURCE},${PROJECT}}`],
    ['{"metadata":{"project":"p"},"metadata":{}}', `{"metadata":{"project":"p"},"metadata":{},${SOURCE},${PROJECT}}`],
  ])('%s gets it from the URL', async (record, line) => {
    expect(await one(record)).toBe(line)
    expect(await one(record, 'ndjson')).toBe(line)
  })

  it.each(['{"a"', '{"a":1]', '{"a":1} 2'])('%s gets nothing', async (line) => {
    expect(await one(line, 'ndjson')).toBe(line)
  })

  it.each(['{"a":1,}', '{,}', '{"a"}', '{a}', '{"a":1 "b":2}'])('%s stays as wrong as it is', async (line) => {
    expect(parse(await one(line)).rejects.map(({ reason }) => reason)).toEqual(['invalid_json'])
  })

  it.each([
    ['{"message":"m"}', 'm'],
    ['{"message":"m","event_message":"e"}', 'e'],
    ['{"event_message":"e","message":"m"}', 'e'],
    ['{"message":"m","event_message":null}', 'm'],
    ['{"event_message":null,"message":"m"}', 'm'],
    ['{"message":"a","message":"m"}', 'm'],
    ['{"message":"a","message":null}', ''],
    ['{"m\\u0065ssage":"m"}', 'm'],
    ['{"metadata":{"message":"m"}}', ''],
    ['{"metadata":{"event_message":"e"},"message":"m"}', 'm'],
  ])('%s has the event_message %j', async (record, text) => {
    expect(rowOf(await one(record)).event_message).toBe(text)
  })

  it('a message that is no text is no event_message either', async () => {
    expect(parse(await one('{"message":7}')).rejects[0]!.reason).toBe('invalid_field')
  })
})
