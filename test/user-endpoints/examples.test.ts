import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { appendAll, openEngine, readAll } from '../support/engine.js'
import { database, edge, invocation } from '../support/records.js'
import { runs } from '../support/runs.js'
import { arbitraryRun, askExample, EXAMPLES, FIRST_EXAMPLES, FIRST_EXAMPLES_FOLDER } from './examples.js'

const RUNS = runs(60)
const NOW_US = Date.UTC(2026, 10, 20, 10, 30) * 1000
const [errorRateByPath, slowestFunctions, databaseErrors, searchMessages] = EXAMPLES.map(({ endpoint }) => endpoint)

describe('the examples of own endpoints', () => {
  const property = fc.asyncProperty(arbitraryRun, async ({ nowUs, records, batchRows, questions }) => {
    const engine = openEngine({ sealRows: 30 })
    await appendAll(engine, records, batchRows)
    for (const params of questions) {
      for (const example of [...EXAMPLES, ...FIRST_EXAMPLES]) {
        expect(await askExample(engine, example, params, nowUs)).toEqual(example.oracle(records, params, nowUs))
      }
    }
    await engine.close()
  })

  it('answer random records as obvious code does', () => fc.assert(property, { numRuns: RUNS }), 60_000 + RUNS * 2_000)

  it('answer a few records as one would by hand', async () => {
    const engine = openEngine()
    const call = (function_id: string, execution_time_ms: number, status_code: number) =>
      invocation({ timestampUs: NOW_US, metadata: { function_id, execution_time_ms, response: { status_code } } })
    const request = (path: string, status_code: number) =>
      edge({ timestampUs: NOW_US, metadata: { request: { path }, response: { status_code } }, event_message: path })
    const error = (after: number, error_severity: string, sql_state_code: string, user_name: string) =>
      database({ timestampUs: NOW_US + after, metadata: { parsed: { error_severity, sql_state_code, user_name } } })
    await appendAll(engine, [
      call('fast', 1, 200),
      call('slow', 900, 200),
      call('slow', 5, 500),
      request('/cart', 500),
      request('/cart', 200),
      request('/me', 200),
      error(1, 'FATAL', '57P01', 'a'),
      error(0, 'ERROR', '23505', 'a'),
      error(0, 'ERROR', '23505', 'b'),
      error(2, 'LOG', '00000', 'a'),
    ])
    const ask = (endpoint: typeof slowestFunctions, more = '') =>
      engine.run(endpoint!.call(new URLSearchParams(`project=a${more}`)).plan(NOW_US)).then(readAll)
    expect(await ask(slowestFunctions)).toEqual([
      { function_id: 'slow', calls: 2, errors: 1, error_rate: 0.5, p95: 900 },
      { function_id: 'fast', calls: 1, errors: 0, error_rate: 0, p95: 1 },
    ])
    expect(await ask(errorRateByPath)).toEqual([
      { path: '/cart', requests: 2, error_rate: 0.5 },
      { path: '/me', requests: 1, error_rate: 0 },
    ])
    expect(await ask(errorRateByPath, '&least=2')).toEqual([{ path: '/cart', requests: 2, error_rate: 0.5 }])
    expect(await ask(searchMessages, '&text=me&sources=edge_logs')).toEqual([
      { source: 'edge_logs', timestamp: NOW_US, event_message: '/me' },
    ])
    expect(() => searchMessages!.call(new URLSearchParams('project=a&text=me&sources=edge'))).toThrow(
      'The parameter "sources" may name edge_logs, postgres_logs, function_logs, auth_logs.',
    )
    expect(await ask(databaseErrors)).toEqual([
      { error_severity: 'ERROR', sql_state_code: '23505', errors: 2, users: 2, latest: NOW_US },
      { error_severity: 'FATAL', sql_state_code: '57P01', errors: 1, users: 1, latest: NOW_US + 1 },
    ])
    await engine.close()
  })

  it('are, in their first versions, as they were published', () => {
    const blobs = FIRST_EXAMPLES.map(({ file }) => {
      const text = readFileSync(new URL(file, FIRST_EXAMPLES_FOLDER))
      return createHash('sha1').update(`blob ${text.length}\0`).update(text).digest('hex')
    })
    expect(blobs).toEqual(['ee76ac4e3528ec8acf6852ab7edbd0332f3f81b3', '5d67d72724a362674af8c67595359d1df32112b1'])
  })
})
