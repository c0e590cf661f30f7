import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LINE_INTS, MAX_DEPTH } from '../../src/wasm-layout/field-table.js'
import { runs } from '../support/runs.js'
import { FIELD, KIND, METADATA_PATHS, OUTCOME, slotOf } from './field-table.js'
import { INVALID_JSON, VALID_JSON } from './json-cases.js'
import { createScanner } from './reference/scan.js'

const scanner = createScanner({ capacityBytes: 1 << 20, maxLines: 16 })
const OUTCOME_NAMES = Object.fromEntries(Object.entries(OUTCOME).map(([name, outcome]) => [outcome, name]))

/** Scans a line. Returns the outcome, and the kind and text of each present field. */
function scan(line: string | Uint8Array) {
  const bytes = typeof line === 'string' ? Buffer.from(line) : line
  scanner.bytes.set(bytes)
  expect(scanner.scan(0, bytes.length)).toBe(1)
  const { table } = scanner
  expect([table[1], table[2]]).toEqual([0, bytes.length])
  const fields = new Map<string, unknown>()
  let strays = 0
  for (const [name, field] of Object.entries(FIELD)) {
    const [kind, start, end] = table.subarray(slotOf(field), slotOf(field) + 3)
    if (kind === KIND.absent) strays += start! + end!
    else fields.set(name, { kind, text: Buffer.from(scanner.bytes.slice(start, end)).toString() })
  }
  expect(strays).toBe(0)
  return { outcome: OUTCOME_NAMES[table[0]!], fields }
}

const outcomeOf = (line: string | Uint8Array) => scan(line).outcome

/** Returns the fields that the scanner should find, computed with JSON.parse alone. */
function expected(record: Record<string, unknown>) {
  const first = (value: unknown) => (Array.isArray(value) ? value[0] : value)
  const objectAt = (value: unknown): Record<string, unknown> => {
    const found = first(value)
    return typeof found === 'object' && found !== null && !Array.isArray(found) ? found : {}
  }
  const valueAt = (object: Record<string, unknown>, key: string) =>
    Object.hasOwn(object, key) ? object[key] : undefined
  const metadata = objectAt(valueAt(record, 'metadata'))
  // Other fields of the record join the metadata, unless the metadata has the same field.
  const ownerOf = (key: string) => (Object.hasOwn(metadata, key) ? metadata : record)
  const places: Record<string, [Record<string, unknown>, string]> = {}
  for (const name of ['source', 'id', 'timestamp', 'project', 'event_message', 'metadata', 'message'])
    places[name] = [record, name]
  for (const path of METADATA_PATHS) {
    const [top, ...below] = path
    let [object, key] = [top === 'project' ? metadata : ownerOf(top!), top!]
    for (const next of below) [object, key] = [objectAt(valueAt(object, key)), next]
    places[`metadata.${path.join('.')}`] = [object, key]
  }
  const values = new Map<string, unknown>()
  for (const [name, [object, key]] of Object.entries(places)) {
    const value = valueAt(object, key)
    if (value !== undefined && value !== null) values.set(name, value)
  }
  return values
}

function kindOf(value: unknown): string {
  if (!Array.isArray(value)) return typeof value
  const objects = value.every((element) => typeof element === 'object' && element !== null && !Array.isArray(element))
  return objects ? 'arrayOfObjects' : 'array'
}

function decoded({ kind, text }: { kind: number; text: string }): [string, unknown] {
  if (kind === KIND.string) return ['string', text]
  if (kind === KIND.escapedString) return ['string', JSON.parse(`"${text}"`)]
  const name = Object.entries(KIND).find(([, value]) => value === kind)![0]
  return [name, JSON.parse(text)]
}

