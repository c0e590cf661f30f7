import { describe, expect, it } from 'vitest'
import { hotColumns, IN_METADATA, planColumns } from '../../src/common/columns.js'
import { SOURCE_NAMES } from '../../src/common/sources.js'
import { columnsOfSource } from '../../src/plan/columns.js'
import { bitsInMetadata } from '../support/in-metadata.js'
import { oddLines } from '../support/odd-values.js'
import { numberAt, textAt } from '../support/records.js'
import { parse } from './parsing.js'

describe('declared fields', () => {
  it('are those of the contract', () => {
    const paths = SOURCE_NAMES.map((source) => [source, hotColumns(source).map(({ path }) => path.join('.'))])
    expect(Object.fromEntries(paths)).toEqual({
      edge_logs: [
        'request.url',
        'request.path',
        'response.status_code',
        'request.method',
        'request.path',
        'request.headers.user_agent',
        'response.origin_time',
      ],
      postgres_logs: ['parsed.error_severity', 'parsed.user_name', 'parsed.application_name', 'parsed.sql_state_code'],
      function_edge_logs: ['function_id', 'execution_time_ms', 'response.status_code', 'request.method'],
      function_logs: ['function_id', 'level', 'event_type'],
      auth_logs: ['level', 'status', 'path', 'method'],
      realtime_logs: ['level'],
      storage_logs: ['level'],
      postgrest_logs: [],
      pgbouncer_logs: [],
    })
  })

  it('are no columns of plans', () => {
    const own = SOURCE_NAMES.flatMap((source) => [...columnsOfSource(source).keys()].slice(5))
    expect(own).toEqual(['url', 'path', 'status_code', 'function_id', 'execution_time_ms', 'status_code'])
    expect(SOURCE_NAMES.flatMap((source) => planColumns(source).map(({ name }) => name))).toEqual(own)
  })

  it.each(SOURCE_NAMES)('of %s are what the stored metadata says, or marked', (source) => {
    const lines = oddLines(source)
    const { rows, rejects } = parse(lines.join('\n'))
    expect([rows.length, rejects]).toEqual([lines.length, []])
    for (const [i, row] of rows.entries()) {
      const metadata = row.metadata as string
      const expected: Record<string, unknown> = { [IN_METADATA]: bitsInMetadata(source, metadata) }
      for (const { name, kind, path } of hotColumns(source)) {
        if (kind !== 'areas') expected[name] = (kind === 'number' ? numberAt : textAt)(metadata, path) ?? null
      }
      // A zero may be negative or not.
      for (const [name, value] of Object.entries(expected)) if (value === 0) expected[name] = expect.closeTo(0)
      expect(row, lines[i]).toMatchObject(expected)
    }
  })

  it.each([
    ['{"level":"info"}', 'info', 0],
    ['{"level":""}', '', 0],
    ['{"level":7}', null, 1],
    ['{"level":true}', null, 1],
    ['{"level":{"a":1}}', null, 1],
    ['{"level":["info"]}', null, 1],
    ['{"level":null}', null, 0],
    ['{}', null, 0],
  ])('of text: %s', (metadata, level, bits) => {
    const [row] = parse(`{"source":"auth_logs","metadata":${metadata}}`).rows
    expect(row).toMatchObject({ level, [IN_METADATA]: bits })
  })

  it.each([
    ['200', 200, 0],
    ['-1.50e2', -150, 0],
    ['123456789012345', 123456789012345, 0],
    ['1234567890123456', 1234567890123456, 2],
    ['-9007199254740993', -9007199254740992, 2],
    ['1e400', null, 0],
    ['"200"', null, 2],
    ['false', null, 2],
    ['[200]', null, 2],
  ])('of number: %s', (json, status, bits) => {
    const [row] = parse(`{"source":"auth_logs","metadata":{"status":${json}}}`).rows
    expect(row).toMatchObject({ status, [IN_METADATA]: bits })
  })

  it('are marked if the record has them under the name of a time or message that it does not use', () => {
    const options = { messageField: ['msg', 'level'], timeField: ['time', 'status'] }
    const read = (members: string) => parse(`{"source":"auth_logs",${members}}`, options).rows[0]!
    expect(read('"level":"info"')).toMatchObject({ event_message: 'info', metadata: '{}', [IN_METADATA]: 0 })
    expect(read('"msg":"m","level":"info"')).toMatchObject({ metadata: '{"level":"info"}', [IN_METADATA]: 1 })
    expect(read('"msg":"m","level":null')).toMatchObject({ metadata: '{}', [IN_METADATA]: 0 })
    expect(read('"msg":"m","time":null,"level":"x","metadata":{"level":"info"}')).toMatchObject({
      level: 'info',
      metadata: '{"level":"info"}',
    })
    const both = read(`"msg":"m","level":"x","time":${Date.UTC(2026, 10, 20)},"status":500`)
    expect(both).toMatchObject({ metadata: '{"level":"x","status":500}', [IN_METADATA]: 3 })
  })
})
