import { beforeAll, describe, expect, it } from 'vitest'
import { MAX_OWN_SOURCES } from '../../src/common/own-source-names.js'
import { MAX_TOKEN_SOURCES } from '../../src/common/source-refusals.js'
import {
  acceptSources,
  allSourceNames,
  findSource,
  ownSourceCount,
  registerSource,
  SOURCES,
} from '../../src/common/sources.js'
import { createBodyParser } from '../../src/ingest/body/body.js'
import { NOW_US, type ParsedRow, parse, RETENTION_US, reasonOf, rowOf, rowsOf } from './parsing.js'

// The process is this file's own, and the tests are in the order in which sources are made.
registerSource('on_disk')
acceptSources(['named'], true)

/** Takes a body of records, as from a bound token if `token` is given. */
function take(records: readonly object[], token?: string, source?: string) {
  const rows: ParsedRow[] = []
  const sink = { batch: (batch: Parameters<typeof rowsOf>[0]) => rows.push(...rowsOf(batch)), reject: () => {} }
  const parser = createBodyParser({ retentionUs: RETENTION_US }, sink)
  const result = parser.parse(
    { bytes: Buffer.from(JSON.stringify(records)), form: 'json', defaults: { token, source } },
    NOW_US,
  )
  parser.flush()
  return { ...result, rows }
}

describe('a record', () => {
  it('makes a source of its name, also of a configured one and of one on disk', () => {
    for (const source of ['nginx', 'named', 'on_disk']) {
      expect(rowOf({ source, a: 1 })).toMatchObject({ source, metadata: '{"a":1}' })
    }
    expect(allSourceNames().slice(9)).toEqual(['on_disk', 'named', 'nginx'])
  })

  it('makes a source of a lowered name, which other spellings share', () => {
    for (const sent of ['My App/2', 'my_app_2', 'MY-APP-2', 'My\n\tapp.2']) {
      expect(rowOf({ source: sent })).toMatchObject({
        source: 'my_app_2',
        metadata: sent === 'my_app_2' ? '{}' : JSON.stringify({ source: sent }),
      })
    }
    expect(ownSourceCount()).toBe(4)
  })

  it('of up to 63 characters makes a source, and of 64 does not', () => {
    expect(rowOf({ source: 'x'.repeat(63) }).source).toBe('x'.repeat(63))
    expect(reasonOf({ source: 'x'.repeat(64) })).toBe('unknown_source')
    expect(reasonOf({ source: `${'y'.repeat(63)}-` })).toBe('unknown_source')
    expect(ownSourceCount()).toBe(5)
  })

  it('of a name with a meaning, or of one of the nine in other letters, does not', () => {
    const words = ['select', 'Group', 'LINES', 'view', 'unnest', 'Alert-Events', '', '9p', '_a', '-a', 'é', '*']
    const nine = SOURCES.map(({ name }) => name.toUpperCase())
    for (const source of [...words, ...nine]) expect(reasonOf({ source }), source).toBe('unknown_source')
    expect(ownSourceCount()).toBe(5)
  })

  it('that is rejected for another reason makes no source', () => {
    expect(reasonOf({ source: 'late', timestamp: '2020-01-01' })).toBe('too_old')
    expect(reasonOf({ source: 'typed', id: 7 })).toBe('invalid_field')
    const { rows, rejects } = parse('{"source":"late","timestamp":1}\n{"source":"typed","id":7}\n{"source":"nginx"}')
    expect([rows.length, rejects.length]).toEqual([1, 2])
    expect([findSource('late'), findSource('typed')]).toEqual([undefined, undefined])
  })

  it('keeps its source as a field if there is a default, unless a configured source has exactly the name', () => {
    const options = { defaultSource: 'by_default' }
    expect(rowOf({ source: 'nginx' }, options)).toMatchObject({ source: 'by_default', metadata: '{"source":"nginx"}' })
    expect(rowOf({ source: 'Named' }, options)).toMatchObject({ source: 'by_default', metadata: '{"source":"Named"}' })
    expect(rowOf({ source: 'named' }, options)).toMatchObject({ source: 'named', metadata: '{}' })
    expect(rowOf({ source: 'edge_logs' }, options)).toMatchObject({ source: 'edge_logs', metadata: '{}' })
    expect(take([{ a: 1 }, { source: 'x y' }, {}], undefined, 'by_url')).toMatchObject({ taken: 3, rejected: 0 })
  })
})

describe('a token bound to projects', () => {
  const records = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => ({ source: `bound_${from + i}`, project: 'p' }))

  it('makes 20 sources, and sends records of all that exist', () => {
    const { taken, byReason, refusedSources, rejects } = take(records(0, MAX_TOKEN_SOURCES + 1), 'one')
    expect([taken, byReason, refusedSources]).toEqual([MAX_TOKEN_SOURCES, { unknown_source: 1 }, ['token_limit']])
    expect(rejects).toEqual([{ record: 21, reason: 'unknown_source' }])
    expect(take([{ source: 'bound_3' }, { source: 'Nginx' }, { source: 'auth_logs' }], 'one').taken).toBe(3)
    expect(take([{}], 'one', 'bound_by_url')).toMatchObject({ taken: 0, refusedSources: ['token_limit'] })
  })

  it('does not count for another token, or for one that is not bound', () => {
    expect(take(records(MAX_TOKEN_SOURCES, 1), 'two').taken).toBe(1)
    expect(take(records(MAX_TOKEN_SOURCES + 1, 30)).taken).toBe(30)
    expect(take(records(0, 51), 'one').taken).toBe(51)
  })
})

describe('the limit of sources', () => {
  beforeAll(() => {
    for (let i = 0; ownSourceCount() < MAX_OWN_SOURCES - 1; i++) registerSource(`filler_${i}`)
  })

  it('lets the 200th in, and rejects the 201st with the limit', () => {
    const { taken, refusedSources } = take([{ source: 'the_200th' }, { source: 'the_201st' }, { source: 'The-200th' }])
    expect([taken, refusedSources]).toEqual([2, ['source_limit']])
    expect([findSource('the_201st'), ownSourceCount()]).toEqual([undefined, MAX_OWN_SOURCES])
    expect(take([{}], undefined, 'the_201st_by_url')).toMatchObject({ taken: 0, refusedSources: ['source_limit'] })
    expect(rowOf({ source: 'on_disk' }).source).toBe('on_disk')
  })

  it('counts neither configured sources nor sources on disk out, which may be more', () => {
    registerSource('found_on_disk')
    acceptSources(['configured_later'])
    expect(ownSourceCount()).toBe(MAX_OWN_SOURCES + 2)
    for (const source of ['found_on_disk', 'configured_later']) expect(rowOf({ source }).source).toBe(source)
    const names = allSourceNames().slice(9)
    const { rows, rejects } = parse([...names, ...names].map((source) => JSON.stringify({ source })).join('\n'))
    expect(rejects).toEqual([])
    expect(rows.map(({ source }) => source).sort()).toEqual([...names, ...names].sort())
  })
})
