import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nestAttributes, toJson } from '../../src/otlp/metadata.js'
import type { Attributes, Value } from '../../src/otlp/request.js'

const map = (object: Record<string, Value>) => new Map(Object.entries(object))
const read = (attributes: Attributes) => JSON.parse(toJson(nestAttributes(attributes)))

describe('attributes as an object', () => {
  test.each<[string, Attributes, string]>([
    ['none', [], '{}'],
    [
      'plain ones',
      [
        ['a', 1n],
        ['b', 'x'],
      ],
      '{"a":1,"b":"x"}',
    ],
    [
      'dots',
      [
        ['request.path', '/x'],
        ['request.headers.host', 'h'],
      ],
      '{"request":{"path":"/x","headers":{"host":"h"}}}',
    ],
    ['a map', [['request', map({ path: '/x' })]], '{"request":{"path":"/x"}}'],
    [
      'a map and dots',
      [
        ['request.method', 'GET'],
        ['request', map({ path: '/x' })],
      ],
      '{"request":{"path":"/x","method":"GET"}}',
    ],
    ['dots in a map', [['request', map({ 'a.b': 1n })]], '{"request":{"a.b":1}}'],
    [
      'what is taken',
      [
        ['a.b', 1n],
        ['a', 2n],
      ],
      '{"a":2,"a.b":1}',
    ],
    [
      'what is taken deeper',
      [
        ['a.b.c', 1n],
        ['a.b', 2n],
      ],
      '{"a":{"b":2},"a.b.c":1}',
    ],
    [
      'what a map has taken',
      [
        ['a', map({ b: 1n })],
        ['a.b', 2n],
      ],
      '{"a":{"b":1},"a.b":2}',
    ],
    [
      'an object where a text is',
      [
        ['a', map({ b: 'x' })],
        ['a.b.c', 2n],
      ],
      '{"a":{"b":"x"},"a.b.c":2}',
    ],
    [
      'maps that share a key',
      [
        ['a', map({ b: map({ c: 1n }) })],
        ['a.b', map({ c: 2n, d: 3n })],
      ],
      '{"a":{"b":{"c":1,"d":3}},"a.b.c":2}',
    ],
    [
      'three of one path, of which none replaces another',
      [
        ['a', map({ b: map({ c: 1n }) })],
        ['a.b', map({ c: 2n })],
        ['a.b.c', 3n],
        ['a.b.c#2', 4n],
      ],
      '{"a":{"b":{"c":1,"c#2":4}},"a.b.c":2,"a.b.c#2":3}',
    ],
    [
      'a null, which has its place',
      [
        ['a', null],
        ['a.b', 1n],
      ],
      '{"a":null,"a.b":1}',
    ],
    [
      'a key twice',
      [
        ['a.b', 1n],
        ['c', 0n],
        ['a.b', 2n],
      ],
      '{"c":0,"a":{"b":2}}',
    ],
    [
      'empty parts',
      [
        ['', 1n],
        ['.', 2n],
        ['a.', 3n],
        ['.a', 4n],
        ['a..b', 5n],
      ],
      '{"":1,".":2,"a.":3,".a":4,"a..b":5}',
    ],
    [
      'names that objects have',
      [
        ['__proto__.x', 1n],
        ['constructor', 2n],
        ['__proto__', map({ y: 3n })],
      ],
      '{"constructor":2,"__proto__":{"y":3,"x":1}}',
    ],
  ])('%s', (_, attributes, json) => {
    expect(toJson(nestAttributes(attributes))).toBe(json)
  })

  test('a key of 32 parts leads into objects, one of 33 does not', () => {
    const key = (parts: number) => Array(parts).fill('a').join('.')
    expect(toJson(nestAttributes([[key(32), 1n]]))).toBe(`${'{"a":'.repeat(32)}1${'}'.repeat(32)}`)
    expect(toJson(nestAttributes([[key(33), 1n]]))).toBe(`{"${key(33)}":1}`)
    expect(read([['.'.repeat(1_000_000), 1n]])).toEqual({ ['.'.repeat(1_000_000)]: 1 })
  })

  const name = fc.constantFrom('a', 'b', 'c', '__proto__', 'é')

  test('any object is that of the attributes that name its leaves', () => {
    const { object } = fc.letrec<{ object: Record<string, unknown>; any: unknown }>((tie) => ({
      object: fc.dictionary(name, tie('any'), { minKeys: 1, maxKeys: 3, noNullPrototype: false }),
      any: fc.oneof({ maxDepth: 3 }, fc.boolean(), fc.string(), tie('object')),
    }))
    const leaves = (value: unknown, path: string[]): Attributes =>
      typeof value === 'object'
        ? Object.entries(value!).flatMap(([key, inner]) => leaves(inner, [...path, key]))
        : [[path.join('.'), value as Value]]
    fc.assert(
      fc.property(object, (one) => {
        expect(read(leaves(one, []))).toEqual(JSON.parse(JSON.stringify(one)))
      }),
    )
  })

  test('no value is lost, whatever stands in the way of what', () => {
    const key = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('.'))
    const shape = fc.constantFrom('value', 'map', 'map of maps')
    const attribute = fc.tuple(key, shape)
    fc.assert(
      fc.property(fc.uniqueArray(attribute, { selector: ([one]) => one, maxLength: 8 }), (shapes) => {
        let last = 0
        const next = () => `#${++last};`
        const made = {
          value: next,
          map: () => map({ a: next(), b: next() }),
          'map of maps': () => map({ a: map({ b: next() }) }),
        }
        const json = toJson(nestAttributes(shapes.map(([one, kind]) => [one, made[kind]()])))
        const stored = [...json.matchAll(/#\d+;/g)].map(([leaf]) => leaf)
        expect(stored.length).toBe(last)
      }),
    )
  })
})

describe('a value as JSON', () => {
  test.each<[string, Value]>([
    ['null', null],
    ['true', true],
    ['"\\"\\n\\ud800"', '"\n\ud800'],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    ['0.1', 0.1],
    ['1e+21', 1e21],
    ['"NaN"', Number.NaN],
    ['"Infinity"', Number.POSITIVE_INFINITY],
    ['"-Infinity"', Number.NEGATIVE_INFINITY],
    ['"AP8="', Uint8Array.of(0, 255)],
    ['[1,[],{}]', [1n, [], map({})]],
    ['{"a\\"":1,"b":null}', map({ 'a"': 1n, b: null })],
  ])('%s', (json, value) => {
    expect(toJson(value)).toBe(json)
  })
})
