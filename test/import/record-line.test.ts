import { describe, expect, it } from 'vitest'
import type { LogRow } from '../../src/import/postgres/table-reader.js'
import { recordLine } from '../../src/import/record-line.js'

const ROW: LogRow = { id: 'a', timestampUs: 1_763_632_800_123_456, message: 'm', body: '{"b": 1}', bodySource: null }
const lineOf = (row: Partial<LogRow>) => recordLine({ ...ROW, ...row }, 'edge_logs')

describe('recordLine', () => {
  it('adds id, time and message of the row behind the fields of the record', () => {
    expect(lineOf({})).toBe('{"b": 1,"id":"a","timestamp":1763632800123456,"event_message":"m"}\n')
    expect(lineOf({ body: '{}', id: '"' })).toBe('{"id":"\\"","timestamp":1763632800123456,"event_message":"m"}\n')
    expect(lineOf({ body: null, message: null })).toBe('{"id":"a","timestamp":1763632800123456}\n')
  })

  it('writes times before 1973 as texts, since such numbers would be milliseconds', () => {
    expect(lineOf({ body: '{}', message: null, timestampUs: 1e14 })).toBe('{"id":"a","timestamp":100000000000000}\n')
    const before = lineOf({ body: '{}', message: null, timestampUs: 1e14 - 1 })
    expect(before).toBe('{"id":"a","timestamp":"1973-03-03T09:46:39.999999Z"}\n')
  })

  it('keeps a field "source" unless it names a source, which would win over that of the table', () => {
    expect(lineOf({ body: '{"source": "stdout"}', bodySource: 'stdout', message: null })).toBe(
      '{"source": "stdout","id":"a","timestamp":1763632800123456}\n',
    )
    expect(lineOf({ body: '{"source": "gotrue.logs.prod"}', bodySource: 'gotrue.logs.prod', message: null })).toBe(
      '{"source": "gotrue.logs.prod","id":"a","timestamp":1763632800123456,"source":"edge_logs"}\n',
    )
  })

  it('leaves a body that is no object as it is', () => {
    expect(['[1]', '"{}"', 'null', '1'].map((body) => lineOf({ body }))).toEqual(['[1]\n', '"{}"\n', 'null\n', '1\n'])
  })
})
