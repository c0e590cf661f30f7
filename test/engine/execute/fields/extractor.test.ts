import { describe, expect, it } from 'vitest'
import { MAX_PATHS } from '../../../../src/engine/execute/fields/extractor.js'
import { allRows, extractAll, extractor, one, valueAt, write } from './extract-texts.js'

describe('a value', () => {
  it('has its kind, and is as it is spelled', () => {
    expect(one('{"a":"x"}', 'a')).toBe('text x')
    expect(one('{"a": -1.50e+2 }', 'a')).toBe('number -1.50e+2')
    expect(one('{"a":\t7\n}', 'a')).toBe('number 7')
    expect(one('{"a":true,"b":0}', 'a')).toBe('boolean true')
    expect(one('{"a":false}', 'a')).toBe('boolean false')
    expect(one('{"a":null}', 'a')).toBe('absent')
    expect(one('{"a": { "b" : [ 1 ] } }', 'a')).toBe('json { "b" : [ 1 ] }')
    expect(one('{"a": [ {"b":1} , 2 ] }', 'a')).toBe('json [ {"b":1} , 2 ]')
    expect(one('{"a":{},"b":1}', 'a')).toBe('json {}')
    expect(one('{"a":""}', 'a')).toBe('text ')
  })

  it('is absent if the path leads nowhere', () => {
    expect(one('{}', 'a')).toBe('absent')
    expect(one('{"b":1}', 'a')).toBe('absent')
    expect(one('{"a":1}', 'a', 'b')).toBe('absent')
    expect(one('{"a":"b"}', 'a', 'b')).toBe('absent')
    expect(one('{"a":null}', 'a', 'b')).toBe('absent')
    expect(one('{"x":{"a":1},"y":[{"a":1}]}', 'a')).toBe('absent')
    expect(one('{"x":"\\"a\\":1"}', 'a')).toBe('absent')
    expect(one('', 'a')).toBe('absent')
  })

  it('is absent if it is a number beyond the range of doubles', () => {
    expect(one('{"a":1e400}', 'a')).toBe('absent')
    expect(one(`{"a":-${'9'.repeat(310)}}`, 'a')).toBe('absent')
    expect(one('{"a":1.7976931348623159e308}', 'a')).toBe('absent')
    expect(one('{"a":1.7976931348623157e308}', 'a')).toBe('number 1.7976931348623157e308')
    expect(one('{"a":1e-400}', 'a')).toBe('number 1e-400')
  })

  it('is the metadata itself for the path without keys', () => {
    expect(one(' {"a":1} ')).toBe('json {"a":1}')
    expect(one('[{"a":1}]')).toBe('json [{"a":1}]')
  })
})

