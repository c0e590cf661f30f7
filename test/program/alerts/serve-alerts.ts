import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Served, temporaryFolder } from '../support/program.js'

/** A rule over the requests of ten seconds, by project and path. */
export const FAILING = `-- Paths that fail.
-- alert: every 1s, delay 0s, notify ops
-- text: {path} fails: {errors}
select project, request.path, countif(response.status_code >= 500) as errors
from edge_logs
where timestamp >= timestamp_sub(current_timestamp(), interval 10 second)
group by project, path
having errors > 0
`

/** Writes rules, each text by name, and a file of receivers. Returns the arguments of `serve`. */
export function alertFiles(rules: Record<string, string>, receivers: string) {
  const folder = temporaryFolder()
  const file = join(temporaryFolder(), 'receivers.toml')
  const write = (name: string, text: string) => writeFileSync(join(folder, `${name}.sql`), text)
  for (const [name, text] of Object.entries(rules)) write(name, text)
  writeFileSync(file, receivers, { mode: 0o600 })
  return { folder, file, write, args: ['--alerts', folder, '--receivers', file] }
}

/** Sends a request record of a project that failed now. */
export async function sendFailure(service: Served, project: string, path: string, status = 500): Promise<void> {
  const metadata = { request: { path, url: `https://${project}.example${path}` }, response: { status_code: status } }
  const record = { source: 'edge_logs', project, timestamp: Date.now() * 1000, event_message: 'GET', metadata }
  const headers = { 'Content-Type': 'application/json' }
  const response = await service.get('/api/logs', { method: 'POST', headers, body: JSON.stringify(record) })
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
}

/** Returns the list of an answer of `/api/alerting`. */
// biome-ignore lint/suspicious/noExplicitAny: rows are any JSON
export async function alerting(service: Served, list: 'alerts' | 'rules', token?: string): Promise<any[]> {
  const headers: Record<string, string> = token === undefined ? {} : { 'X-API-KEY': token }
  const response = await service.get(`/api/alerting/${list}`, { headers })
  return ((await response.json()) as { result: unknown[] }).result
}
