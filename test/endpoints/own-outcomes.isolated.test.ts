import { expect, it } from 'vitest'
import { acceptSources } from '../../src/common/sources.js'
import { appendAll, ask, openEngine } from '../support/engine.js'
import { edge } from '../support/records.js'

// The names of sources are those of the process, so that the test has a process of its own.
acceptSources(['nginx'])

it('logs.histogram finds status and level of an own source by their usual names, the status first', async () => {
  const cases: [metadata: object | string, found: string | null][] = [
    [{ status: 200 }, '2xx'],
    [{ status: '404', level: 'info' }, '4xx'],
    [{ status_code: 503 }, '5xx'],
    [{ response: { status_code: 301 } }, '3xx'],
    [{ status: 'ok', level: 'WARN' }, 'warn'],
    [{ severity: 'Error' }, 'error'],
    [{ severity_text: 'DEBUG' }, 'debug'],
    [{ level: 30 }, 'info'],
    [{ level: '60' }, 'fatal'],
    [{ level: 35 }, '35'],
    [{ other: 1 }, null],
  ]
  for (const isSealed of [false, true]) {
    const engine = openEngine()
    const records = cases.map(([metadata], i) => ({ ...edge({ timestampUs: i, metadata }), source: 'nginx' }))
    await appendAll(engine, records)
    if (isSealed) await engine.seal()
    const params = { project: 'a', source: 'nginx', start: '1970-01-01', end: '1970-01-02' }
    const rows = await ask(engine, 'logs.histogram', params, 0)
    const counts = new Map(rows.map((row) => [row.class, row.count]))
    expect(counts).toEqual(new Map(cases.map(([, found]) => [found, cases.filter(([, one]) => one === found).length])))
    await engine.close()
  }
})
