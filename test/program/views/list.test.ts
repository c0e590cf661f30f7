import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { ListedView } from '../../../src/common/views-list.js'
import { run, serve, TOKEN, temporaryFolder, until } from '../support/program.js'

const VIEW = `-- view: keep 400d
select timestamp_trunc(timestamp, day) as day, request.path, count(*) as n from edge_logs group by day, path`

it('logweir views lists and drops the views of a service', { timeout: 60_000 }, async () => {
  const [dataDir, endpoints] = [temporaryFolder(), temporaryFolder()]
  writeFileSync(join(endpoints, 'requests.sql'), VIEW)
  const environment = { LOGWEIR_IN_MEMORY: '0', LOGWEIR_TOKEN: TOKEN }
  const service = await serve(['--data-dir', dataDir, '--endpoints', endpoints], { environment })
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
  const refused = await run(['views', 'drop', 'requests', '--data-dir', dataDir], { environment })
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--yes')])
  const dropped = await run(['views', 'drop', 'requests', '--yes', '--data-dir', dataDir], { environment })
  expect([dropped.code, dropped.stderr]).toEqual([0, ''])
  expect(await list('--data-dir', dataDir)).toEqual([])
})
