import { expect, it } from 'vitest'
import { serve } from '../support/program.js'

/** Events in the form that the log router of a self-hosted Supabase posts. */
const GATEWAY = ['/rest/v1/todos', '/auth/v1/token', '/rest/v1/'].map((path) => ({
  project: 'default',
  appname: 'supabase-kong',
  event_message: `GET ${path}`,
  timestamp: new Date().toISOString(),
  metadata: { request: { method: 'GET', path, protocol: 'HTTP/1.1' }, response: { status_code: 200 } },
}))
const CONSOLE = { appname: 'supabase-edge-functions', event_message: 'hello', metadata: { project_ref: 'default' } }
const INVOCATION = {
  event_message: 'run',
  metadata: { project_ref: 'default', function_id: 'f', execution_time_ms: 7 },
}

async function filled(setting: string) {
  const service = await serve([setting])
  const headers = { 'Content-Type': 'application/json' }
  const post = (source: string, events: readonly object[]) =>
    service.get(`/api/logs?source_name=${source}`, { method: 'POST', headers, body: JSON.stringify(events) })
  expect((await post('cloudflare.logs.prod', GATEWAY)).status).toBe(200)
  expect((await post('deno-relay-logs', [CONSOLE, CONSOLE, INVOCATION])).status).toBe(200)
  const sums = async (query: string, names: readonly string[]) => {
    const rows: Record<string, number>[] = await service.rows(query)
    return names.map((name) => rows.reduce((sum, row) => sum + row[name]!, 0))
  }
  return { service, sums }
}

const AREAS = ['total_rest_requests', 'total_auth_requests', 'total_storage_requests', 'total_realtime_requests']

it('--supabase counts the requests of the gateway, and no console lines as invocations', async () => {
  const { service, sums } = await filled('--supabase')
  for (const interval of ['1hr', '1day', '7day']) {
    expect(await sums(`usage.api-counts?project=default&interval=${interval}`, AREAS)).toEqual([2, 1, 0, 0])
  }
  expect(await sums('functions.invocation-stats?project=default', ['count'])).toEqual([1])
  const { result } = (await (await service.get('/api/endpoints')).json()) as {
    result: { name: string; query: string }[]
  }
  const queryOf = (name: string) => result.find((one) => one.name === name)!.query
  expect(queryOf('usage.api-counts')).toContain("when '7day'")
  expect(queryOf('functions.invocation-stats')).toContain('m.execution_time_ms is not null')
})

it('without the setting the same records count as before', async () => {
  const { sums } = await filled('--sql')
  for (const interval of ['1hr', '1day', '7day', 'daily']) {
    expect(await sums(`usage.api-counts?project=default&interval=${interval}`, AREAS)).toEqual([0, 0, 0, 0])
  }
  expect(await sums('functions.invocation-stats?project=default', ['count'])).toEqual([3])
})
