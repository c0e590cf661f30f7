import { describe, expect, it } from 'vitest'
import { serve } from '../support/program.js'

/** Lines of other programs, the flags that docs/any-logs.md shows for the programs, and the rows to be stored. */
const nowMs = Date.now()
const time = new Date(nowMs).toISOString()
const PROGRAMS = [
  {
    program: 'pino',
    flags: ['--time-field', 'time', '--message-field', 'msg'],
    line: { level: 30, time: nowMs, pid: 1, req: { url: '/rest/v1/x' }, msg: 'hello' },
    metadata: { level: 30, pid: 1, req: { url: '/rest/v1/x' } },
  },
  {
    program: 'docker',
    flags: ['--time-field', 'time', '--message-field', 'log'],
    line: { log: 'hello', stream: 'stdout', source: 'stdout', time },
    metadata: { stream: 'stdout', source: 'stdout' },
  },
  {
    program: 'Cloudflare Logpush',
    flags: ['--time-field', 'EdgeStartTimestamp', '--message-field', 'ClientRequestURI'],
    line: { ClientRequestURI: 'hello', EdgeStartTimestamp: time, EdgeResponseStatus: 200 },
    metadata: { EdgeResponseStatus: 200 },
  },
  {
    program: 'journald',
    flags: ['--time-field', '__REALTIME_TIMESTAMP', '--message-field', 'MESSAGE'],
    line: { MESSAGE: 'hello', __REALTIME_TIMESTAMP: `${nowMs}000`, PRIORITY: '6' },
    metadata: { PRIORITY: '6' },
  },
]

describe('lines of other programs on standard input', () => {
  it.each(PROGRAMS)('of $program keep every field', async ({ flags, line, metadata }) => {
    const service = await serve(['--source', 'edge_logs', '--project', 'p', ...flags])
    service.child.stdin!.end(`${JSON.stringify(line)}\n`)
    await service.waitForStderr(/standard input ended: 1 rows accepted, 0 rejected/)
    const [row] = await service.rows('logs.all?project=p')
    expect(row).toMatchObject({ timestamp: nowMs * 1000, event_message: 'hello', metadata })
    expect(row.metadata).toEqual(metadata)
  })

  it('go by the same names over HTTP', async () => {
    const service = await serve([], { stdin: 'ignore' })
    for (const { line, flags } of PROGRAMS) {
      const names = `time_field=${flags[1]}&message_field=${flags[3]}`
      const answer = await service.get(`/api/logs?source=edge_logs&project=p&${names}`, {
        method: 'POST',
        body: JSON.stringify([line]),
        headers: { 'Content-Type': 'application/json' },
      })
      expect(answer.status).toBe(200)
    }
    const rows = await service.rows('logs.all?project=p')
    expect(rows.map(({ timestamp, event_message, metadata }) => ({ timestamp, event_message, metadata }))).toEqual(
      PROGRAMS.toReversed().map(({ metadata }) => ({ timestamp: nowMs * 1000, event_message: 'hello', metadata })),
    )
  })
})
