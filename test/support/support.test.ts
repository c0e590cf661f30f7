import { tableFromIPC } from 'apache-arrow'
import { describe, expect, it } from 'vitest'
import { batchSchema } from '../../src/common/columns.js'
import { SOURCE_NAMES } from '../../src/common/sources.js'
import { toBatch } from './batch.js'
import { createFakeClock } from './clock.js'
import { edge, invocation, numberAt, textAt } from './records.js'

describe('toBatch', () => {
  it('writes the schema of every source, one record batch, rows or none', () => {
    for (const source of SOURCE_NAMES) {
      for (const records of [[], [{ ...edge(), source }]]) {
        const table = tableFromIPC(toBatch(source, records).ipc)
        expect(table.batches.length).toBe(1)
        expect(table.numRows).toBe(records.length)
        expect(table.schema.fields.map((f) => `${f.name} ${f.type} ${f.nullable}`)).toEqual(
          batchSchema(source).fields.map((f) => `${f.name} ${f.type} ${f.nullable}`),
        )
      }
    }
  })

  it('reads back what the records say, -1 and NaN under the nulls', () => {
    const records = [
      invocation({
        timestampUs: 5,
        metadata: { function_id: 'f', execution_time_ms: 1.5, response: { status_code: 200 } },
      }),
      invocation({ timestampUs: -7, project: null, id: 'x', event_message: 'é\0' }),
      invocation({ project: 'b', metadata: '[{"function_id":"f","response":[{"status_code":500}]}]' }),
    ]
    const table = tableFromIPC(toBatch('function_edge_logs', records).ipc)
    const column = (name: string) => [...table.getChild(name)!]
    const raw = (name: string) => [...table.getChild(name)!.data[0]!.values].slice(0, records.length)
    expect(raw('timestamp')).toEqual([5n, -7n, 0n])
    expect(column('project')).toEqual(['a', null, 'b'])
    expect(raw('project')).toEqual([0, -1, 1])
    expect(column('function_id')).toEqual(['f', null, 'f'])
    expect(column('execution_time_ms')).toEqual([1.5, null, null])
    expect(raw('execution_time_ms')).toEqual([1.5, Number.NaN, Number.NaN])
    expect(column('status_code')).toEqual([200, null, 500])
    expect(column('event_message')).toEqual(['', 'é\0', ''])
    expect(column('metadata')).toEqual(records.map((record) => record.metadata))
  })

  it('flags the areas of a path', () => {
    const paths = ['/rest/v1/storage', '/auth', '/x/realtime', undefined, '/restauth']
    const records = paths.map((path) => edge({ metadata: { request: { path } } }))
    expect([...tableFromIPC(toBatch('edge_logs', records).ipc).getChild('path')!]).toEqual([3, 4, 8, 0, 1])
  })

  it('refuses a record of another source', () => {
    expect(() => toBatch('edge_logs', [invocation()])).toThrow(/function_edge_logs/)
  })
})

describe('a record', () => {
  it('gives the value at a path, through arrays, and nothing of the wrong type', () => {
    expect(textAt('{"request":[{"url":"u"},{"url":"v"}]}', ['request', 'url'])).toBe('u')
    expect(textAt('[{"request":{"url":"\\ud800"}}]', ['request', 'url'])).toBe('\ufffd')
    for (const json of [
      '{}',
      '[]',
      '{"request":null}',
      '{"request":[]}',
      '{"request":"url"}',
      '{"request":{"url":1}}',
    ]) {
      expect(textAt(json, ['request', 'url'])).toBeUndefined()
    }
    expect(numberAt('{"n":1e5}', ['n'])).toBe(1e5)
    expect(['{"n":"1"}', '{"n":1e400}', '{"n":true}'].map((json) => numberAt(json, ['n']))).toEqual(
      Array(3).fill(undefined),
    )
    expect(textAt('{"a":1}', ['constructor', 'name'])).toBeUndefined()
  })
})

describe('the fake clock', () => {
  it('runs what is due, each at its moment, and no more after it was stopped', () => {
    const clock = createFakeClock(1_000_000)
    const seen: string[] = []
    const stop = clock.every(10, () => seen.push(`a${clock.nowUs()}`))
    clock.every(15, () => seen.push(`b${clock.monotonicMs()}`))
    clock.advance(30)
    expect(seen).toEqual(['a1010000', 'b15', 'a1020000', 'a1030000', 'b30'])
    stop()
    clock.advance(10)
    expect(seen.length).toBe(5)
    expect([clock.timers, clock.nowUs(), clock.monotonicMs()]).toEqual([1, 1_040_000, 40])
  })

  it('jumps in wall time alone', () => {
    const clock = createFakeClock(0)
    clock.advance(7)
    clock.setNowUs(-5)
    expect([clock.nowUs(), clock.monotonicMs()]).toEqual([-5, 7])
    clock.advance(1)
    expect(clock.nowUs()).toBe(995)
  })
})
