import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseEvents } from '../../support/events.js'
import { freePort } from '../../support/free-port.js'
import { write } from '../support/feed.js'
import { type Served, serve, TOKEN, temporaryFolder, until } from '../support/program.js'

const NGINX = ['/usr/sbin/nginx', '/usr/local/sbin/nginx'].find((path) => spawnSync(path, ['-v']).error === undefined)

const SQL = 'select request.path, count(*) as n from edge_logs where response.status_code >= 500 group by path'
const SEARCH = new URLSearchParams({ project: 'a', sql: SQL })

function lineOf(path: string): string {
  const metadata = { request: { path }, response: { status_code: 500 } }
  return `${JSON.stringify({ source: 'edge_logs', project: 'a', event_message: '', metadata })}\n`
}

/** Follows errors by path with `curl -N`. Returns the events that curl has printed. */
function curl(url: string): { child: ChildProcess; events: () => ReturnType<typeof parseEvents>['events'] } {
  const headers = [`X-API-KEY: ${TOKEN}`, 'Accept: text/event-stream'].flatMap((header) => ['-H', header])
  const child = spawn('curl', ['-sN', ...headers, `${url}/api/endpoints/query/logs.all?${SEARCH}`])
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, events: () => parseEvents(text).events }
}

/** Expects a client of an address to be sent the errors of a service as they happen, and the reason of the end. */
async function expectEvents(service: Served, url: string): Promise<void> {
  const paths = ['/a', '/b', '/c', '/d']
  await write(service, 4, (i) => lineOf(paths[i]!))
  await until(
    () => service.metric('logweir_rows{source="edge_logs"}'),
    (rows) => rows === 4,
  )
  const { child, events } = curl(url)
  await until(
    async () => events().length,
    (count) => count === 1,
  )
  await write(service, 1, () => lineOf('/b'))
  await until(
    async () => events().length,
    (count) => count === 2,
  )
  const [snapshot, change] = events().map(({ type, data }) => ({ type, ...JSON.parse(data) }))
  expect(snapshot).toMatchObject({ type: 'snapshot', result: paths.map((path) => ({ path, n: 1 })), key: ['path'] })
  expect(change).toMatchObject({ type: 'change', upsert: [{ path: '/b', n: 2 }], delete: [] })
  const ended = new Promise((resolve) => child.once('close', resolve))
  service.child.kill('SIGTERM')
  await ended
  expect(events().at(-1)).toMatchObject({ type: 'dropped', data: expect.stringContaining('"code":"stopping"') })
  expect(await service.exit).toBe(0)
}

describe('curl -N is sent errors by path as they happen', () => {
  it('directly', async () => {
    const service = await serve(['--sql'], { stdin: 'pipe' })
    await expectEvents(service, service.url)
  })

  it.runIf(NGINX !== undefined)('through nginx, which buffers', async () => {
    const service = await serve(['--sql'], { stdin: 'pipe' })
    await expectEvents(service, await startNginx(service.url))
  })
})

/** Starts nginx before a service, with its usual settings. Returns the address. */
async function startNginx(target: string): Promise<string> {
  const folder = temporaryFolder()
  const port = await freePort()
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; events {}\n` +
      `http { access_log off; ${temp.join(' ')}\n` +
      `server { listen 127.0.0.1:${port}; location / { proxy_pass ${target}; proxy_buffering on; } } }\n`,
  )
  const child = spawn(NGINX!, ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')])
  onTestFinished(() => void child.kill('SIGTERM'))
  const url = `http://127.0.0.1:${port}`
  await until(
    () => fetch(`${url}/health`).catch(() => undefined),
    (answer) => answer?.status === 200,
  )
  return url
}
