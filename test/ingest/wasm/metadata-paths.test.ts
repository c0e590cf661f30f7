import { describe, expect, it } from 'vitest'
import type { HotColumn } from '../../../src/common/columns.js'
import { SOURCE_NAMES } from '../../../src/common/sources.js'
import { createMetadataPaths, type Path } from '../../../src/ingest/wasm/metadata-paths.js'
import { createModule } from '../../../src/ingest/wasm/module.js'
import { metadataPaths } from '../../../src/ingest/wasm/setup.js'
import { MAX_PATHS, PATHS } from '../../../src/wasm-layout/field-table.js'
import { KIND, slotOf } from '../field-table.js'

/** Paths of 1 to 4 keys. Some paths end where others go on, some differ in the middle of a long key only. */
const TEXTS: readonly Path[] = [
  ['a', 'b', 'c', 'd'],
  ['a', 'b'],
  ['a', 'b', 'c', 'e'],
  ['a', 'other'],
  ['é', ''],
  ['x'.repeat(64)],
  [`${'y'.repeat(8)}1${'y'.repeat(8)}`],
  [`${'y'.repeat(8)}2${'y'.repeat(8)}`],
]
const COLUMNS: readonly HotColumn[] = TEXTS.map((path) => ({ name: path.join('.'), kind: 'text', path }))
const columnsOf = () => COLUMNS

const SIZES = { capacityBytes: 1 << 16, maxLines: 1, maxLineBytes: 1 << 16, batchRows: 4, batchBytes: 1 << 20 }
const module = createModule({ ...SIZES, retentionUs: 1, columnsOf })
const { fieldAt } = metadataPaths(columnsOf)

/** Returns the JSON of the values at the paths, undefined if absent or null, in the order of TEXTS. */
function scan(line: string): (string | undefined)[] {
  const bytes = Buffer.from(line)
  module.bytes.set(bytes)
  expect(module.scan(0, bytes.length)).toBe(1)
  return TEXTS.map((path) => {
    const [kind, start, end] = module.table.subarray(slotOf(fieldAt(path)))
    const quote = kind === KIND.string || kind === KIND.escapedString ? 1 : 0
    return kind === KIND.absent ? undefined : bytes.toString('utf8', start! - quote, end! + quote)
  })
}

/** Returns the same for the stored metadata, with JSON.parse. */
function valuesIn(metadata: unknown): (string | undefined)[] {
  const first = (value: unknown) => (Array.isArray(value) ? value[0] : value)
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  return TEXTS.map((path) => {
    let value = metadata
    for (const key of path) {
      const object = first(value)
      value = isObject(object) && Object.hasOwn(object, key) ? object[key] : undefined
    }
    return value === undefined || value === null ? undefined : JSON.stringify(value)
  })
}

const ALL = {
  a: { b: { c: { d: 'four levels', e: 5 } }, other: true },
  é: { '': 'empty key' },
  [TEXTS[5]![0]!]: 'longest key',
  [TEXTS[6]![0]!]: 'one',
  [TEXTS[7]![0]!]: 'two',
}

