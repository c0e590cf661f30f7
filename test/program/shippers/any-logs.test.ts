import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { describeWhere } from '../../clickhouse/needs.js'
import { documentAt } from '../../docs/documents.js'
import { commandsOf } from '../../docs/shell.js'
import { findOtlpClient, OTLP_CLIENT, WHY_NO_OTLP_CLIENT } from '../../support/otlp-client.js'
import { CLI, TOKEN, temporaryFolder, until } from '../support/program.js'
import { findClient, WHY_NO_CLIENTS } from '../support/published.js'

/** Each block of docs/any-logs.md is run as a user runs the block, with other paths and ports. */
const { blocks } = documentAt('docs/any-logs.md')!

/** Returns the only block with a text. */
function blockWith(text: string): string {
  const found = blocks.filter((block) => block.text.includes(text))
  expect([text, found.length]).toEqual([text, 1])
  return found[0]!.text
}

const nowMs = Date.now()
const time = new Date(nowMs).toISOString()

/** A folder with programs that come first in the PATH, and the block that is run there. */
interface Setting {
  /** Scripts of a shell by the name of the program. */
  programs?: Readonly<Record<string, string>>
  /** Texts of files by name. */
  files?: Readonly<Record<string, string>>
  /** Called with the block of the page and the folder. Returns the block with other paths. */
  change?: (block: string, folder: string) => string
}

interface Running {
  url: string
  folder: string
  /** Returns rows of a query of the project of the page. */
  rows(sql: string): Promise<Record<string, unknown>[]>
}

/** Makes the folder, with `logweir` as the built program. */
function folderOf({ programs = {}, files = {} }: Setting): string {
  const folder = temporaryFolder()
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const scripts = { logweir: `exec "${process.execPath}" "${CLI}" "$@"`, ...programs }
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

/** Runs a block of the page with a shell until the test ends. Resolves when its service listens. */
async function run(block: string, setting: Setting): Promise<Running> {
  const folder = folderOf(setting)
  const text = setting.change?.(block, folder) ?? block
  const child = spawn('sh', ['-c', text], {
    cwd: folder,
    // A group, so that each program of a pipe ends with the test.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
      ...{ LOGWEIR_PORT: '0', LOGWEIR_IN_MEMORY: '1', LOGWEIR_ACCESS_TOKENS: TOKEN, LOGWEIR_SQL: '1' },
    },
  })
  onTestFinished(async () => {
    const ended = once(child, 'close')
    process.kill(-child.pid!, 'SIGKILL')
    await ended
  })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    log += piece
  })
  const [, url] = (await until(
    async () => /listening on (http:\S+)/.exec(log),
    (match) => match !== null,
  ))!
  const rows = async (sql: string) => {
    const address = `${url}/api/endpoints/query/logs.all?${new URLSearchParams({ project: 'web', sql })}`
    const answer = await fetch(address, { headers: { 'X-API-KEY': TOKEN } })
    return ((await answer.json()) as { result?: Record<string, unknown>[] }).result ?? []
  }
  return { url: url!, folder, rows }
}

/** Waits for rows of a source, and returns these by time. */
const arrived = ({ rows }: Running, source: string, columns: string, count = 1) =>
  until(
    () => rows(`select ${columns} from ${source} order by timestamp, event_message`),
    (found) => found.length >= count,
  )

