import { expect, it } from 'vitest'
import { type Served, serve } from '../support/program.js'

const POSTGREST = {
  id: 'p',
  project: 'a',
  timestamp: '26/Nov/2026 at noon',
  event_message: 'm',
  metadata: { host: 'h' },
}
const AUTH = { id: 'g', project: 'a', timestamp: '', event_message: 'm' }
const METRIC = 'logweir_unreadable_times_total{source="postgrest_logs"}'

const post = (service: Served, path: string, body: unknown) =>
  service.get(path, { method: 'POST', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } })

const sqlOf = (source: string) => `logs.all?project=a&sql=select id, timestamp, metadata from ${source}`

it('--supabase stores records whose time cannot be read with the time of receipt, over HTTP', async () => {
  const service = await serve(['--supabase'])
  const before = Date.now() * 1000
  expect((await post(service, '/api/logs?source_name=postgREST.logs.prod', [POSTGREST])).status).toBe(200)
  expect((await post(service, '/logs?source=auth_logs', [AUTH, { ...AUTH, timestamp: Date.now() }])).status).toBe(200)
  const [row, ...others] = await service.rows(sqlOf('postgrest_logs'))
  expect(others).toEqual([])
  expect(row).toEqual({
    id: 'p',
    timestamp: expect.any(Number),
    metadata: [{ host: 'h', timestamp: POSTGREST.timestamp }],
  })
  expect(row.timestamp).toBeGreaterThanOrEqual(before)
  expect(row.timestamp).toBeLessThanOrEqual(Date.now() * 1000)
  expect(await service.metric(METRIC)).toBe(1)
  expect(await service.metric('logweir_unreadable_times_total{source="auth_logs"}')).toBe(1)
  service.child.kill('SIGTERM')
  await service.exit
  const logged = service
    .stderrText()
    .split('\n')
    .filter((line) => line.includes('time of receipt'))
  expect(logged).toEqual([expect.stringMatching(/: postgrest_logs 1$/), expect.stringMatching(/: auth_logs 1$/)])
  expect(service.stderrText()).not.toContain('noon')
})

it('--supabase does so on standard input too, where a time too far ahead is rejected as before', async () => {
  const service = await serve(['--supabase', '--source', 'postgrest_logs'], { stdin: 'pipe' })
  service.child.stdin!.end(`${JSON.stringify(POSTGREST)}\n${JSON.stringify({ timestamp: '9999-01-01' })}\n`)
  await service.waitForStderr(/1 rows accepted, 1 rejected \(too_far_ahead 1\)/)
  expect(await service.metric(METRIC)).toBe(1)
})

it('without the setting they are rejected', async () => {
  const service = await serve(['--sql'])
  const refused = await post(service, '/api/logs?source_name=postgREST.logs.prod', [POSTGREST])
  expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([400, 'invalid_records'])
  expect(await service.metric('logweir_rejected_rows_total{reason="invalid_timestamp"}')).toBe(1)
  expect(await service.metric(METRIC)).toBeNaN()
  expect(await service.rows(sqlOf('postgrest_logs'))).toEqual([])
})