describe('registered paths', () => {
  it.each<[string, unknown]>([
    ['all of them', ALL],
    ['lists, whose first element counts', [{ a: [{ b: [{ c: [{ d: 1 }, { e: 2 }] }], other: [1] }, { b: 3 }] }, ALL]],
    ['lists in lists and other values on the way', { a: { b: [[{ c: { d: 1 } }]], other: {} }, é: 1 }],
    ['a list whose first element is no object', { a: { b: [1, { c: { d: 1 } }] } }],
    ['a value where others go on', { a: { b: 'text' } }],
    ['nulls', { a: { b: { c: { d: null, e: 'e' } } }, é: null }],
    ['similar keys', { ['x'.repeat(63)]: 1, ['x'.repeat(65)]: 2, [`${'y'.repeat(8)}3${'y'.repeat(8)}`]: 3, A: ALL.a }],
    ['the keys at other places', { b: ALL, c: { d: 1 }, d: 2, other: 3, '': 4 }],
  ])('find %s', (_, metadata) => {
    expect(scan(JSON.stringify({ metadata }))).toEqual(valuesIn(metadata))
    expect(scan(JSON.stringify({ metadata: { z: 1 }, ...(metadata as object) })), 'other fields').toEqual(
      Array.isArray(metadata) ? valuesIn({}) : valuesIn(metadata),
    )
  })

  it.each([
    ['{"metadata":{"a":{"b":{"c":{"d":1,"e":2}},"other":3},"a":{"b":{"c":{"e":4}}}}}', { a: { b: { c: { e: 4 } } } }],
    ['{"metadata":{"a":{"b":{"c":{"d":1}},"other":3,"b":{}}}}', { a: { b: {}, other: 3 } }],
    ['{"metadata":{"a":{"b":{"c":{"d":1,"e":2},"c":7}}}}', { a: { b: { c: 7 } } }],
    ['{"metadata":{"a":{"b":{"c":{"d":1}}},"a":null}}', {}],
    ['{"metadata":{"\\u0061":{"\\u0062":{"c":{"\\u0064":1}}}}}', { a: { b: { c: { d: 1 } } } }],
    ['{"a":{"b":1},"metadata":{"a":{"other":2}},"\\u00e9":{"":3}}', { a: { other: 2 }, é: { '': 3 } }],
    ['{"metadata":{"a":7},"a":{"b":1}}', { a: 7 }],
    ['{"a":{"b":{"c":{"d":1}},"other":2},"a":{"b":{"c":{"e":1}}}}', { a: { b: { c: { e: 1 } } } }],
  ])('find what counts in %s', (line, stored) => {
    const values = scan(line).map((text) => text && JSON.stringify(JSON.parse(text)))
    const last = JSON.parse(line)
    expect(values[0]).toBe(valuesIn(stored)[0])
    expect(values.slice(2)).toEqual(valuesIn(stored).slice(2))
    // An object at ['a', 'b'] is kept as sent, earlier equal keys included.
    expect(JSON.parse(values[1] ?? 'null')).toEqual((last.metadata?.a ?? last.a)?.b ?? null)
  })

  it('are fields that are numbered depth first', () => {
    const paths = createMetadataPaths([['p'], ['q', 'r'], ['p'], ['q'], ['q', 's', 't'], ['u']])
    expect([['p'], ['q'], ['q', 'r'], ['q', 's', 't'], ['u']].map(paths.fieldAt)).toEqual(
      [0, 1, 2, 3, 4].map((i) => PATHS + i),
    )
    expect(() => paths.fieldAt(['q', 's'])).toThrow(new TypeError('The scanner does not look for q.s.'))
    expect(paths.keys.map(({ name, first, count }) => [name, first - PATHS, count])).toEqual([
      ['p', 0, 1],
      ['q', 1, 3],
      ['r', 2, 1],
      ['s', 3, 1],
      ['t', 3, 1],
      ['u', 4, 1],
    ])
  })

  it('are limited in number and length', () => {
    const withPaths = (paths: readonly Path[]) => () =>
      createModule({
        ...SIZES,
        retentionUs: 1,
        columnsOf: (source) =>
          paths
            .filter((_, i) => i % SOURCE_NAMES.length === (SOURCE_NAMES as readonly string[]).indexOf(source))
            .map((path) => ({ name: path.join('.'), kind: 'areas', path })),
      })
    const many = (length: number) => Array.from({ length }, (_, i) => [`k${i}`])
    expect(withPaths([['x'.repeat(64)]])).not.toThrow()
    expect(withPaths([['x'.repeat(65)]])).toThrow('unreachable')
    // Two paths lead to projects.
    expect(withPaths(many(MAX_PATHS - 2))).not.toThrow()
    expect(withPaths(many(MAX_PATHS - 1))).toThrow('unreachable')
  })
})