/** A program that prints recorded lines and then waits, as one that follows a log. */
const following = (file: string) => `cat ${file}; exec sleep 1000`
const lines = (...records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('')
const AT_NOW = `unix_micros(timestamp) = ${nowMs * 1000} as is_right`

it('docker: of a container that writes JSON', async () => {
  const files = { log: lines({ timestamp: time, message: 'hello', level: 'error' }) }
  const service = await run(blockWith('docker logs'), { files, programs: { docker: following('log') } })
  expect(await arrived(service, 'shop', `event_message, level, ${AT_NOW}`)).toEqual([
    { event_message: 'hello', level: 'error', is_right: true },
  ])
})

it('docker: of all containers', async () => {
  const files = {
    'a-json.log': lines({ log: 'one\n', stream: 'stdout', time }),
    'b-json.log': lines({ log: 'two\n', stream: 'stderr', time }),
  }
  const change = (block: string) => block.replace('/var/lib/docker/containers/*/', '')
  const service = await run(blockWith('json.log'), { files, change })
  expect(await arrived(service, 'docker', `event_message, stream, ${AT_NOW}`, 2)).toEqual([
    { event_message: 'one\n', stream: 'stdout', is_right: true },
    { event_message: 'two\n', stream: 'stderr', is_right: true },
  ])
})

it('journald: recorded lines', async () => {
  const entry = { MESSAGE: 'hello', __REALTIME_TIMESTAMP: `${nowMs}000`, PRIORITY: '6', _SYSTEMD_UNIT: 'cron.service' }
  const service = await run(blockWith('journalctl'), {
    files: { log: lines(entry) },
    programs: { journalctl: following('log') },
  })
  expect(await arrived(service, 'journal', `event_message, PRIORITY, _SYSTEMD_UNIT, ${AT_NOW}`)).toEqual([
    { event_message: 'hello', PRIORITY: '6', _SYSTEMD_UNIT: 'cron.service', is_right: true },
  ])
})

it('Kubernetes: recorded lines of pods', async () => {
  const files = { log: lines({ timestamp: time, message: 'hello', status: 503 }) }
  const service = await run(blockWith('kubectl logs'), { files, programs: { kubectl: following('log') } })
  expect(await arrived(service, 'shop', `event_message, status, ${AT_NOW}`)).toEqual([
    { event_message: 'hello', status: 503, is_right: true },
  ])
})

it('Kubernetes: recorded files of the container runtime of a node', async () => {
  const at = time.replace('Z', '987654Z')
  const files = {
    'a.log': `${at} stdout F {"message":"hello"}\n${at} stdout F no JSON\n${at} stdout P {"message":"a pi\n`,
    'b.log': `${at} stderr F {"message":"second","level":"warn"}\n`,
  }
  const change = (block: string) => block.replace('/var/log/containers/', '')
  const service = await run(blockWith('/var/log/containers'), { files, change })
  const expected = { is_right: true }
  expect(
    await arrived(service, 'pods', `event_message, unix_micros(timestamp) = ${nowMs * 1000 + 987} as is_right`, 2),
  ).toEqual([
    { event_message: 'hello', ...expected },
    { event_message: 'second', ...expected },
  ])
})

const PYTHON = spawnSync('python3', ['--version']).error === undefined ? 'python3' : undefined
describeWhere(PYTHON, 'Python 3', 'it is not installed', 'a CSV of yesterday', () => {
  it('is stored row by row', async () => {
    const rows = ['when,what,status,price', `${time},"two, in quotes",404,1.5`, `${time},paid,200,2`]
    const service = await run(blockWith('yesterday.csv'), { files: { 'yesterday.csv': `${rows.join('\n')}\n` } })
    expect(await arrived(service, 'orders', `event_message, cast(price as float64) as price, ${AT_NOW}`, 2)).toEqual([
      { event_message: 'paid', price: 2, is_right: true },
      { event_message: 'two, in quotes', price: 1.5, is_right: true },
    ])
  })
})

it('Cloudflare Logpush: recorded lines', async () => {
  const line = { ClientRequestURI: '/a', EdgeStartTimestamp: time, EdgeResponseStatus: 200 }
  const service = await run(blockWith('logpush/'), {
    files: { recorded: lines(line) },
    change: (block) => `mkdir logpush; gzip < recorded > logpush/a.log.gz\n${block}`,
  })
  expect(await arrived(service, 'cloudflare', `event_message, EdgeResponseStatus as status, ${AT_NOW}`)).toEqual([
    { event_message: '/a', status: 200, is_right: true },
  ])
})

describeWhere(findClient('pino'), 'pino', WHY_NO_CLIENTS, 'pino', () => {
  it('writes to standard input', async () => {
    const module = JSON.stringify(join(findClient('pino')!, 'pino.js'))
    const script = `require(${module})().error({ req: { url: '/a' } }, 'hello')`
    const programs = { node: `exec "${process.execPath}" "$@"` }
    const service = await run(blockWith('node app.js | logweir'), { files: { 'app.js': script }, programs })
    expect(await arrived(service, 'app', 'event_message, level, req.url as url')).toEqual([
      { event_message: 'hello', level: 50, url: '/a' },
    ])
  })
})

describeWhere(findOtlpClient(), 'the OpenTelemetry exporters', WHY_NO_OTLP_CLIENT, 'an OpenTelemetry SDK', () => {
  it('sends by its variables', async () => {
    const service = await run("logweir serve --sources '*' --otlp-source service.name --project web", {})
    const block = blockWith('OTEL_').replace('http://127.0.0.1:4000', service.url).replace('YOUR-TOKEN', TOKEN)
    const { words } = commandsOf(block).find(({ words: [, second = ''] }) => second.startsWith('OTEL_SERVICE_NAME='))!
    const [, name] = words[1]!.split('=')
    const client = spawn('sh', ['-c', block.replace('app.js', `"${join(OTLP_CLIENT, 'send.mjs')}" proto 0 1`)], {
      env: {
        PATH: process.env.PATH,
        // The exporters' program does not read the variable of its name by itself.
        RESOURCE: JSON.stringify({ 'service.name': name }),
        START_US: `${nowMs * 1000}`,
      },
      stdio: 'ignore',
    })
    expect((await once(client, 'close'))[0]).toBe(0)
    expect(await arrived(service, 'payments', `event_message, severity_text, ${AT_NOW}`)).toEqual([
      { event_message: 'row 0', severity_text: 'INFO', is_right: true },
    ])
  })
})

const NGINX = ['/usr/sbin/nginx', '/usr/local/sbin/nginx'].find((path) => spawnSync(path, ['-v']).error === undefined)

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

describeWhere(NGINX, 'nginx', 'it is not installed (apt-get install nginx-light)', 'nginx', () => {
  it('writes JSON, of which the query of the page counts the paths that fail', async () => {
    const port = await freePort()
    const nginx = (folder: string) => `exec ${NGINX} -p "${folder}" -c "${folder}/nginx.conf" "$@"`
    const service = await run(blockWith('nginx -s reload'), {
      change(block, folder) {
        const config = `pid nginx.pid;\nerror_log error.log;\nevents {}\nhttp {\n  include conf.d/*.conf;
  server { listen 127.0.0.1:${port}; location / { return 404; }
    location /api/ { return 503; } location = /fine { return 204; } }\n}\n`
        mkdirSync(join(folder, 'conf.d'))
        writeFileSync(join(folder, 'nginx.conf'), config)
        writeFileSync(join(folder, 'bin/nginx'), `#!/bin/sh\n${nginx(folder)}\n`)
        chmodSync(join(folder, 'bin/nginx'), 0o755)
        expect(spawnSync(join(folder, 'bin/nginx')).status).toBe(0)
        onTestFinished(() => void spawnSync(join(folder, 'bin/nginx'), ['-s', 'stop']))
        const log = join(folder, 'access.json')
        const format = blockWith('log_format').replace('/var/log/nginx/access.json', log)
        writeFileSync(join(folder, 'conf.d/json.conf'), format)
        return block.replace('/var/log/nginx/access.json', log)
      },
    })
    const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'User-Agent': 'a "b" \\' } })
    const columns = 'path, status, method, agent, event_message'
    // Until then, workers with the old configuration may answer.
    await until(
      async () => [await ask('/fine'), await service.rows(`select ${columns} from nginx`)] as const,
      ([, rows]) => rows.length > 0,
    )
    for (const path of ['/api/pay', '/api/pay?x=%22', '/missing']) await ask(path)
    const rows = await until(
      () => service.rows(`select ${columns} from nginx where path <> '/fine' order by timestamp, event_message`),
      (found) => found.length === 3,
    )
    const row = (path: string, status: number, asked = path) => ({
      ...{ path, status, method: 'GET', agent: 'a "b" \\', event_message: `GET ${asked} HTTP/1.1` },
    })
    expect(rows).toEqual([row('/api/pay', 503), row('/api/pay', 503, '/api/pay?x=%22'), row('/missing', 404)])
    const { words } = commandsOf(blockWith('logweir query'))[0]!
    const failed = await service.rows(words[words.indexOf('--sql') + 1]!)
    expect(failed.map(({ path }) => path)).toEqual(expect.arrayContaining(['/api/pay', '/missing']))
    expect(failed.reduce((sum, { failed: count }) => sum + Number(count), 0)).toBe(3)
  })
})
