import { expect, it } from 'vitest'
import { run, type Served, serve, temporaryFolder, until } from '../support/program.js'
import { alertFiles, FAILING, sendFailure } from './serve-alerts.js'

const NAME = 'alert_events'
const RECORD = JSON.stringify({ source: NAME, project: 'a', event_message: 'forged' })
const NOBODY = FAILING.replace(', notify ops', '')
const PRIVATE = 'private-token-of-16-characters-or-more'

const otlpOf = (resource: string) => ({
  resourceLogs: [
    {
      resource: { attributes: [{ key: resource, value: { stringValue: NAME } }] },
      scopeLogs: [{ logRecords: [{ body: { stringValue: 'forged' }, timeUnixNano: `${Date.now()}000000` }] }],
    },
  ],
})

async function send({ url }: Served, path: string, body: string, type = 'application/json', token = 'test-token') {
  const headers = { 'Content-Type': type, 'X-API-KEY': token }
  const response = await fetch(url + path, { method: 'POST', body, headers })
  return `${response.status} ${await response.text()}`
}

const rejected = ({ metric }: Served) => metric('logweir_rejected_rows_total{reason="unknown_source"}')

/** The ways by which records can name the source, as path, body and type. */
const WAYS: [path: string, body: string, type?: string][] = [
  ['/api/logs', RECORD],
  ['/api/logs', `[${RECORD},${RECORD}]`],
  ['/api/logs', `${RECORD}\n`, 'application/x-ndjson'],
  ['/api/logs', RECORD.replace(NAME, 'Alert-Events')],
  ['/v1/logs', JSON.stringify(otlpOf('logweir.source'))],
  ['/v1/logs', JSON.stringify(otlpOf('service.name'))],
]
const IN_URL = ['/api/logs?source=alert_events', '/api/logs?source_name=alert_events']

const CONFIGURATIONS = [[], ['--sources', 'nginx'], ['--sources', '*']]

it.each(CONFIGURATIONS)('every way of ingest refuses alert_events: %s %s', { timeout: 60_000 }, async (...sources) => {
  const { args } = alertFiles({ failing: NOBODY }, '')
  const service = await serve([...args, ...sources, '--otlp-source', 'service.name', '--sql', '--in-memory'])
  expect(service.stderrText()).toContain('alerts without a data directory: their states')
  // The source has a row, and so is as known as can be.
  await sendFailure(service, 'a', '/x')
  const rows = () => service.rows(`logs.all?project=a&sql=${encodeURIComponent(`select event_message from ${NAME}`)}`)
  await until(rows, ({ length }) => length === 1)
  let expected = 0
  for (const [path, body, type] of WAYS) {
    const answer = await send(service, path, body, type)
    expect(answer, body).toMatch(/unknown_source|"rejectedLogRecords":"?1/)
    if (body.includes(`"source":"${NAME}"`)) expect(answer).toContain(`The service alone writes ${NAME}`)
    expected += body.startsWith('[') ? 2 : 1
    expect(await rejected(service), body).toBe(expected)
  }
  for (const path of IN_URL)
    expect(await send(service, path, '{"event_message":"forged"}')).toMatch(/^400 .*unknown_source/)
  service.child.stdin!.end(`${RECORD}\n`)
  await service.waitForStderr(/standard input ended: 0 rows accepted, 1 rejected \(unknown_source 1\)/)
  expect(await rejected(service)).toBe(expected + 1)
  expect(await rows()).toEqual([{ event_message: '/x fails: 1' }])
})

it('the paths of Supabase refuse alert_events too', { timeout: 60_000 }, async () => {
  const { args } = alertFiles({ failing: NOBODY }, '')
  const environment = { LOGFLARE_PRIVATE_ACCESS_TOKEN: PRIVATE }
  const service = await serve([...args, '--supabase', '--in-memory'], { environment })
  const body = JSON.stringify([{ event_message: 'forged', metadata: {} }])
  for (const path of IN_URL) {
    for (const one of [path, path.replace('/api/logs', '/logs')])
      expect(await send(service, one, body, undefined, PRIVATE), one).toMatch(/^4\d\d /)
  }
  const named = JSON.stringify({ source: NAME, event_message: 'forged' })
  expect(await send(service, '/api/logs', named, undefined, PRIVATE)).toContain('unknown_source')
  expect(await service.metric(`logweir_rows{source="${NAME}"}`)).toBe(0)
})

it('settings refuse alert_events, and without alerts it is no source', { timeout: 60_000 }, async () => {
  for (const flags of [
    ['--sources', NAME],
    ['--sources', `*,${NAME}`],
    ['--source', NAME],
    ['--sources', '*', '--source', NAME],
  ]) {
    const { code, stderr } = await run(['serve', '--port', '0', ...flags])
    expect([code, stderr], flags.join(' ')).toEqual([2, expect.stringContaining(NAME)])
  }
  const imported = ['import', '--from', 'logflare-postgres', '--url', 'postgres://127.0.0.1:9/', '--sources', NAME]
  expect(await run([...imported, '--data-dir', temporaryFolder()])).toMatchObject({ code: 2 })
  const service = await serve(['--sql', '--sources', '*'])
  const response = await service.get(
    `/api/endpoints/query/logs.all?project=a&sql=${encodeURIComponent(`select 1 as n from ${NAME}`)}`,
  )
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(NAME)])
})
