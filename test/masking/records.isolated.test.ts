import { tableFromIPC } from 'apache-arrow'
import { describe, expect, it } from 'vitest'
import { acceptSources } from '../../src/common/sources.js'
import { createParser } from '../../src/ingest/stream/parse.js'
import type { LineDefaults } from '../../src/ingest/wasm/module.js'
import { createMasker } from '../../src/masking/lines/masker.js'
import type { Masked, MaskRule, Treatment } from '../../src/masking/rule.js'

const NOW_US = 1_764_000_000_000_000

const ruleOf = (masked: Masked, treatment: Treatment = '***', source?: string): MaskRule => ({
  ...{ name: JSON.stringify(masked), source, masked, with: treatment },
})
const path = (text: string, treatment?: Treatment, source?: string) =>
  ruleOf({ path: text.split('.') }, treatment, source)

interface Options {
  defaults?: LineDefaults
  acceptsUnreadableTimes?: boolean
  maxLineBytes?: number
}

/** Returns the stored rows, and the rejects. */
function store(records: readonly (object | string)[], rules: readonly MaskRule[], options: Options = {}) {
  const rows: Record<string, unknown>[] = []
  const rejects: string[] = []
  const masker = createMasker({ rules, key: new Uint8Array(32) })
  const parser = createParser(
    { retentionUs: Number.POSITIVE_INFINITY, masker: () => masker, ...options },
    {
      batch({ source, ipc }) {
        for (const row of tableFromIPC(ipc)) rows.push({ source, ...row!.toJSON() })
      },
      reject: (line, reason, _, start, end) => rejects.push(`${line} ${reason} ${end - start}`),
    },
  )
  parser.push(
    Buffer.from(records.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join('\n')),
    NOW_US,
  )
  parser.end(NOW_US)
  return { rows, rejects, counts: masker.takeCounts() }
}

const BASE = { source: 'edge_logs', timestamp: NOW_US, id: 'i', event_message: 'm' }

function metadataOf(metadata: unknown, rules: readonly MaskRule[], more: object = {}, options: Options = {}): unknown {
  const { rows, rejects } = store([{ ...BASE, metadata, ...more }], rules, options)
  expect(rejects).toEqual([])
  return JSON.parse(rows[0]!.metadata as string)
}

describe('a path', () => {
  it.each([
    ['a.b', { a: { b: 'x', c: 'y' }, b: 'z' }, { a: { b: '***', c: 'y' }, b: 'z' }],
    ['a.b', { a: [{ b: 'x' }, { b: ['y', 1, null] }] }, { a: [{ b: '***' }, { b: ['***', '***', null] }] }],
    ['a', { a: { b: 1 } }, { a: '***' }],
    ['a', { a: [{ b: 1 }, [2]] }, { a: ['***', ['***']] }],
    ['a', { a: true, b: true }, { a: '***', b: true }],
    ['a', { a: null }, { a: null }],
    ['a', { a: [] }, { a: [] }],
    ['*.a', { a: 1, b: { a: 2, c: [{ a: 3 }] } }, { a: '***', b: { a: '***', c: [{ a: '***' }] } }],
    ['b.*.a', { a: 1, b: { a: 2, c: { d: { a: 3 } } } }, { a: 1, b: { a: '***', c: { d: { a: '***' } } } }],
    ['b.*', { a: 1, b: { x: 2, y: { z: 3 } } }, { a: 1, b: { x: '***', y: '***' } }],
    ['*.b.a', { b: { b: { a: 1 } } }, { b: { b: { a: '***' } } }],
  ])('%s masks in %j', (text, given, expected) => {
    expect(metadataOf(given, [path(text)])).toEqual(expected)
  })

  it.each([
    [{ a: 1 }, {}],
    [{ a: 1, b: 2 }, { b: 2 }],
    [{ b: 2, a: 1 }, { b: 2 }],
    [
      { b: 2, a: 1, c: 3 },
      { b: 2, c: 3 },
    ],
    [{ a: { a: 1 }, c: { a: 1, d: { a: 1, e: 1 } } }, { c: { d: { e: 1 } } }],
    [{ x: [{ a: 1, b: 2 }, { a: 1 }, 3] }, { x: [{ b: 2 }, {}, 3] }],
    [{ a: [1, 2], b: [{ a: 1 }] }, { b: [{}] }],
  ])('*.a with drop turns %j into %j', (given, expected) => {
    expect(metadataOf(given, [path('*.a', 'drop')])).toEqual(expected)
  })

  it('drops members in a row, with white space, and one with a key that is masked', () => {
    const metadata = '{ "a" : 1 , "a@b.co": 3, "b": {"a@b.co" : [ { } ] }\t}'
    const line = `{ "source":"edge_logs" , "timestamp":${NOW_US}, "metadata": ${metadata} }`
    const rules = [path('*.a', 'drop'), ruleOf({ path: ['a@b.co'] }, 'drop'), ruleOf({ builtin: 'email' })]
    const { rows } = store([line.replace('a@b.co', 'b@b.co')], rules)
    expect(JSON.parse(rows[0]!.metadata as string)).toEqual({ '***': 3, b: { '***': [{}] } })
    const { rows: others } = store(
      [line],
      rules.map((rule) => ({ ...rule, with: 'drop' as const })),
    )
    expect(JSON.parse(others[0]!.metadata as string)).toEqual({ b: { '': [{}] } })
  })

  it('is compared with the decoded key', () => {
    const line = `{"source":"edge_logs","timestamp":${NOW_US},"metadata":{"p\\u0061ss":"x","\\u0070ass":{"y":1}}}`
    expect(JSON.parse(store([line], [path('pass')]).rows[0]!.metadata as string)).toEqual({ pass: '***' })
  })

  it('names the message, and a field of the record that is kept in the metadata', () => {
    const { rows } = store([{ ...BASE, other: 'x' }], [path('event_message', 'drop'), path('other')])
    expect(rows[0]).toMatchObject({ event_message: '', metadata: '{"other":"***"}' })
    const fieldNames = { time: ['timestamp'], message: ['msg'] }
    const { rows: others } = store([{ ...BASE, msg: 'x' }], [path('event_message')], { defaults: { fieldNames } })
    expect(others[0]).toMatchObject({ event_message: '***' })
  })

  it('of a source masks records of that source, by name, alias, default or in upper case', () => {
    acceptSources(['my_app'])
    const ofAuth = [path('a', '***', 'auth_logs')]
    const ofApp = [path('a', '***', 'my_app')]
    expect(metadataOf({ a: 1 }, ofAuth)).toEqual({ a: 1 })
    expect(metadataOf({ a: 1 }, ofAuth, { source: 'auth_logs' })).toEqual({ a: '***' })
    expect(metadataOf({ a: 1 }, ofAuth, { source: 'gotrue.logs.prod' })).toEqual({ a: '***' })
    expect(metadataOf({ a: 1 }, ofApp, { source: 'My_App' })).toEqual({ a: '***', source: 'My_App' })
    const options = { defaults: { source: 'auth_logs' } }
    expect(metadataOf({ a: 1 }, ofAuth, { source: undefined }, options)).toEqual({ a: '***' })
    expect(metadataOf({ a: 1 }, ofApp, { source: 'my_app' }, options)).toEqual({ a: '***' })
    expect(metadataOf({ a: 1 }, ofAuth, { source: 'joe' }, options)).toEqual({ a: '***', source: 'joe' })
  })
})

