import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Served, serve, temporaryFolder, until } from '../support/program.js'

const BY_PATH = `-- view: keep 400d
select timestamp_trunc(timestamp, day) as day, request.path, count(*) as n
from edge_logs group by day, path order by path`
const BY_METHOD = BY_PATH.replaceAll('path', 'method')

async function send(service: Served, project: string, path: string): Promise<void> {
  const metadata = { request: { path, method: 'GET' } }
  const record = { source: 'edge_logs', project, timestamp: Date.now() * 1000, event_message: path, metadata }
  const headers = { 'Content-Type': 'application/json' }
  const response = await service.get('/api/logs', { method: 'POST', headers, body: JSON.stringify(record) })
  expect(response.status).toBe(200)
}

const sqlOf = (text: string, project = 'a') => `logs.all?project=${project}&sql=${encodeURIComponent(text)}`

/** The keys and counts of rows, whatever the day. */
const countsOf = async (service: Served, query: string, key: string) =>
  (await service.rows(query)).map((row) => [row[key], row.n])

describe('a view of the service', () => {
  it('is read as an endpoint and in SQL, also after a change and a restart', { timeout: 60_000 }, async () => {
    const [dataDir, endpoints] = [temporaryFolder(), temporaryFolder()]
    const file = join(endpoints, 'requests.sql')
    writeFileSync(file, BY_PATH)
    const args = ['--data-dir', dataDir, '--endpoints', endpoints, '--sql']
    const environment = { LOGWEIR_IN_MEMORY: '0' }
    const first = await serve(args, { environment })
    for (const [project, path] of [
      ['a', '/x'],
      ['a', '/y'],
      ['a', '/x'],
      ['b', '/z'],
    ] as const)
      await send(first, project, path)
    const byPath = [
      ['/x', 2],
      ['/y', 1],
    ]
    expect(await countsOf(first, 'requests?project=a', 'path')).toEqual(byPath)
    expect(await countsOf(first, 'requests?project=b', 'path')).toEqual([['/z', 1]])
    const all = 'select path, n from view.`requests` order by path'
    expect(await countsOf(first, sqlOf(all), 'path')).toEqual(byPath)
    writeFileSync(file, BY_METHOD)
    const query = 'requests?project=a'
    await until(
      () => countsOf(first, query, 'method'),
      ([row]) => row?.[0] === 'GET',
    )
    first.child.kill('SIGTERM')
    expect(await first.exit).toBe(0)
    const second = await serve(args, { environment })
    expect(await countsOf(second, query, 'method')).toEqual([['GET', 3]])
    await send(second, 'a', '/x')
    expect(await countsOf(second, sqlOf('select method, n from view.requests'), 'method')).toEqual([['GET', 4]])
    second.child.kill('SIGTERM')
    expect(await second.exit).toBe(0)
  })
})