describe('a path', () => {
  it('leads through a list by its first element, if that is an object', () => {
    expect(one('{"a":[{"b":1},{"b":2}]}', 'a', 'b')).toBe('number 1')
    expect(one('{"a":[{"c":1},{"b":2}]}', 'a', 'b')).toBe('absent')
    expect(one('{"a":[1,{"b":2}]}', 'a', 'b')).toBe('absent')
    expect(one('{"a":[]}', 'a', 'b')).toBe('absent')
    expect(one('{"a":[[{"b":1}]]}', 'a', 'b')).toBe('absent')
    expect(one('{"a":[{"b":[{"c":1}]}]}', 'a', 'b', 'c')).toBe('number 1')
    expect(one('{"a":[{"b":[{"c":1}]}]}', 'a', 'b')).toBe('json [{"c":1}]')
    expect(one('{"a":[{"b":1}],"c":2}', 'c')).toBe('number 2')
  })

  it('leads through the first element of metadata that are a list', () => {
    expect(one(' [ {"a":1}, {"a":2,"b":3} ] ', 'a')).toBe('number 1')
    expect(one('[{"a":1},{"a":2,"b":3}]', 'b')).toBe('absent')
    expect(one('[[{"a":1}]]', 'a')).toBe('absent')
    expect(one('[1,{"a":1}]', 'a')).toBe('absent')
    expect(one('[]', 'a')).toBe('absent')
  })

  it('takes the last of equal keys, as a whole', () => {
    expect(one('{"a":1,"a":"x"}', 'a')).toBe('text x')
    expect(one('{"a":1,"a":null}', 'a')).toBe('absent')
    expect(one('{"a":{"b":1},"a":{}}', 'a', 'b')).toBe('absent')
    expect(one('{"a":{"b":1},"a":7}', 'a', 'b')).toBe('absent')
    expect(one('{"a":{"b":1},"a":[{"b":2}]}', 'a', 'b')).toBe('number 2')
    expect(one('{"a":{"b":{"c":1}},"a":{"b":{"d":2}}}', 'a', 'b', 'c')).toBe('absent')
    expect(one('{"a":1,"\\u0061":2}', 'a')).toBe('number 2')
  })

  it('compares decoded keys', () => {
    expect(one('{"\\u0061":1}', 'a')).toBe('number 1')
    expect(one('{"x":"\\n","a":1}', 'a')).toBe('number 1')
    expect(one('{"\\ud83d\\ude00":1}', '😀')).toBe('number 1')
    expect(one('{"a\\/b":1}', 'a/b')).toBe('number 1')
    expect(one('{"a\\"b":1}', 'a"b')).toBe('number 1')
    expect(one('{"a\\"b":1}', 'b')).toBe('absent')
    for (let length = 0; length < 40; length++) {
      const end = 'b'.repeat(length)
      expect(one(`{"a\\"${end}":1}`, end)).toBe('absent')
      expect(one(`{"a\\"${end}":1}`, `a"${end}`)).toBe('number 1')
    }
    expect(one('{"x":"y","b":1}', 'y","b')).toBe('absent')
    expect(one('{"x":"yyyyyyyy","b":1}', 'yyyyyyyy","b')).toBe('absent')
    expect(one('{"\\\\":1}', '\\')).toBe('number 1')
    expect(one('{"\\ud800":1}', '\ud800')).toBe('number 1')
    expect(one('{"\\ud800":1}', '\ufffd')).toBe('number 1')
  })

  it('may have any keys', () => {
    expect(one('{"":1}', '')).toBe('number 1')
    expect(one('{"":{"":1}}', '', '')).toBe('number 1')
    expect(one('{"a.b":1,"a":{"b":2}}', 'a.b')).toBe('number 1')
    expect(one('{"__proto__":1}', '__proto__')).toBe('number 1')
    expect(one('{}', '__proto__')).toBe('absent')
    expect(one('{}', 'constructor')).toBe('absent')
    const long = 'k'.repeat(300)
    expect(one(`{"x${long}":1,"${long}":2}`, long)).toBe('number 2')
    expect(one('{"a":1}', long)).toBe('absent')
    expect(one('{"kkkkkkkk":1}', 'k'.repeat(3e6))).toBe('absent')
  })

  it('may be longer than any text is deep', () => {
    const path = Array.from({ length: 100_000 }, () => 'a')
    expect(one(`${'{"a":'.repeat(128)}7${'}'.repeat(128)}`, ...path)).toBe('absent')
  })

  it('may be at any depth', () => {
    const path = Array.from({ length: 128 }, () => 'a')
    expect(one(`${'{"a":'.repeat(128)}7${'}'.repeat(128)}`, ...path)).toBe('number 7')
    expect(one(`${'[{"a":'.repeat(64)}7${'}]'.repeat(64)}`, ...path.slice(0, 64))).toBe('number 7')
    expect(one(`{"b":${'['.repeat(127)}${']'.repeat(127)},"a":7}`, 'a')).toBe('number 7')
    expect(one(`${'{"a":'.repeat(100)}7${'}'.repeat(100)}`, ...path)).toBe('absent')
  })
})

describe('a decoded text', () => {
  it('has its escapes replaced, a lone surrogate by U+FFFD', () => {
    expect(one('{"a":"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\ud83d\\ude00"}', 'a')).toBe('text "\\/\b\f\n\r\tAé😀')
    expect(one('{"a":"\\ud800x\\udc00"}', 'a')).toBe('text \ufffdx\ufffd')
    expect(one('{"a":"\\u0000"}', 'a')).toBe('text \0')
  })

  it('may be as long as any text', () => {
    const lines = 4e6
    expect(one(`{"a":"${'\\n'.repeat(lines)}"}`, 'a') === `text ${'\n'.repeat(lines)}`).toBe(true)
  })

  it('leaves the text around it as it is spelled', () => {
    const [values] = extractAll(['{"a":{"b":"\\u0041","c":"\\n"}}'], [['a', 'b'], ['a'], ['a', 'c'], []])
    expect(values).toEqual([
      { kind: 'text', text: 'A' },
      { kind: 'json', raw: '{"b":"\\u0041","c":"\\n"}' },
      { kind: 'text', text: '\n' },
      { kind: 'json', raw: '{"a":{"b":"\\u0041","c":"\\n"}}' },
    ])
  })

  it('is right wherever its backslashes are in a block', () => {
    for (let before = 0; before < 130; before++) {
      for (const backslashes of [1, 2, 3, 63, 64, 65]) {
        const escaped = '\\\\'.repeat(backslashes)
        const text = `{"x":"${'y'.repeat(before)}${escaped}","a":"${escaped}\\"","b":1}`
        expect(one(text, 'a')).toBe(`text ${'\\'.repeat(backslashes)}"`)
        expect(one(text, 'b')).toBe('number 1')
      }
    }
  })
})

