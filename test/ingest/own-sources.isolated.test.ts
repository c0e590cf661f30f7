import { describe, expect, it } from 'vitest'
import { acceptedSources, acceptSources, registerSource } from '../../src/common/sources.js'
import { OWN_BATCH_BYTES, OWN_BATCH_ROWS } from '../../src/ingest/wasm/setup.js'
import { parse, reasonOf, rowOf } from './parsing.js'

// The process is this file's own: what it registers, other files would see.
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

  it('are rejected if the name is another, in other letters, longer, or only on disk', () => {
    for (const source of [
      'nginx',
      'OWN_1',
      'own_1 ',
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
