import { describe, expect, it } from 'vitest'
import { acceptedSources, acceptSources, registerSource } from '../../src/common/sources.js'
import { OWN_BATCH_BYTES, OWN_BATCH_ROWS } from '../../src/ingest/wasm/own-builders.js'
import { parse, reasonOf, rowOf } from './parsing.js'

// The process is this file's own: other files would see its sources.
const NAMES = ['constructor', 'n'.repeat(63), ...Array.from({ length: 198 }, (_, i) => `own_${i}`)]
acceptSources(NAMES)
registerSource('on_disk')

const line = (source: string, more: object = {}) => JSON.stringify({ source, ...more })

describe('records of own sources', () => {
  it('go to batches of their sources, of each of 200', () => {
    const { batches, rejects } = parse(NAMES.map((source) => line(source, { event_message: source })).join('\n'))
    expect(rejects).toEqual([])
    expect(batches.map(({ source, rows }) => [source, rows])).toEqual(NAMES.map((source) => [source, 1]))
  })

  it('keep message, time, metadata and each of the places of a project', () => {
    const record = { event_message: 'm', timestamp: '2026-11-20T10:00:00Z', metadata: { status: 404 } }
    expect(rowOf({ source: 'own_7', ...record, project: 'p' })).toMatchObject({
      event_message: 'm',
      project: 'p',
      metadata: '{"status":404}',
    })
    expect(rowOf({ source: 'own_7', metadata: { project: 'p' } })).toMatchObject({ project: 'p' })
    expect(rowOf({ source: 'own_7', metadata: { project_ref: 'p' } })).toMatchObject({ project: 'p' })
  })

  it('stay fields if the default is an own source', () => {
    const options = { defaultSource: 'own_3' }
    expect(parse('{"source":"stdout"}', options).batches.map(({ source }) => source)).toEqual(['own_3'])
    expect(rowOf({ source: 'stdout' }, options).metadata).toContain('stdout')
  })

  it('are found by the lowered name, and keep the text as sent in the metadata', () => {
    expect(rowOf({ source: 'own_1' })).toMatchObject({ source: 'own_1', metadata: '{}' })
    for (const sent of ['OWN_1', 'Own-1', 'own.:é1', 'own \u0000 1', 'oWn\ud8001']) {
      expect(rowOf({ source: sent, a: 1 }), sent).toMatchObject({ source: 'own_1' })
      const { metadata } = rowOf({ source: sent, a: 1 })
      expect(JSON.parse(metadata as string)).toEqual({ source: JSON.parse(JSON.stringify(sent)), a: 1 })
    }
    expect(rowOf({ source: 'OWN_1', metadata: { source: 'own' } }).metadata).toBe('{"source":"own"}')
    expect(rowOf({ source: 'N'.repeat(63) })).toMatchObject({ source: 'n'.repeat(63) })
    expect(rowOf({ source: `own${'-'.repeat(1000)}1` })).toMatchObject({ source: 'own_1' })
  })

  it('are not looked up lowered if there is a default', () => {
    const options = { defaultSource: 'own_3' }
    expect(rowOf({ source: 'OWN_1' }, options)).toMatchObject({ source: 'own_3', metadata: '{"source":"OWN_1"}' })
    expect(rowOf({ source: 'own_1' }, options)).toMatchObject({ source: 'own_1', metadata: '{}' })
    expect(rowOf({ source: 'own_1' }, { defaultSource: 'edge_logs' })).toMatchObject({ source: 'own_1' })
  })

  it('are rejected if the name is another, longer, no name when lowered, or only on disk', () => {
    for (const source of [
      'nginx',
      'own_1 ',
      'EDGE_LOGS',
      'Postgres.Logs',
      '1own',
      'é',
      'n'.repeat(62),
      'n'.repeat(64),
      'on_disk',
      'toString',
      '__proto__',
    ])
      expect(reasonOf({ source })).toBe('unknown_source')
    expect(acceptedSources()).toHaveLength(209)
  })

  it('fill batches of fewer rows and bytes than those of the nine', () => {
    const sizes = (source: string, count: number, text: string) =>
      parse(Array.from({ length: count }, () => line(source, { event_message: text })).join('\n')).batches.map(
        ({ rows }) => rows,
      )
    expect(sizes('own_1', OWN_BATCH_ROWS + 1, 'a')).toEqual([OWN_BATCH_ROWS, 1])
    expect(sizes('edge_logs', OWN_BATCH_ROWS + 1, 'a')).toEqual([OWN_BATCH_ROWS + 1])
    const [first] = sizes('own_1', 12, 'a'.repeat(OWN_BATCH_BYTES / 8))
    expect(first).toBe(8)
  })
})