function checkAgainstJsonParse(line: string | Uint8Array) {
  const { outcome, fields } = scan(line)
  let parsed: unknown
  try {
    parsed = JSON.parse(Buffer.from(line as string).toString())
  } catch {
    expect(outcome).toBe('invalidJson')
    return
  }
  const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
  expect(outcome).toBe(isObject ? 'ok' : 'notAnObject')
  if (!isObject) return
  const found = new Map([...fields].map(([name, field]) => [name, decoded(field as never)]))
  const wanted = new Map([...expected(parsed as never)].map(([name, value]) => [name, [kindOf(value), value]]))
  expect(found).toEqual(wanted)
}

describe('I1: JSON', () => {
  it.each(VALID_JSON)('takes %s', (text) => {
    expect(() => JSON.parse(text)).not.toThrow()
    expect(outcomeOf(text)).toBe(text.trim().startsWith('{') ? 'ok' : 'notAnObject')
    expect(outcomeOf(`{"a":${text}}`)).toBe('ok')
  })

  it.each(INVALID_JSON)('refuses %s', (text) => {
    expect(() => JSON.parse(text)).toThrow()
    expect(outcomeOf(text)).toBe('invalidJson')
    expect(outcomeOf(`{"a":${text}}`)).toBe('invalidJson')
  })

  it('refuses each control character in a string, and takes each other byte', () => {
    for (let byte = 0; byte < 256; byte++) {
      if (byte === 0x0a || byte === 0x22 || byte === 0x5c) continue
      expect([byte, outcomeOf(Uint8Array.of(0x7b, 0x22, byte, 0x22, 0x3a, 0x31, 0x7d))]).toEqual([
        byte,
        byte < 0x20 ? 'invalidJson' : 'ok',
      ])
    }
  })

  it('takes each cut of a record for invalid', () => {
    const record = '{"source":"edge_logs","a":[1.5e-3,{"b":"\\u00e9\\\\"},true,false,null,[]],"metadata":{"x":-0}}'
    for (let length = 1; length < record.length; length++)
      expect(outcomeOf(record.slice(0, length))).toBe('invalidJson')
    expect(outcomeOf(record)).toBe('ok')
  })
})

describe('I5: depth', () => {
  const nested = (open: string, close: string, levels: number) => `{"a":${open.repeat(levels)}1${close.repeat(levels)}}`

  it.each([
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"b":', '}]'],
  ])('takes 128 levels of %s and refuses more', (open, close) => {
    const perStep = open.replace(/[^[{]/g, '').length
    const steps = Math.floor((MAX_DEPTH - 1) / perStep)
    expect(outcomeOf(nested(open, close, steps))).toBe('ok')
    expect(outcomeOf(nested(open, close, steps + 1))).toBe('tooDeep')
    expect(outcomeOf(nested(open, close, 100_000))).toBe('tooDeep')
    expect(outcomeOf(open.repeat(100_000))).toBe('tooDeep')
  })

  it('says what is met first', () => {
    expect(outcomeOf(`{"a":x,"b":${'['.repeat(200)}`)).toBe('invalidJson')
    expect(outcomeOf(`{"a":${'['.repeat(200)}x`)).toBe('tooDeep')
  })

  it('leaves nothing behind for the next line', () => {
    scan(`{"metadata":{"request":{"a":${'['.repeat(200)}`)
    checkAgainstJsonParse('{"source":"x","metadata":[[{"project":"p"}],{"project":"q"}]}')
  })
})

