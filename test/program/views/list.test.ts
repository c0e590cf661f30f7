import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { ListedView } from '../../../src/common/views-list.js'
import { run, serve, TOKEN, temporaryFolder, until } from '../support/program.js'

const VIEW = `-- view: keep 400d
select timestamp_trunc(timestamp, day) as day, request.path, count(*) as n from edge_logs group by day, path`

const READER = `-- param project: text, required
select path, sum(n) as n from view.requests group by path`
const RULE = `-- alert: every 30s\nselect project, sum(n) as n from view.requests group by project`

it('logweir views lists and drops the views of a service, and endpoints, rules and logweir sql read the views', {
  timeout: 60_000,
}, async () => {
  const [dataDir, endpoints, alerts] = [temporaryFolder(), temporaryFolder(), temporaryFolder()]
  writeFileSync(join(endpoints, 'by-path.sql'), READER)
  writeFileSync(join(alerts, 'busy.sql'), RULE)
  writeFileSync(join(endpoints, 'requests.sql'), VIEW)
  const environment = { LOGWEIR_IN_MEMORY: '0', LOGWEIR_TOKEN: TOKEN }
  const args = ['--data-dir', dataDir, '--endpoints', endpoints, '--alerts', alerts, '--sql']
  const service = await serve(args, { environment })
  const body = JSON.stringify({
    source: 'edge_logs',
    project: 'a',
    timestamp: Date.now() * 1000,
    event_message: '',
    metadata: { request: { path: '/' } },
  })
  const headers = { 'Content-Type': 'application/json' }
  expect((await service.get('/api/logs', { method: 'POST', headers, body })).status).toBe(200)
  const list = async (...args: string[]) => {
    const { code, stdout } = await run(['views', '--json', ...args], { environment })
    expect(code).toBe(0)
    return String(stdout)
      .split('\n')
      .flatMap((line): ListedView[] => (line === '' ? [] : [JSON.parse(line)]))
  }
  const asked = await list('--url', service.url, '--data-dir', dataDir)
  expect(asked).toMatchObject([{ name: 'requests', is_current: true, progress: 1 }])
  expect(await service.rows('by-path?project=a')).toEqual([{ path: '/', n: 1 }])
  expect(await service.rows('by-path?project=b')).toEqual([])
  const tested = await run(['alerts', 'test', join(alerts, 'busy.sql'), '--url', service.url, '--last', '2m'], {
    environment,
  })
  expect([tested.code, String(tested.stdout)]).toEqual([0, expect.stringContaining('"state":"firing"')])
  const table = await run(['views', '--url', service.url], { environment })
  expect(String(table.stdout)).toMatch(/^view +rows +bytes +first +last +grouped *\nrequests .* 100 % *\n$/)
  const metrics = await (await service.get('/metrics')).text()
  expect(metrics).toContain('logweir_view_bytes{view="requests"} ')
  for (const args of [['views'], ['views', 'drop', 'requests', '--yes']]) {
    const { code, stderr } = await run([...args, '--data-dir', dataDir], { environment })
    expect([code, stderr]).toEqual([1, expect.stringContaining('is in use by process')])
  }
  service.child.kill('SIGTERM')
  expect(await service.exit).toBe(0)
  await until(
    () => list('--data-dir', dataDir),
    ([view]) => view?.name === 'requests',
  )
  const sql = await run(['sql', dataDir, 'select project, path, n from view.requests'], { environment })
  expect(JSON.parse(String(sql.stdout))).toEqual({ result: [{ project: 'a', path: '/', n: 1 }] })
  const refused = await run(['views', 'drop', 'requests', '--data-dir', dataDir], { environment })
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--yes')])
  const dropped = await run(['views', 'drop', 'requests', '--yes', '--data-dir', dataDir], { environment })
  expect([dropped.code, dropped.stderr]).toEqual([0, ''])
  expect(await list('--data-dir', dataDir)).toEqual([])
})
