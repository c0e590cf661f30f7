import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createModule } from '../../src/ingest/wasm/module.js'
import type { Scanner } from '../../src/ingest/wasm/scanner.js'
import { HEADER_INTS, LINE_INTS, MAX_DEPTH } from '../../src/wasm-layout/field-table.js'
import { runs } from '../support/runs.js'
import { FIELD, OUTCOME, slotOf } from './field-table.js'
import { createScanner } from './reference/scan.js'
import { expectedReading, type Reading, readLine } from './wasm-scanner.oracle.js'
import { lineText, mutation, recordText } from './wasm-scanner.records.js'

/** Creates a module that is used as a scanner only. */
function createWasmScanner(sizes: { capacityBytes: number; maxLines: number }): Scanner {
  return createModule({ ...sizes, maxLineBytes: sizes.capacityBytes, batchRows: 1, batchBytes: 1, retentionUs: 0 })
}

const SIZES = { capacityBytes: 1 << 20, maxLines: 64 }
const scanner = createWasmScanner(SIZES)

/** Bytes after the input. Each byte would change the result of a scanner that reads past the input. */
const LEFT_OVERS = ['"', '\\', '0', 'a', '}', ' ', '\n', '\0']

/** Scans Latin-1 text at `start`, surrounded by left-overs, and checks that the bytes did not change. */
function scan(text: string, { start = 0, leftOver = '"', on = scanner } = {}): number {
  const around = on.bytes.subarray(Math.max(0, start - 256), start + text.length + 256)
  around.fill(leftOver.charCodeAt(0))
  on.bytes.set(Buffer.from(text, 'latin1'), start)
  const before = Buffer.from(around)
  const lines = on.scan(start, start + text.length)
  expect(before.equals(around), 'the scanner changed its input').toBe(true)
  return lines
}

const readings = (lines: number, on: Scanner = scanner): Reading[] =>
  Array.from({ length: lines }, (_, row) => readLine(on, row))