describe('lines', () => {
  it('scans as many as the table holds, blank ones too', () => {
    const text = `{}\n\n \t\r\n[1]\nx\r\n{"id":"7"}\r\n{"id":"last"}`
    scanner.bytes.set(Buffer.from(`#####${text}`))
    expect(scanner.scan(5, 5 + text.length)).toBe(7)
    const lines = Array.from({ length: 7 }, (_, i) => scanner.table.subarray(i * LINE_INTS, (i + 1) * LINE_INTS))
    expect(lines.map((line) => OUTCOME_NAMES[line[0]!])).toEqual([
      'ok',
      'blank',
      'blank',
      'notAnObject',
      'invalidJson',
      'ok',
      'ok',
    ])
    const texts = lines.map((line) => text.slice(line[1]! - 5, line[2]! - 5))
    expect(texts).toEqual(text.split('\n'))
  })

  it('stops where the table is full, and goes on from there', () => {
    const small = createScanner({ capacityBytes: 100, maxLines: 2 })
    small.bytes.set(Buffer.from('1\n2\n3\n'))
    expect(small.scan(0, 6)).toBe(2)
    expect(small.scan(small.table[LINE_INTS + 2]! + 1, 6)).toBe(1)
  })

  it('leaves the byte behind the last line as it was, and works to the brim of its memory', () => {
    const small = createScanner({ capacityBytes: 4, maxLines: 2 })
    small.bytes.set(Buffer.from('{}ab'))
    expect(small.scan(0, 2)).toBe(1)
    expect(Buffer.from(small.bytes).toString()).toBe('{}ab')
    small.bytes.set(Buffer.from('"ab"'))
    expect(small.scan(0, 4)).toBe(1)
    expect(OUTCOME_NAMES[small.table[0]!]).toBe('notAnObject')
  })
})

describe('fields', () => {
  it.each([
    // the last of equal keys wins, with all contents
    '{"id":"a","id":"b"}',
    '{"id":"a","id":null}',
    '{"metadata":{"request":{"url":"a","path":"b"},"request":{"url":"c"}}}',
    '{"metadata":{"request":{"url":"a"},"request":null}}',
    '{"metadata":{"request":{"url":"a"},"request":7}}',
    '{"metadata":{"project":"a","response":{"status_code":1}},"metadata":{"request":{"path":"x"}}}',
    '{"metadata":{"project":"a","request":{"url":1}},"metadata":null}',
    '{"metadata":{"project":"a"},"metadata":"text"}',
    '{"metadata":{"response":{"status_code":1},"response":[]}}',
    // arrays at each level
    '{"metadata":[{"request":[{"url":"a"},{"url":"b","path":"c"}]},{"project":"no"}]}',
    '{"metadata":[[{"project":"no"}]]}',
    '{"metadata":[{"request":[[{"url":"no"}]]}]}',
    '{"metadata":[1,{"project":"no"}]}',
    '{"metadata":[{"project":"yes"},1]}',
    '{"metadata":[{"project":"yes"},[]]}',
    '{"metadata":[null]}',
    '{"metadata":[]}',
    '{"metadata":[{},{}]}',
    '{"metadata":[{"a":[1,2]},{"b":"c"}]}',
    '{"id":[{}],"project":[1],"metadata":{"project":["a"]}}',
    // other fields of the record, before and after the metadata, and also in the metadata
    '{"request":{"url":"u"},"metadata":{"a":1},"function_id":"f","response":[{"status_code":1}],"project_ref":"p"}',
    '{"request":{"url":"u","path":"p"},"metadata":{"request":{"url":"v"}}}',
    '{"metadata":{"request":{"url":"v"}},"request":{"url":"u","path":"p"}}',
    '{"function_id":"f","metadata":{"function_id":null}}',
    '{"metadata":[{"function_id":null}],"function_id":"f"}',
    '{"metadata":[],"function_id":"f","request":{"url":"u"},"request":null}',
    '{"request":{"url":"u"},"metadata":{"request":7},"function_id":"f","metadata":{"b":1}}',
    '{"metadata":{"request":7},"request":{"url":"u"},"metadata":null,"project_ref":"r"}',
    '{"metadata":"text","request":{"url":"u"},"me\\u0074adata":{"project_ref":1},"project_ref":"no"}',
    // the same keys in other places, and similar keys
    '{"requests":{"url":"no"},"url":"no","metadata":{"url":"no","source":"no","x":{"request":{"url":"no"}}}}',
    '{"sourcf":"a","Source":"b","i":"c","idd":"d","":"e",' +
      '"metadata":{"requests":{"url":1},"project_ree":2,"functionXid":3}}',
    '{"metadata":{"request":{"request":{"url":"no"}},"response":{"url":"no","status_codes":1}}}',
    // escapes in keys and values
    '{"\\u0073ource":"a","m\\u0065tadata":{"re\\u0071uest":{"u\\u0072l":"b\\n"}}}',
    '{"\\u0073ourc":"a","id\\u0000":"b","\\"id":"c"}',
    '{"source":"\\\\","id":"\\"","event_message":"\\u00e9\\ud83d\\ude00"}',
    // each kind of value
    '{"source":true,"id":1,"timestamp":-1.5e3,"project":false,"event_message":{},"metadata":{"execution_time_ms":"x"}}',
    ' { "id" : "a" , "metadata" : { "response" : { "status_code" : 200 } } , "project" : null } ',
  ])('of %s', checkAgainstJsonParse)
})

