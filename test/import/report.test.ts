import { describe, expect, it } from 'vitest'
import { createProgressLine } from '../../src/base/time/progress-line.js'
import { describeProgress, describeTables, noRows } from '../../src/import/report.js'

const edge = { name: 'cloudflare.logs.prod', source: 'edge_logs' as const, count: { ...noRows(), rows: 4000 } }

describe('the report of an import', () => {
  it('has a line for each table, and the sum if there are several', () => {
    const count = { ...noRows(), imported: 5, alreadyThere: 4, pastRetention: 3, rejected: 2 }
    const first = { ...edge, count }
    expect(describeTables([first])).toBe(
      'cloudflare.logs.prod as edge_logs: 5 rows imported, 4 already there, 3 past retention, 2 rejected\n',
    )
    const second = { name: 'postgres.logs', source: 'postgres_logs' as const, count: { ...count, untimed: 1 } }
    expect(describeTables([first, second])).toBe(
      'cloudflare.logs.prod as edge_logs: 5 rows imported, 4 already there, 3 past retention, 2 rejected\n' +
        'postgres.logs as postgres_logs: 5 rows imported, 4 already there, 3 past retention, 2 rejected, ' +
        '1 without a time left out\n' +
        'in total: 10 rows imported, 8 already there, 6 past retention, 4 rejected, 1 without a time left out\n',
    )
    expect(describeTables([])).toBe('in total: 0 rows imported, 0 already there, 0 past retention, 0 rejected\n')
  })

  it('shows progress', () => {
    expect(describeProgress(edge, 1300, 432.1)).toBe('cloudflare.logs.prod: 1,300 of 4,000 rows (32 %), 432 rows/s')
  })
})

describe('createProgressLine', () => {
  it('writes at most twice a second, and nothing without a terminal', () => {
    let nowMs = 0
    const clock = { monotonicMs: () => nowMs }
    const written: string[] = []
    const line = createProgressLine({ write: (text) => written.push(text) }, clock)
    for (nowMs = 0; nowMs <= 1000; nowMs += 100) line.show(() => `at ${nowMs}`)
    line.clear()
    expect(written).toEqual(['\r\u001b[Kat 0', '\r\u001b[Kat 500', '\r\u001b[Kat 1000', '\r\u001b[K'])
    const none = createProgressLine(undefined, clock)
    none.show(() => expect.fail('no text is needed'))
    none.clear()
  })
})