describe('a pattern', () => {
  const email = [ruleOf({ builtin: 'email' })]

  it('leaves the source, the project and the time, and masks a source that is another field', () => {
    const given = { ...BASE, project: 'a@b.co', timestamp: new Date(NOW_US / 1000).toISOString() }
    expect(store([given], [ruleOf({ pattern: '[a-z0-9:-]+' }, 'drop')]).rows[0]).toMatchObject({
      ...{ source: 'edge_logs', project: 'a@b.co', timestamp: NOW_US / 1000, event_message: '' },
    })
    expect(metadataOf({}, email, { source: 'a@b.co' }, { defaults: { source: 'auth_logs' } })).toEqual({
      source: '***',
    })
  })

  it('masks a time that cannot be read, and is kept in the metadata', () => {
    const options = { acceptsUnreadableTimes: true }
    expect(metadataOf({}, email, { timestamp: 'of a@b.co' }, options)).toEqual({ timestamp: 'of ***' })
  })

  it('masks the id, numbers and keys, and joins what several rules find', () => {
    const rules = [ruleOf({ pattern: 'b@c' }, 'drop'), ...email, ruleOf({ pattern: '42' })]
    const { rows, counts } = store(
      [{ ...BASE, id: 'x a@b.co', event_message: 'a@b.co z', metadata: { 'a@b.co': 1423 } }],
      rules,
    )
    expect(rows[0]).toMatchObject({ id: 'x ***', event_message: '*** z', metadata: '{"***":"1***3"}' })
    expect([...counts!]).toEqual([
      ['{"builtin":"email"}', 3],
      ['{"pattern":"42"}', 1],
    ])
    expect(store([{ ...BASE, event_message: 'a ab@cd.ef z' }], rules).rows[0]).toMatchObject({ event_message: 'a  z' })
  })

  it.each([
    '/',
    '"',
    '\\',
    '\b',
    '\f',
    '\n',
    '\r',
    '\t',
  ])('finds a text with %j however JSON escapes it', (character) => {
    const literal = character === '\\' ? '\\\\' : character
    const rules = [ruleOf({ pattern: `${literal}+(\\w+)` }, 'last4')]
    const ofCode = `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
    const own = JSON.stringify(character).slice(1, -1)
    for (const escaped of [ofCode, own, character === '/' ? '\\/' : own]) {
      const { rows } = store(
        [JSON.stringify({ ...BASE, metadata: 'HERE' }).replace('"HERE"', `{"a":"${escaped}p"}`)],
        rules,
      )
      expect(JSON.parse(rows[0]!.metadata as string)).toEqual({ a: `${character}***` })
    }
  })

  it('keeps the length of a rejected line as it came, and rejects a masked line that is too long', () => {
    const old = { ...BASE, source: 'nowhere', event_message: 'a@b.co' }
    const long = { ...BASE, metadata: { a: 'a@b.co '.repeat(20) } }
    const { rows, rejects } = store([old, long, BASE], [ruleOf({ builtin: 'email' }, 'hash')], { maxLineBytes: 300 })
    expect(rejects).toEqual([
      `1 unknown_source ${JSON.stringify(old).length}`,
      `2 line_too_long ${JSON.stringify(long).length}`,
    ])
    expect(rows).toHaveLength(1)
  })
})