/** Splits a text like a scanner: the text after the last newline is a line unless empty. */
function linesOf(text: string): string[] {
  const lines = text.split('\n')
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

function check(text: string, options: { start?: number; leftOver?: string } = {}): void {
  expect(readings(scan(text, options))).toEqual(linesOf(text).map(expectedReading))
}

const outcomeOf = (text: string): number => readings(scan(text))[0]!.outcome

const options = fc.record({ start: fc.nat(130), leftOver: fc.constantFrom(...LEFT_OVERS) })

/** Random tests take 1 to 3 s on an idle machine. */
const TIMEOUT_MS = 60_000

describe('wasm scanner against JSON.parse', () => {
  it(
    'reads random records',
    () => {
      fc.assert(
        fc.property(fc.array(lineText, { minLength: 1, maxLength: 20 }), options, fc.boolean(), (lines, o, isCut) => {
          check(lines.join('\n') + (isCut ? '' : '\n'), o)
        }),
        { numRuns: runs(1_000) },
      )
    },
    TIMEOUT_MS,
  )

  it(
    'judges records with random bytes deleted, inserted and replaced',
    () => {
      const mutated = fc.tuple(recordText, fc.array(mutation, { minLength: 1, maxLength: 2 }))
      const broken = mutated.map(([text, mutations]) => mutations.reduce((t, mutate) => mutate(t), text))
      fc.assert(
        fc.property(fc.array(broken, { minLength: 1, maxLength: 20 }), options, (lines, o) =>
          check(lines.join('\n'), o),
        ),
        { numRuns: runs(2_000) },
      )
    },
    TIMEOUT_MS,
  )

  it('judges every byte in every kind of place', () => {
    const places = ['{"a@":1}', '{"id":"@"}', '{"id":"\\@"}', '{"id":"\\u00@1"}', '{"id":@}', '{"id":1@}', '{"id":-@}']
    const more = ['{"id":0@}', '{"id":1.@}', '{"id":1e@}', '{"id":tr@e}', '{"id":[@]}', '{@"id":1}', '@{}', '{}@', '@']
    for (const place of [...places, ...more]) {
      for (let byte = 0; byte < 256; byte++) check(place.replace('@', String.fromCharCode(byte)))
    }
  })

  it('judges numbers', () => {
    const whole = ['', '-', '0', '-0', '00', '01', '-01', '7', '10', '+1', '12345678901234567890', '9'.repeat(400)]
    const fraction = ['', '.', '.0', '.5', '.25.1', `.${'3'.repeat(40)}`]
    const exponent = ['', 'e', 'E5', 'e+', 'e-07', 'E+400', 'e5.0', 'ee1', 'e 1']
    for (const w of whole)
      for (const f of fraction) for (const e of exponent) check(`{"id":${w}${f}${e}}\n${w}${f}${e}`)
  })

  it('judges literals', () => {
    for (const word of [
      'true',
      'false',
      'null',
      'tru',
      'truee',
      'nul',
      'fals',
      'falsx',
      'falsey',
      'True',
      'NaN',
      'Infinity',
      'undefined',
    ]) {
      check(`{"id":${word}}\n[${word}]\n${word}\n {"metadata":{"project":${word} ,"request":${word}}}`)
    }
  })

  it('judges structure', () => {
    const tokens = ['{', '}', '[', ']', ',', ':', '"id"', '1', 'null']
    const tuples = (n: number): string[] => (n === 0 ? [''] : tuples(n - 1).flatMap((t) => tokens.map((u) => t + u)))
    const texts = [...tuples(3), ...tuples(4).map((text) => `{"metadata":${text}}`)]
    for (let i = 0; i < texts.length; i += 64) check(texts.slice(i, i + 64).join('\n'))
  })
})

describe('wasm scanner at the borders of its blocks', () => {
  it('finds the end of strings of every length, at every offset', () => {
    for (let length = 0; length <= 140; length++) {
      check(`{"id":"${'x'.repeat(length)}","project":"p"}`, { start: length % 67 })
      check(`{"${'k'.repeat(length)}":1,"id":"${'y'.repeat(length)}`, { start: length % 61 })
    }
  })

  it('takes runs of backslashes across every border', () => {
    for (let before = 0; before <= 70; before++) {
      const lines = [1, 2, 3, 4, 5, 6, 7, 31, 32, 33].flatMap((run) => {
        const text = `{"id":"${'x'.repeat(before)}${'\\'.repeat(run)}`
        return [`${text}","project":"p"}`, `${text}"","project":"p"}`, `${text}n"}`, text]
      })
      check(lines.join('\n'), { start: before % 16 })
    }
  })

  it('takes escapes and refuses control characters at every position', () => {
    const odd = ['\\"', '\\u12aF', '\\u12aG', '\\u12', '\\x', '\x00', '\x1f', '\x7f', '\t', '\xff', '"']
    for (let at = 0; at <= 70; at++) check(odd.map((text) => `{"id":"${'x'.repeat(at)}${text}yz"}`).join('\n'))
  })

  it('finds lines of every length', () => {
    const lines = Array.from({ length: 64 }, (_, i) => `{"id":"${'z'.repeat(i)}"}`)
    for (let i = 0; i < 64; i += 8) check(lines.slice(i).join('\r\n'))
    check(lines.slice(0, 32).join('\n\n'))
  })
})

describe('wasm scanner and the keys of earlier lines', () => {
  it(
    'reads records that differ in a few bytes from the one before',
    () => {
      const changed = fc.tuple(recordText, fc.array(fc.option(mutation), { minLength: 2, maxLength: 20 }))
      fc.assert(
        fc.property(changed, options, ([text, mutations], o) => {
          check(mutations.map((mutate) => mutate?.(text) ?? text).join('\n'), o)
        }),
        { numRuns: runs(2_000) },
      )
    },
    TIMEOUT_MS,
  )

  it('tells keys of every length from those that differ in their last bytes', () => {
    for (let length = 1; length <= 40; length++) {
      const key = 'k'.repeat(length - 1)
      const keys = ['a', 'b', 'a', 'a"', 'a\\"', '\\u0061', 'a"\x01'].map((last) => key + last)
      for (const after of [':', ' :', '']) {
        check(keys.map((name) => `{"${name}"${after}1,"id":"x"}`).join('\n'), { start: length })
        check(keys.map((name) => `{"metadata":{"request":{"${name}"${after}{"path":1},"method":"x"}}}`).join('\n'))
      }
    }
  })

  it('reads the same keys in other objects and another order', () => {
    const members = [
      '"path":1',
      '"method":"x"',
      '"request":{"path":"a"}',
      '"response":{"status_code":2}',
      '"path":null',
    ]
    const objects = members.flatMap((a) => members.map((b) => `{${a},${b}}`))
    const places = ['@', '{"metadata":@}', '{"metadata":{"request":@}}', '{"metadata":[{"request":[@,@]}]}', '{"x":@}']
    for (const object of objects) check(places.map((place) => place.replaceAll('@', object)).join('\n'))
    for (const place of places) check(objects.map((object) => place.replaceAll('@', object)).join('\n'))
  })

  it('finds time and message under other names once they are set', () => {
    const module = createModule({
      ...SIZES,
      maxLineBytes: SIZES.capacityBytes,
      batchRows: 1,
      batchBytes: 1,
      retentionUs: 0,
    })
    const text = '{"a":1,"b":2,"c":3}'
    const timeAfter = (...time: string[]) => {
      module.setDefaults({ fieldNames: { time, message: ['c'] } })
      scan(text, { on: module })
      const slot = slotOf(FIELD.timestamp!)
      return text.slice(module.table[slot + 1]!, module.table[slot + 2]!)
    }
    expect([timeAfter('a'), timeAfter('b'), timeAfter('z'), timeAfter('a', 'b')]).toEqual(['1', '2', '', '1'])
  })
})

describe('wasm scanner and lines', () => {
  it('finds no line in nothing', () => {
    expect(scanner.scan(0, 0)).toBe(0)
    expect(scanner.scan(70, 70)).toBe(0)
  })

  it('tells blank lines from empty strings', () => {
    check('\n\r\n \t \r\n""\n{}\n\n')
    check(' ')
  })

  it('lets an unterminated string end with its line', () => {
    check('{"id":"a\n{"id":"b"}\n{"id":"c\\\n"{"id":"d"}\n{"id":"e"}')
  })

  it('stops at maxLines and goes on behind the last line', () => {
    const few = createWasmScanner({ capacityBytes: 4096, maxLines: 3 })
    const texts = [
      '{"id":"a"}',
      '',
      '{"id":"b","metadata":{"project":"p"}}',
      'oops',
      '{"id":"c"}',
      '{}',
      '[',
      '{"id":"d"}',
    ]
    const text = texts.join('\n')
    const found: Reading[] = []
    for (let start = 5, end = 5 + text.length; start < end; ) {
      const lines = start === 5 ? scan(text, { start, on: few }) : few.scan(start, end)
      found.push(...readings(lines, few))
      start = few.table[(lines - 1) * LINE_INTS + 2]! + 1
    }
    expect(found).toEqual(texts.map(expectedReading))
  })

  it('fills its capacity to the last byte', () => {
    const small = createWasmScanner({ capacityBytes: 100, maxLines: 1 })
    const text = `{"id":"${'x'.repeat(91)}"}`
    expect(text.length).toBe(small.bytes.length)
    expect(readings(scan(text, { on: small }), small)).toEqual([expectedReading(text)])
    expect(readings(scan(text.slice(0, -2).padEnd(100, 'x'), { on: small }), small)[0]!.outcome).toBe(
      OUTCOME.invalidJson,
    )
  })

  it('takes lines as long as its memory', () => {
    check(`{"id":"${'x'.repeat(500_000)}\\n${'y'.repeat(500_000)}"}`)
  })

  it('keeps two scanners apart', () => {
    const [a, b] = [
      createWasmScanner({ capacityBytes: 99, maxLines: 1 }),
      createWasmScanner({ capacityBytes: 99, maxLines: 1 }),
    ]
    scan('{"id":"a"}', { on: a })
    scan('[', { on: b })
    expect(readings(1, a)).toEqual([expectedReading('{"id":"a"}')])
  })
})

describe('I5: wasm scanner and depth', () => {
  const nested = (levels: number, open: string, inner = '', close = open === '[' ? ']' : '}'): string =>
    open.repeat(levels) + inner + close.repeat(levels)

  it(`takes ${MAX_DEPTH} levels and no more`, () => {
    expect(outcomeOf(nested(MAX_DEPTH, '{"a":', '1'))).toBe(OUTCOME.ok)
    expect(outcomeOf(nested(MAX_DEPTH + 1, '{"a":', '1'))).toBe(OUTCOME.tooDeep)
    expect(outcomeOf(`{"a":${nested(MAX_DEPTH - 1, '[')}}`)).toBe(OUTCOME.ok)
    expect(outcomeOf(`{"a":${nested(MAX_DEPTH, '[')}}`)).toBe(OUTCOME.tooDeep)
    expect(outcomeOf(nested(MAX_DEPTH, '['))).toBe(OUTCOME.notAnObject)
    expect(outcomeOf(nested(MAX_DEPTH + 1, '['))).toBe(OUTCOME.tooDeep)
  })

  it('finds the fields around and behind deep values', () => {
    for (const levels of [1, 2, 126, 127, 128]) {
      for (const open of ['[', '{"request":', '{"metadata":', '[{"a":1},[2,[3]],']) {
        const deep = nested(levels, open, '0', open.startsWith('{') ? '}' : ']')
        check(`{"id":"i","metadata":${deep},"project":"p"}\n{"metadata":{"x":${deep},"project":"q"},"id":${deep}}`)
      }
    }
  })

  it('is not upset by 100,000 levels', () => {
    for (const open of ['[', '{"a":', '[{"a":']) {
      const text = `{"id":"i","a":${open.repeat(100_000)}`
      expect(outcomeOf(text)).toBe(OUTCOME.tooDeep)
      expect(outcomeOf('[]'.repeat(100_000))).toBe(OUTCOME.invalidJson)
    }
    check(`{"id":[${nested(1, '[', '[],{},'.repeat(20_000).slice(0, -1))}]}`)
  })

  it('lets the first fault decide', () => {
    const deep = '['.repeat(200)
    expect(outcomeOf(`{"id":"\x01","a":${deep}`)).toBe(OUTCOME.invalidJson)
    expect(outcomeOf(`{"a":${deep}"\x01`)).toBe(OUTCOME.tooDeep)
    expect(outcomeOf(`{"a":${'['.repeat(127)}]["`)).toBe(OUTCOME.invalidJson)
    expect(outcomeOf(`{"a":${'['.repeat(127)}1[`)).toBe(OUTCOME.invalidJson)
    expect(outcomeOf(`{"a":${'['.repeat(126)}{[`)).toBe(OUTCOME.invalidJson)
  })
})

describe('wasm scanner and names', () => {
  const hex = (code: number): string => `\\u${code.toString(16).padStart(4, '0')}`
  const eachByte = (name: string, change: (code: number) => string): string[] =>
    Array.from(name, (c, i) => name.slice(0, i) + change(c.charCodeAt(0)) + name.slice(i + 1))

  /** The name, plain and escaped, and similar names. */
  const spellings = (name: string): string[] => [
    name,
    ...eachByte(name, hex),
    ...eachByte(name, (code) => hex(code).replace(/[a-f]/g, (digit) => digit.toUpperCase())),
    ...eachByte(name, (code) => hex(code + 256)),
    ...eachByte(name, (code) => String.fromCharCode(code ^ 1)),
    ...eachByte(name, (code) => `\\${String.fromCharCode(code)}`),
    ...['s', '\\u0000', '\\/', '\\u0073', 'x'.repeat(20), '\\u0078'.repeat(500)].map((end) => name + end),
    ...[name.slice(1), name.slice(0, -1), `\\\\${name}`, `\\u002f${name}`],
  ]

  it.each([
    ...['id', 'source', 'project', 'timestamp', 'event_message', 'metadata'].map((name) => ['{@:"v","x":1}', name]),
    ...['project', 'project_ref', 'function_id', 'execution_time_ms'].map((name) => ['{"metadata":{@:"v"}}', name]),
    ['{"metadata":{"request":{@:"v"}}}', 'url'],
    ['{"metadata":{"request":{@:"v"}}}', 'path'],
    ['{"metadata":{"response":{@:"v"}}}', 'status_code'],
    ['{"metadata":{@:{"url":"u","path":"p"}}}', 'request'],
    ['{"metadata":{@:{"status_code":200}}}', 'response'],
  ])('%s: %s', (place, name) => {
    for (const key of spellings(name!)) check(place!.replace('@', () => `"${key}"`))
  })
})

describe('wasm scanner and equal keys', () => {
  it.each([
    '{"id":"a","id":null}',
    '{"id":null,"id":{"id":1}}',
    '{"metadata":{"request":{"url":"u","path":"p"},"request":{"url":"v"}}}',
    '{"metadata":{"request":{"url":"u"},"request":null}}',
    '{"metadata":{"request":{"url":"u"},"request":"x","response":{"status_code":1},"response":[]}}',
    '{"metadata":{"project":"p","function_id":"f","response":{"status_code":1}},"metadata":{"project_ref":"r"}}',
    '{"metadata":{"project":"p"},"metadata":null}',
    '{"metadata":{"project":"p"},"m\\u0065tadata":7}',
    '{"metadata":[{"request":[{"url":"u"},{"url":"v","path":"w"}]},{"project":"q","request":{"path":"x"}}]}',
    '{"metadata":[[{"project":"p"}]]}',
    '{"metadata":[1,{"project":"p"}]}',
    '{"metadata":[{"project":"p"},1]}',
    '{"metadata":[]}',
    '{"request":{"url":"u"},"url":"v","status_code":3}',
    '{"request":{"url":"u"},"metadata":{"request":{"path":"p"}},"request":{"url":"v"}}',
    '{"request":{"url":"u"},"metadata":{"request":7},"metadata":{"a":1},"function_id":"f"}',
  ])('%s', (text) => check(text))
})

describe('wasm scanner beside the plain one', () => {
  const plain = createScanner({ capacityBytes: 1 << 20, maxLines: 64 })

  /**
   * Returns the table's rows as bytes, without the module's private words. For a refused line, returns only outcome and
   * range.
   */
  function rows({ table }: Scanner, lines: number): Buffer {
    const copy = table.slice(0, lines * LINE_INTS)
    for (let at = 0; at < copy.length; at += LINE_INTS) {
      copy.fill(0, at + 3, at + (copy[at] === OUTCOME.ok ? HEADER_INTS : LINE_INTS))
    }
    return Buffer.from(copy.buffer)
  }

  it(
    'fills an equal table',
    () => {
      const changes = fc.oneof(fc.constant([]), fc.array(mutation, { maxLength: 2 }))
      const line = fc
        .tuple(lineText, changes)
        .map(([text, mutations]) => mutations.reduce((t, mutate) => mutate(t), text))
      fc.assert(
        fc.property(fc.array(line, { minLength: 20, maxLength: 60 }), options, (lines, o) => {
          const text = lines.join('\n')
          const [fast, slow] = [rows(scanner, scan(text, o)), rows(plain, scan(text, { ...o, on: plain }))]
          expect(fast.equals(slow), text).toBe(true)
        }),
        { numRuns: runs(1_000) },
      )
    },
    TIMEOUT_MS,
  )
})
