import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readReply } from '../../http/support.js'
import { serve, temporaryFolder } from '../support/program.js'

const LOGS_ALL = '/api/endpoints/query/logs.all'
const RECORDS = ['a', 'b', 'a'].map((project, i) => ({
  id: `${i}`,
  project,
  event_message: `message ${i}`,
  metadata: { parsed: { error_severity: ['ERROR', 'LOG', 'FATAL'][i] } },
}))
const SQL = `select p.error_severity as severity, count(*) as n from postgres_logs as t
  cross join unnest(t.metadata) as m cross join unnest(m.parsed) as p group by severity order by severity`
const pathOf = (sql: string, project = 'a') => `${LOGS_ALL}?project=${project}&sql=${encodeURIComponent(sql)}`

async function filled(args: readonly string[], environment: Record<string, string> = {}) {
  const service = await serve(args, { stdin: 'ignore', environment })
  const headers = { 'Content-Type': 'application/json' }
  const body = JSON.stringify(RECORDS)
  expect((await service.get('/logs?source=postgres_logs', { method: 'POST', body, headers })).status).toBe(200)
  return service
}

it.each([
  ['--sql', ['--sql'], {}],
  ['LOGWEIR_SQL', [], { LOGWEIR_SQL: 'true' }],
])('%s lets clients send SQL', async (_about, args, environment) => {
  const service = await filled(args, environment)
  expect(await readReply(service.get(pathOf(SQL)), 'content-type')).toEqual({
    status: 200,
    'content-type': 'application/json; charset=utf-8',
    body: '{"result":[{"severity":"ERROR","n":1},{"severity":"FATAL","n":1}]}',
  })
  expect(await readReply(service.get(pathOf(SQL, 'b'), { headers: { Accept: 'text/csv' } }))).toEqual({
    status: 200,
    body: 'severity,n\r\nLOG,1\r\n',
  })
  const wrong = await service.get(pathOf('select id\nfrom nowhere'))
  const { error } = (await wrong.json()) as { error: { message: string; code: string } }
  expect([wrong.status, error.code, error.message]).toEqual([
    400,
    'invalid_sql',
    expect.stringMatching(/nowhere.*edge_logs.* \(line 2, column 6\)$/),
  ])
  const unknown = await fetch(service.url + pathOf(SQL))
  expect([unknown.status, Object.keys(((await unknown.json()) as { error: object }).error)]).toEqual([
    401,
    ['message', 'code'],
  ])
  expect(await service.metric('logweir_unread_parameters_total{parameter="sql"}')).toBe(0)
  expect(service.stderrText()).not.toContain('sql')
})

it('a settings file may turn it on', async () => {
  const file = join(temporaryFolder(), 'logweir.toml')
  writeFileSync(file, 'sql = true\n')
  const service = await filled(['--config', file])
  expect(await service.rows(pathOf('select max(id) as id from postgres_logs').slice(LOGS_ALL.length - 8))).toEqual([
    { id: '2' },
  ])
})

it('without the setting, sql= changes nothing of an answer, and is logged', async () => {
  const service = await filled([])
  const replyTo = async (path: string) => {
    const { status, headers, body } = await service.get(path).then(async (response) => ({
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    }))
    return { status, body, ...headers, date: '', 'server-timing': headers['server-timing']?.replace(/dur=[\d.]+/, '') }
  }
  expect(await replyTo(pathOf(SQL))).toEqual(await replyTo(`${LOGS_ALL}?project=a`))
  expect(await replyTo(pathOf(SQL, ''))).toEqual(await replyTo(LOGS_ALL))
  expect(service.stderrText()).toContain('Start with --sql')
  expect(await service.metric('logweir_unread_parameters_total{parameter="sql"}')).toBe(2)
})