describe('any input', () => {
  const names = [...Object.keys(FIELD), 'request', 'response', 'metadata', 'metadata', '__proto__', 'other', '']
  const key = fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...names) }, fc.string())
  const scalar = fc.oneof(fc.string({ unit: 'grapheme' }), fc.double(), fc.integer(), fc.boolean(), fc.constant(null))
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5, depthSize: 'medium' },
      scalar,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.array(fc.tuple(key, tie('value')), { maxLength: 6 }).map((entries) => new Entries(entries)),
    ),
  }))
  const record = fc.array(fc.tuple(key, value), { maxLength: 8 }).map((entries) => new Entries(entries))
  /** A JSON object in which keys may repeat. */
  class Entries {
    readonly entries: readonly (readonly [string, unknown])[]
    constructor(entries: readonly (readonly [string, unknown])[]) {
      this.entries = entries
    }
  }
  const style = fc.record({ space: fc.constantFrom('', ' ', '\t\r '), escapeEvery: fc.constantFrom(0, 0, 1, 3) })

  function write(json: unknown, how: { space: string; escapeEvery: number }): string {
    const text = (string: string) => {
      if (how.escapeEvery === 0) return JSON.stringify(string)
      const units = Array.from({ length: string.length }, (_, i) => {
        const unit = string.charCodeAt(i).toString(16).padStart(4, '0')
        return i % how.escapeEvery === 0 ? `\\u${unit}` : JSON.stringify(string[i]).slice(1, -1)
      })
      return `"${units.join('')}"`
    }
    const list = (parts: string[]) => parts.map((part) => how.space + part + how.space).join(',')
    if (typeof json === 'string') return text(json)
    if (Array.isArray(json)) return `[${list(json.map((element) => write(element, how)))}]`
    if (!(json instanceof Entries)) return JSON.stringify(json)
    return `{${list(json.entries.map(([name, item]) => `${text(name)}${how.space}:${how.space}${write(item, how)}`))}}`
  }

  it('finds in a random record what JSON.parse finds', () => {
    fc.assert(
      fc.property(record, style, (json, how) => checkAgainstJsonParse(write(json, how))),
      { numRuns: runs(2_000) },
    )
  }, 60_000)

  it('takes random damage for valid exactly where JSON.parse does', () => {
    const interesting = Buffer.from('{}[]",:\\0129-+.eEtfnu \t\r/x\u00e9')
    const edit = fc.record({
      at: fc.nat(),
      how: fc.constantFrom('replace', 'insert', 'delete'),
      byte: fc.constantFrom(...interesting),
    })
    fc.assert(
      fc.property(record, style, fc.array(edit, { minLength: 1, maxLength: 3 }), (json, how, edits) => {
        const bytes = [...Buffer.from(write(json, how))]
        for (const { at, how, byte } of edits) {
          if (how === 'replace') bytes[at % bytes.length] = byte
          else if (how === 'insert') bytes.splice(at % bytes.length, 0, byte)
          else if (bytes.length > 1) bytes.splice(at % bytes.length, 1)
        }
        const damaged = Buffer.from(bytes)
        // Other tests cover invalid UTF-8. Here U+FFFD replaces invalid bytes.
        const text = Buffer.from(damaged.toString())
        if (text.toString().trim() !== '') checkAgainstJsonParse(text)
      }),
      { numRuns: runs(2_000) },
    )
  }, 60_000)
})