describe('a call', () => {
  it('reads some of the rows', () => {
    const ranges = write(['{"a":1}', 'not JSON', '{"a":3}', '{"a":4}'])
    const extracted = extractor.extract([['a']], ranges, Uint32Array.of(0, 2))
    expect([0, 1].map((i) => valueAt(extracted, i))).toEqual([
      { kind: 'number', raw: '1' },
      { kind: 'number', raw: '3' },
    ])
    expect(extractor.extract([['a']], ranges, new Uint32Array(0)).kinds).toEqual(new Uint8Array(0))
  })

  it('reads nothing after the end of a text', () => {
    const values = extractAll(['{"a":', '"x"', '{"a" ', ':1}', '', '"y"'], [['a'], []])
    expect([0, 2, 4].map((row) => values[row])).toEqual([0, 2, 4].map(() => [{ kind: 'absent' }, { kind: 'absent' }]))
    expect(extractAll(['{"a":"xy', 'z"}'], [['a']])[0]).toEqual([{ kind: 'text', text: 'xy' }])
    const { starts, ends } = extractor.extract([['a']], write(['{"a":"\\u', '0041']), allRows(1))
    expect(ends[0]).toBe(starts[0])
  })

  it('reads texts anywhere in the memory', () => {
    const bytes = Buffer.from('....{"a":2}....{"a":1}')
    extractor.textMemory(bytes.length).set(bytes)
    const ranges = { starts: Int32Array.of(15, 4), ends: Int32Array.of(22, 11) }
    const extracted = extractor.extract([['a']], ranges, allRows(2))
    expect([0, 1].map((i) => valueAt(extracted, i))).toEqual([
      { kind: 'number', raw: '1' },
      { kind: 'number', raw: '2' },
    ])
  })

  it('takes no paths, repeated paths, and MAX_PATHS of them', () => {
    expect(extractAll(['{"a":1}'], [])).toEqual([[]])
    const escaped = extractAll(
      ['{"a":"\\n"}', '{"a":"\\t"}'],
      Array.from({ length: MAX_PATHS }, () => ['a']),
    )
    expect(escaped[1]).toEqual(Array.from({ length: MAX_PATHS }, () => ({ kind: 'text', text: '\t' })))
    const paths = Array.from({ length: MAX_PATHS }, (_, i) => [`key ${i}`])
    const text = JSON.stringify(Object.fromEntries(paths.map(([key], i) => [key, i])))
    expect(extractAll([text], paths)).toEqual([paths.map((_, i) => ({ kind: 'number', raw: `${i}` }))])
    expect(() => extractor.extract([...paths, ['a']], write([]), allRows(0))).toThrow(
      new TypeError('65 paths, but at most 64 in one walk'),
    )
  })

  it('refuses a text outside of the text memory', () => {
    const message = (row: number) => () => extractor.extract([['a']], write(['{}', '{}']), Uint32Array.of(row))
    expect(message(2)).toThrow(RangeError)
    const wrong = { starts: Int32Array.of(0), ends: Int32Array.of(2 ** 30) }
    expect(() => extractor.extract([['a']], wrong, allRows(1))).toThrow(RangeError)
    expect(() => extractor.extract([['a']], { starts: Int32Array.of(-9), ends: Int32Array.of(0) }, allRows(1))).toThrow(
      RangeError,
    )
  })

  it('refuses more memory than the module has addresses for', () => {
    expect(() => extractor.textMemory(2 ** 31)).toThrow(RangeError)
    expect(one('{"a":1}', 'a')).toBe('number 1')
  })

  it('keeps the texts if the memory grows', () => {
    write(['{"a":1}'])
    extractor.textMemory(5e6)
    const extracted = extractor.extract([['a']], { starts: Int32Array.of(0), ends: Int32Array.of(7) }, allRows(1))
    expect(valueAt(extracted, 0)).toEqual({ kind: 'number', raw: '1' })
  })
})
