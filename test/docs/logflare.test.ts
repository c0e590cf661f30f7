import { describe, expect, it } from 'vitest'
import { createTestApp, LOGS_ALL, PREFIX, TOKEN } from '../http/support.js'
import { documentAt, tablesOf } from './documents.js'
import { recordsIn } from './requests.js'

const intake = {
  writeFailure: () => undefined,
  prepare() {},
  take: async () => ({ taken: 1, rejected: 0, byReason: {}, rejects: [] }),
}
const UUID = '9dd9a6f6-8e9b-4fa4-b682-4f2f5cd99da3'
const post = { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } }

describe('docs/logflare.md', () => {
  const [differences] = tablesOf(documentAt('docs/logflare.md')!)
  const cellOf = (what: string) => differences!.rows.find(([first]) => first!.startsWith(what))![2]!

  it('tells how logweir answers what Logflare takes', async () => {
    const { get, app } = createTestApp({ intake, rows: () => [] })
    const status = async (path: string, init?: RequestInit) => (await get(path, init)).status
    expect(cellOf('methods')).toContain('GET, HEAD and POST')
    expect(await status(`${LOGS_ALL}?project=a`, post)).toBe(200)
    expect(await status(`${LOGS_ALL}?project=a`, { method: 'PUT' })).toBe(405)
    expect(cellOf('the token in the URL')).toContain('401')
    expect((await app.fetch(new Request(`${PREFIX}${LOGS_ALL}?project=a&api_key=${TOKEN}`))).status).toBe(401)
    expect(cellOf('`source=`')).toContain('400, `unknown_source`')
    expect(await (await get(`/api/logs?source=${UUID}`, post)).json()).toMatchObject({ code: 'unknown_source' })
    expect(await status('/api/logs?source=cloudflare.logs.prod', post)).toBe(200)
    expect(cellOf('other paths')).toBe('404')
    expect([await status('/api/events', post), await status('/api/logs/vector', post)]).toEqual([404, 404])
    expect(cellOf('`sql=`')).toContain('ignored')
    expect(await status(`${LOGS_ALL}?project=a&sql=select+1`)).toBe(200)
  })

  it('tells of rows of Logflare that can be piped in', async () => {
    const event = { id: UUID, event_message: 'a', project: 'default' }
    const ofPostgres = {
      ...event,
      timestamp: Date.parse('2026-11-20') * 1000,
      metadata: { request: { path: '/rest' } },
    }
    const ofBigQuery = {
      ...event,
      timestamp: '2026-11-20T00:00:00.000000Z',
      metadata: [{ request: [{ path: '/rest' }] }],
    }
    const lines = [ofPostgres, ofBigQuery].map((row) => `${JSON.stringify(row)}\n`).join('')
    const { taken, rejects } = await recordsIn(lines, 'ndjson', { source: 'edge_logs' })
    expect({ taken, rejects }).toEqual({ taken: 2, rejects: [] })
  })
})
