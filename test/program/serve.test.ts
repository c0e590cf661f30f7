import { once } from 'node:events'
import { openSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BAD_LINES } from '../../src/generate/bad-lines.js'
import { generated } from './support/generated.js'
import { serve, start, TOKEN, temporaryFolder, until } from './support/program.js'

const PROJECT = 'abcdefghijklmnopqrst'

function edgeRecord(id: string, given: object = {}): string {
  const request = { url: `https://${PROJECT}.supabase.co/rest/v1/todos`, path: '/rest/v1/todos' }
  const record = { source: 'edge_logs', id, project: PROJECT, event_message: `GET | ${id}`, metadata: { request } }
  return `${JSON.stringify({ ...record, ...given })}\n`
}

const LOGS = `logs.all?project=${PROJECT}`
// biome-ignore lint/suspicious/noExplicitAny: rows are any JSON
const idsOf = (rows: any[]) => rows.map(({ id }) => id)
const isEmpty = (rows: unknown[]) => rows.length === 0

describe('standard input', () => {
  it('shows rows within a second while the pipe stays open', async () => {
    const service = await serve()
    expect(await service.metric('logweir_stdin_open')).toBe(1)
    for (const id of ['one', 'two', 'three']) {
      service.child.stdin!.write(edgeRecord(id))
      await until(
        () => service.rows(LOGS),
        (rows) => idsOf(rows).includes(id),
        5_000,
      )
    }
    expect(idsOf(await service.rows(LOGS))).toEqual(['three', 'two', 'one'])
    expect(await service.metric('logweir_ingested_rows_total{source="edge_logs"}')).toBe(3)
  })

  it('X2: goes on serving after the pipe has ended, and tells what was taken', async () => {
    const service = await serve()
    service.child.stdin!.end(`${edgeRecord('one')}\n{"source":"nginx"}\n${edgeRecord('two').trimEnd()}`)
    await service.waitForStderr(/standard input ended: 2 rows accepted, 1 rejected \(unknown_source 1\)\n/)
    expect(idsOf(await service.rows(LOGS))).toEqual(['two', 'one'])
    expect(await service.metric('logweir_stdin_open')).toBe(0)
    expect(await service.metric('logweir_rejected_rows_total{reason="unknown_source"}')).toBe(1)
    expect(await service.metric('logweir_rows{source="edge_logs"}')).toBe(2)
    expect(await service.metric('logweir_bytes{source="edge_logs",tier="head"}')).toBeGreaterThan(0)
    expect(await (await service.get('/health')).json()).toEqual({ status: 'ok' })
  })

  it('is read from a file', async () => {
    const path = join(temporaryFolder(), 'records.ndjson')
    writeFileSync(path, edgeRecord('one') + edgeRecord('two'))
    const service = await serve([], { stdin: openSync(path, 'r') })
    await service.waitForStderr(/2 rows accepted, 0 rejected\n/)
    expect(idsOf(await service.rows(LOGS))).toEqual(['two', 'one'])
  })

  it('is left alone where it is neither pipe, socket nor file', async () => {
    const service = await serve([], { stdin: 'ignore' })
    expect(await service.rows(LOGS)).toEqual([])
    expect(await service.metric('logweir_stdin_open')).toBe(0)
    expect(service.stderrText()).not.toContain('standard input')
  })

  it('takes aliases, and --source for records that name no source', async () => {
    const service = await serve(['--source', 'cloudflare.logs.prod'])
    const own = edgeRecord('own', { source: undefined })
    service.child.stdin!.end(
      own +
        edgeRecord('alias', { source: 'cloudflare.logs.prod' }) +
        edgeRecord('other', { source: 'gotrue.logs.prod' }),
    )
    await service.waitForStderr(/3 rows accepted, 0 rejected/)
    expect(idsOf(await service.rows(LOGS))).toEqual(['alias', 'own'])
    expect(await service.metric('logweir_ingested_rows_total{source="auth_logs"}')).toBe(1)
  })

  it('takes what generate writes, and rejects its bad lines for their reasons', async () => {
    const every = 100
    const rows = every * BAD_LINES.length
    const dataDir = temporaryFolder()
    const service = await serve(['--data-dir', dataDir])
    service.child.stdin!.end(generated('--rows', String(rows), '--bad-every', String(every)))
    await service.waitForStderr(new RegExp(`${rows} rows accepted, ${BAD_LINES.length} rejected`))
    const kept = readFileSync(join(dataDir, 'rejects.ndjson'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(kept).toEqual(BAD_LINES.map(([reason, text], i) => ({ line: (i + 1) * (every + 1), reason, text })))
    expect(statSync(join(dataDir, 'rejects.ndjson')).mode & 0o777).toBe(0o600)
  })

  it('is one older than --retention-days', async () => {
    const service = await serve(['--retention-days', '2'])
    const linesOf = [1, 3].map((days) => `{"source":"auth_logs","timestamp":${Date.now() - days * 86_400_000}}\n`)
    service.child.stdin!.end(linesOf.join(''))
    await service.waitForStderr(/1 rows accepted, 1 rejected \(too_old 1\)/)
  })

  it('is not written down with --in-memory', async () => {
    const service = await serve(['--in-memory'])
    service.child.stdin!.end('no JSON, and a secret\n')
    await service.waitForStderr(/0 rows accepted, 1 rejected \(invalid_json 1\)/)
    expect(service.stderrText()).not.toContain('secret')
  })
})

describe('access tokens', () => {
  it('are required but for health, and come from the environment', async () => {
    const service = await serve([], { environment: { LOGWEIR_ACCESS_TOKENS: 'one' }, stdin: 'ignore' })
    expect((await fetch(`${service.url}/health`)).status).toBe(200)
    expect((await fetch(`${service.url}/metrics`)).status).toBe(401)
    expect((await service.get('/metrics')).status).toBe(200)
    expect((await service.get('/metrics', { headers: { 'X-API-KEY': 'two' } })).status).toBe(401)
    expect(service.stderrText()).not.toContain('token')
  })

  it('come from a file', async () => {
    const path = join(temporaryFolder(), 'tokens')
    writeFileSync(path, '# team\nfrom-file\n')
    const service = await serve(['--tokens-file', path], { stdin: 'ignore' })
    for (const token of [TOKEN, 'from-file']) {
      expect((await service.get('/metrics', { headers: { 'X-API-KEY': token } })).status).toBe(200)
    }
  })
})

/** Starts `serve` without a configured token. */
async function serveBare(args: readonly string[]) {
  const program = start(['serve', '--port', '0', ...args])
  const [, url] = await program.waitForStderr(/listening on (http:\S+)\n/)
  await until(
    () => fetch(`${url}/health`),
    ({ status }) => status === 200,
  )
  const made = /created an access token.*: ([A-Za-z0-9_-]{43})\n/.exec(program.stderrText())?.[1]
  const statusWith = async (token: string) =>
    (await fetch(`${url}/metrics`, { headers: { 'X-API-KEY': token } })).status
  return { ...program, made, statusWith }
}

it('keeps idle connections as long as --keep-alive says', async () => {
  const { url } = await serve(['--keep-alive', '10m'], { stdin: 'ignore' })
  expect((await fetch(`${url}/health`)).headers.get('keep-alive')).toBe('timeout=600')
})

describe('a made access token', () => {
  it('is kept in the data directory and shown once', async () => {
    const dataDir = join(temporaryFolder(), 'data')
    const first = await serveBare(['--data-dir', dataDir])
    expect(await first.statusWith(first.made!)).toBe(200)
    expect(readFileSync(join(dataDir, 'token'), 'utf8')).toBe(`${first.made}\n`)
    expect(statSync(join(dataDir, 'token')).mode & 0o777).toBe(0o600)
    expect(statSync(dataDir).mode & 0o777).toBe(0o700)
    first.child.kill('SIGTERM')
    expect(await first.exit).toBe(0)
    expect(first.stderrText().split(first.made!)).toHaveLength(2)

    const second = await serveBare(['--data-dir', dataDir])
    expect(second.made).toBeUndefined()
    expect(second.stderrText()).not.toContain(first.made!)
    expect(await second.statusWith(first.made!)).toBe(200)
  })

  it('is made anew at each start without a data directory', async () => {
    const [first, second] = await Promise.all([serveBare([]), serveBare(['--in-memory'])])
    expect(first.made).toBeDefined()
    expect(second.made).not.toBe(first.made)
    expect(await second.statusWith(first.made!)).toBe(401)
  })
})

describe('a signal', () => {
  it.each([
    'SIGTERM',
    'SIGINT',
  ] as const)('%s stops it with 0 while the pipe and idle sockets are open', async (signal) => {
    const service = await serve()
    service.child.stdin!.write(edgeRecord('one') + edgeRecord('not ended').trimEnd())
    await until(
      () => service.rows(LOGS),
      (rows) => !isEmpty(rows),
    )
    const idle = connect(Number(new URL(service.url).port), '127.0.0.1')
    idle.on('error', () => {})
    idle.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(idle, 'data')
    service.child.kill(signal)
    expect(await service.exit).toBe(0)
    expect(service.stderrText()).toMatch(/standard input ended: 2 rows accepted, 0 rejected\n$/)
    idle.destroy()
  })

  it('X2: ends it at once when it is the second', async () => {
    const service = await serve()
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    socket.on('error', () => {})
    // A request without an end keeps the server open for seconds.
    socket.write('GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: ')
    await once(socket, 'connect')
    await service.get('/health')
    service.child.kill('SIGTERM')
    await service.waitForStderr(/SIGTERM: stopping\n/)
    service.child.kill('SIGTERM')
    expect(await service.exit).toBe(1)
    socket.destroy()
  })

  it('answers the request under way before it stops, and takes no other', async () => {
    const service = await serve()
    service.child.stdin!.end(edgeRecord('one'))
    await service.waitForStderr(/1 rows accepted/)
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    socket.setEncoding('utf8')
    socket.write(`GET /api/endpoints/query/${LOGS} HTTP/1.1\r\nHost: x\r\n`)
    await service.get('/health')
    service.child.kill('SIGTERM')
    await service.waitForStderr(/SIGTERM: stopping\n/)
    socket.write(`X-API-KEY: ${TOKEN}\r\n\r\n`)
    const answer = (await socket.toArray()).join('')
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(answer).toContain('"id":"one"')
    expect(await service.exit).toBe(0)
    await expect(service.get('/health')).rejects.toThrow('fetch failed')
  })
})

it('is not ready while it stops', async () => {
  const service = await serve([], { stdin: 'ignore' })
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  socket.setEncoding('utf8')
  socket.write('GET /ready HTTP/1.1\r\nHost: x\r\n')
  expect((await service.get('/ready')).status).toBe(200)
  service.child.kill('SIGTERM')
  await service.waitForStderr(/SIGTERM: stopping\n/)
  socket.write('\r\n')
  const answer = (await socket.toArray()).join('')
  expect(answer).toMatch(/^HTTP\/1\.1 503 /)
  expect(answer).toContain('"code":"stopping"')
  expect(await service.exit).toBe(0)
})

it('X2: lives on when nobody reads its output', async () => {
  const service = await serve()
  service.child.stderr!.destroy()
  service.child.stdout!.destroy()
  service.child.stdin!.end(`nonsense\n${edgeRecord('one')}`)
  await until(
    () => service.rows(LOGS),
    (rows) => !isEmpty(rows),
  )
  expect((await service.get('/health')).status).toBe(200)
  service.child.kill('SIGTERM')
  expect(await service.exit).toBe(0)
})
