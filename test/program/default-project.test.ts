import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readEvents } from '../support/events.js'
import { eventually } from '../support/eventually.js'
import { run, type Served, serve, start, TOKEN, temporaryFolder } from './support/program.js'

const JSON_TYPE = { 'Content-Type': 'application/json' }
const edge = (id: string, more: object = {}) => ({ source: 'edge_logs', id, ...more })

async function post(service: Served, path: string, body: string, headers: Record<string, string> = JSON_TYPE) {
  expect((await service.get(path, { method: 'POST', headers, body })).status).toBe(200)
}

const attribute = (key: string, text: string) => ({ key, value: { stringValue: text } })
const otlp = (id: string) => ({
  resourceLogs: [
    {
      resource: { attributes: [attribute('logweir.source', 'edge_logs')] },
      scopeLogs: [{ logRecords: [{ body: { stringValue: '' }, attributes: [attribute('logweir.id', id)] }] }],
    },
  ],
})

/** Sends a record without a project in each way, and records that name one. */
async function sendAll(service: Served): Promise<void> {
  const line = (record: object) => `${JSON.stringify(record)}\n`
  service.child.stdin!.end(line(edge('stdin')) + line(edge('stdin of other', { project: 'other' })))
  await service.waitForStderr(/2 rows accepted/)
  await post(service, '/api/logs', JSON.stringify([edge('array'), edge('array of other', { project: 'other' })]))
  await post(service, '/logs', line(edge('line')), { 'Content-Type': 'application/x-ndjson' })
  await post(service, '/logs?project=other', JSON.stringify(edge('URL of other')))
  await post(service, '/v1/logs', JSON.stringify(otlp('otlp')))
}

const OF_DEFAULT = ['array', 'line', 'otlp', 'stdin']
const OF_OTHER = ['URL of other', 'array of other', 'stdin of other']
const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id).sort()

it('--project holds for all ways of ingest and all queries, and for the commands that ask the service', async () => {
  const service = await serve(['--project', 'mine', '--sql'])
  await sendAll(service)
  expect(idsOf(await service.rows('logs.all'))).toEqual(OF_DEFAULT)
  expect(idsOf(await service.rows('logs.all?project=other'))).toEqual(OF_OTHER)
  expect(idsOf(await service.rows('logs.explore?source=edge_logs'))).toEqual(OF_DEFAULT)
  const csv = await service.get('/api/endpoints/query/logs.all', { headers: { Accept: 'text/csv' } })
  expect((await csv.text()).split('\r\n').filter((line) => /^(array|line|otlp|stdin)/.test(line))).toHaveLength(4)
  const tail = readEvents(await service.get('/api/tail'))
  await eventually(() => expect(tail.ids().length).toBe(4))
  await tail.leave()

  const environment = { LOGWEIR_TOKEN: TOKEN, LOGWEIR_URL: service.url }
  const printed = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(args, { environment })
    expect([code, stderr.toString()]).toEqual([0, ''])
    return idsOf(JSON.parse(stdout.toString()).result)
  }
  expect(await printed('query', 'logs.all')).toEqual(OF_DEFAULT)
  expect(await printed('query', 'logs.all', '--project', 'other')).toEqual(OF_OTHER)
  expect(await printed('query', '--sql', 'select id from edge_logs')).toEqual(OF_DEFAULT)
  const following = start(['tail', '--format', 'ndjson'], { environment })
  let followed = ''
  following.child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    followed += text
  })
  await eventually(() => expect(followed.match(/\n/g)?.length).toBe(4))
  expect(
    idsOf(
      followed
        .trim()
        .split('\n')
        .map((row) => JSON.parse(row)),
    ),
  ).toEqual(OF_DEFAULT)
})

it('without --project nothing stands in: records have no project, queries have to name one', async () => {
  const service = await serve(['--sql'])
  await sendAll(service)
  const { status } = await service.get('/api/endpoints/query/logs.all')
  expect(status).toBe(400)
  const { result } = (await (await service.get('/api/projects')).json()) as { result: object[] }
  expect(result).toMatchObject([{ project: 'other', rows: 3 }])
  const environment = { LOGWEIR_TOKEN: TOKEN, LOGWEIR_URL: service.url }
  const { code, stderr } = await run(['tail'], { environment })
  expect([code, stderr.toString()]).toEqual([1, expect.stringContaining('Here: logweir tail --project PROJECT')])
})

it('the variable and the settings file set it too, and a flag wins', async () => {
  const file = join(temporaryFolder(), 'settings.toml')
  writeFileSync(file, 'project = "of the file"\n')
  const projectOf = async (args: readonly string[], environment = {}) => {
    const service = await serve(args, { environment, stdin: 'ignore' })
    return ((await (await service.get('/api/session')).json()) as { default_project: string }).default_project
  }
  expect(await projectOf(['--config', file])).toBe('of the file')
  expect(await projectOf(['--config', file], { LOGWEIR_PROJECT: 'of the variable' })).toBe('of the variable')
  expect(await projectOf(['--project', 'of the flag'], { LOGWEIR_PROJECT: 'of the variable' })).toBe('of the flag')
})
