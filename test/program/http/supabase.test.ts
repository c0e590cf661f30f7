import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readReply } from '../../http/support.js'
import { bodyOf, exchange } from '../../support/raw-http.js'
import { run, type Served, serve, TOKEN, temporaryFolder } from '../support/program.js'
import { dialer } from '../support/raw.js'
import { startForSuite } from '../support/suite.js'

const PUBLIC = 'public-token-of-the-stack'
const PRIVATE = 'private-token+of/the=stack'
const BOTH = { LOGFLARE_PUBLIC_ACCESS_TOKEN: PUBLIC, LOGFLARE_PRIVATE_ACCESS_TOKEN: PRIVATE }
const WITHOUT_OURS = { LOGWEIR_ACCESS_TOKENS: '' }
const LOGS_ALL = '/api/endpoints/query/logs.all'
const INGEST_PATHS = ['/api/logs', '/logs', '/v1/logs']

const stack = (environment: Record<string, string> = BOTH, args: readonly string[] = [], options = {}) =>
  serve(['--supabase', ...args], { environment: { ...WITHOUT_OURS, ...environment }, stdin: 'ignore', ...options })

/** A service with both tokens, for tests that change no state that other tests read. */
const shared = startForSuite((atEnd) => stack(BOTH, [], { atEnd }))

const as = (token: string) => ({ headers: { 'X-API-KEY': token } })

/** Sends records as Vector does, or nothing as OTLP. */
function post({ url }: Served, path: string, headers: Record<string, string> = {}, body?: string): Promise<Response> {
  const records = body ?? (path.startsWith('/v1/') ? '{}' : '[{"project":"default","event_message":"one"}]')
  return fetch(url + path, {
    method: 'POST',
    body: records,
    headers: { 'Content-Type': 'application/json', ...headers },
  })
}

/** Returns the status of an ingest path and of a query, for each token. */
async function opened(service: Served, ...tokens: readonly string[]): Promise<[number, number][]> {
  return Promise.all(
    tokens.map(async (token): Promise<[number, number]> => {
      const sent = await post(service, '/api/logs?source_name=gotrue.logs.prod', { 'x-api-key': token })
      const asked = await fetch(`${service.url}${LOGS_ALL}?project=default`, as(token))
      return [sent.status, asked.status]
    }),
  )
}

/** The lines that a service with `--log-format json` has logged. */
const linesOf = (service: Served): { code: string }[] =>
  service
    .stderrText()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

const codesOf = (service: Served) => linesOf(service).map(({ code }) => code)

describe('the tokens of --supabase', () => {
  it('are two: one sends, one sends and queries', async () => {
    const dataDir = join(temporaryFolder(), 'data')
    const service = await stack({ ...BOTH, LOGWEIR_DATA_DIR: dataDir, LOGWEIR_IN_MEMORY: '' })
    expect(await opened(service, PUBLIC, PRIVATE, 'wrong', '')).toEqual([
      [200, 403],
      [200, 200],
      [401, 401],
      [401, 401],
    ])
    expect(existsSync(join(dataDir, 'token'))).toBe(false)
    expect(service.stderrText()).toMatch(/^logweir: listening on \S+\n$/)
  })

  it('open both if they are equal, and other tokens do too', async () => {
    const same = { LOGFLARE_PUBLIC_ACCESS_TOKEN: 'same', LOGFLARE_PRIVATE_ACCESS_TOKEN: 'same' }
    const service = await stack({ ...same, LOGWEIR_ACCESS_TOKENS: 'ours' })
    expect(await opened(service, 'same', 'ours', PUBLIC)).toEqual([
      [200, 200],
      [200, 200],
      [401, 401],
    ])
  })

  it('are created as ever if neither is set, or both are empty', async () => {
    const service = await stack({ LOGFLARE_PUBLIC_ACCESS_TOKEN: '', LOGFLARE_PRIVATE_ACCESS_TOKEN: '' })
    const [, made] = await service.waitForStderr(/created an access token for this run: (\S+)\n/)
    expect(await opened(service, made!)).toEqual([[200, 200]])
  })

  it('are warned of if they are published, and never shown', async () => {
    const published = 'your-super-secret-and-long-logflare-key-private'
    const service = await stack({ LOGFLARE_PRIVATE_ACCESS_TOKEN: published }, ['--log-format', 'json'])
    expect(await opened(service, published)).toEqual([[200, 200]])
    expect(linesOf(service)).toMatchObject([
      { level: 'warn', code: 'published_token', variables: 'LOGFLARE_PRIVATE_ACCESS_TOKEN' },
      { code: 'listening' },
    ])
    expect(service.stderrText()).not.toContain(published)
  })

  it('are warned of if none of them can query', async () => {
    const service = await stack({ LOGFLARE_PUBLIC_ACCESS_TOKEN: PUBLIC }, ['--log-format', 'json'])
    expect(await opened(service, PUBLIC)).toEqual([[200, 403]])
    expect(codesOf(service)).toEqual(['no_query_token', 'listening'])
    const other = await stack({ LOGFLARE_PUBLIC_ACCESS_TOKEN: PUBLIC, LOGWEIR_ACCESS_TOKENS: 'ours' })
    expect(other.stderrText()).toMatch(/^logweir: listening on \S+\n$/)
  })

  it('are warned of without --supabase, which alone reads them', async () => {
    const service = await serve(['--log-format', 'json'], {
      environment: { ...WITHOUT_OURS, ...BOTH },
      stdin: 'ignore',
    })
    expect(await opened(service, PUBLIC, PRIVATE)).toEqual([
      [401, 401],
      [401, 401],
    ])
    const names = 'LOGFLARE_PUBLIC_ACCESS_TOKEN and LOGFLARE_PRIVATE_ACCESS_TOKEN'
    expect(linesOf(service)[0]).toMatchObject({ level: 'warn', code: 'unread_token', variables: names })
  })

  it('stop the start if one cannot be sent, by the name of its variable', async () => {
    const environment = { ...WITHOUT_OURS, ...BOTH, LOGFLARE_PRIVATE_ACCESS_TOKEN: 'two words' }
    const { code, stderr } = await run(['serve', '--port', '0', '--supabase'], { environment })
    expect([code, stderr]).toEqual([
      2,
      'logweir: LOGFLARE_PRIVATE_ACCESS_TOKEN holds white space or a non-ASCII character. Choose another.\n',
    ])
  })
})

describe('a token in the URL', () => {
  const key = `api_key=${encodeURIComponent(PRIVATE)}`

  it('opens the paths that accept records, unless a header has another', async () => {
    const service = shared()
    for (const path of INGEST_PATHS) {
      const statusOf = async (search: string, headers: Record<string, string> = {}) =>
        (await post(service, `${path}?source=edge_logs&${search}`, headers)).status
      expect([path, await statusOf(key), await statusOf(`api_key=${PUBLIC}`)]).toEqual([path, 200, 200])
      expect([await statusOf(`${key}&${key}`), await statusOf('api_key=wrong'), await statusOf('api_key=')]).toEqual([
        401, 401, 401,
      ])
      expect(await statusOf(key, { 'X-API-KEY': 'wrong' })).toBe(401)
      expect(await statusOf(key, { Authorization: 'Bearer wrong' })).toBe(401)
      expect(await statusOf('api_key=wrong', { Authorization: `Bearer ${PUBLIC}` })).toBe(200)
    }
  })

  it('opens nothing else', async () => {
    const service = shared()
    for (const path of [`${LOGS_ALL}?project=default&${key}`, `/api/endpoints?${key}`, `/metrics?${key}`]) {
      expect([path, (await fetch(service.url + path)).status]).toEqual([path, 401])
    }
    expect((await fetch(`${service.url}/api/tail?project=default&${key}`)).status).toBe(401)
  })
})

describe('an error', () => {
  it('nests message and code on every path but /v1/logs', async () => {
    const service = shared()
    const { url } = service
    const membersOf = async (response: Promise<Response>) => {
      const { status, body } = await readReply(response)
      const { error, ...others } = JSON.parse(body)
      return [status, typeof error === 'string' ? 'text' : Object.keys(error).join(), Object.keys(others).join()]
    }
    const nested = 'message,code'
    expect(await membersOf(fetch(`${url}${LOGS_ALL}?project=default`))).toEqual([401, nested, ''])
    expect(await membersOf(fetch(`${url}${LOGS_ALL}`, as(PRIVATE)))).toEqual([400, nested, ''])
    expect(await membersOf(fetch(`${url}${LOGS_ALL}?project=a&sql=x`, as(PRIVATE)))).toEqual([400, nested, ''])
    expect(await membersOf(fetch(`${url}/nothing`, as(PRIVATE)))).toEqual([404, nested, ''])
    expect(await membersOf(fetch(`${url}/api/endpoints`, as(PUBLIC)))).toEqual([403, nested, ''])
    expect(await membersOf(fetch(`${url}/logs`, as(PUBLIC)))).toEqual([405, nested, ''])
    expect(await membersOf(post(service, '/logs?source=nginx', { 'X-API-KEY': PUBLIC }))).toEqual([400, nested, ''])
    expect(await membersOf(post(service, '/logs', { 'X-API-KEY': PUBLIC }))).toEqual([400, nested, 'taken,rejected'])
    expect(await membersOf(post(service, '/v1/logs'))).toEqual([401, 'text', 'code,message'])
    const broken = await exchange(dialer(service), 'GET /health HTTP/1.1\r\nHost : a\r\n\r\n')
    expect(Object.keys(JSON.parse(bodyOf(broken)).error)).toEqual(['message', 'code'])
    const long = await exchange(dialer(service), `GET /?${'x'.repeat(70_000)} HTTP/1.1\r\nHost: a\r\n\r\n`)
    expect(Object.keys(JSON.parse(bodyOf(long)).error)).toEqual(['message', 'code'])
  })

  it('is read by our own command line', async () => {
    const service = shared()
    const environment = { LOGWEIR_URL: service.url, LOGWEIR_TOKEN: PUBLIC }
    const query = await run(['query', 'logs.all', '--project', 'default'], { environment })
    expect([query.code, query.stderr]).toEqual([
      1,
      `logweir: ${service.url}: The access token lacks the scope "query", which this address needs. ` +
        'Use one that has it. (forbidden)\n',
    ])
  })

  it('names an unknown source', async () => {
    const service = shared()
    const { status, body } = await readReply(post(service, '/api/logs?source_name=nginx.logs', { 'X-API-KEY': PUBLIC }))
    expect([status, JSON.parse(body).error]).toEqual([
      400,
      { message: expect.stringContaining('The URL names the source "nginx.logs", which'), code: 'unknown_source' },
    ])
  })
})

describe("Studio's page of log drains", () => {
  const headers = { Authorization: `Bearer ${PRIVATE}`, Accept: 'application/json', 'Content-Type': 'application/json' }
  const drains = '/api/backends?metadata%5Btype%5D=log-drain'
  const json = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(shared().url + path, { headers, ...init })
    return { status: response.status, body: (await response.json()) as unknown }
  }

  it('shows a name and a description that say why there are none', async () => {
    const { status, body } = await json(drains)
    // Studio shows an error message of its own unless the answer is a success with an array of objects.
    expect([status, body]).toEqual([200, [expect.objectContaining({ id: 0, type: 'none', config: {} })]])
    const [{ name, description }] = body as [{ name: string; description: string }]
    expect(name).toBe('logweir has no log drains')
    expect(description).toMatch(/^None can be made: it only stores logs\. .*volumes\/logs\/vector\.yml/)
    // The cells are as wide as this, and cut the rest.
    expect([name.length < 40, description.indexOf('.') < 55]).toEqual([true, true])
  })

  it('does not say that one was made: its server gives up without a list of sources', async () => {
    const made = await json('/api/backends', { method: 'POST', body: JSON.stringify({ name: 'a', type: 'webhook' }) })
    expect(made.status).toBe(405)
    const sources = await json('/api/sources')
    expect([sources.status, Array.isArray(sources.body)]).toEqual([404, false])
  })

  it('asks with the token that may query', async () => {
    expect((await fetch(shared().url + drains, as(PUBLIC))).status).toBe(403)
    expect((await fetch(shared().url + drains)).status).toBe(401)
  })
})

describe('the log', () => {
  /** A word in every query string below. */
  const SECRET = 'queried-secret'
  const search = `api_key=${encodeURIComponent(PRIVATE)}&api_key=${PUBLIC}&q=${SECRET}`
  const head = (line: string, ...headers: readonly string[]) =>
    `${[`${line} HTTP/1.1`, 'Host: a', ...headers, 'Connection: close'].join('\r\n')}\r\n\r\n`

  /** Requests that the parser refuses, or with an unusual target. */
  const RAW = [
    `GET /health?${search}`,
    head(`GET /logs?${search}`, 'X : a'),
    head(`GET http://a/logs?${search}`),
    head(`GET http://[/logs?${search}`),
    head(`GET //logs?${search}`),
    head(`GET logs?${search}`),
    head(`CONNECT a:1?${search}`),
    head(`POST /logs?${search}`, 'Transfer-Encoding: gurgle'),
    head(`POST /logs?${search}`, 'Content-Length: 5', 'Content-Length: 6'),
    head(`POST /logs?${search}&x=${'x'.repeat(70_000)}`),
    head(`POST /logs?${search}#${SECRET}`, 'Content-Length: 0'),
    head(`POST /logs?api_key=%zz%00%ff${SECRET}`, 'Content-Length: 0'),
  ]

  it.each(['text', 'json'])('never holds a token or a query string: %s', async (format) => {
    const service = await stack(BOTH, ['--log-format', format])
    const { url } = service
    for (const text of RAW) await exchange(dialer(service), text.endsWith('\r\n\r\n') ? text : `${text}\r\n\r\n`)
    for (const path of INGEST_PATHS) {
      const one = `${path}?api_key=${PUBLIC}&q=${SECRET}`
      for (const body of [undefined, '', '{', '[{"timestamp":"no time"}]', '\0']) {
        await post(service, `${one}&source=edge_logs`, {}, body)
        await post(service, `${one}&source=${SECRET}`, {}, body)
        await post(service, `${one}&source=edge_logs`, { 'Content-Encoding': 'gzip' }, body)
        await post(service, `${one}&time_field=${SECRET}&message_field=${SECRET}`, {}, body)
      }
      await post(service, `${path}?${search}`)
      await fetch(`${url}${path}?${search}`)
      await fetch(`${url}${path}?${search}`, { method: 'OPTIONS' })
    }
    for (const token of ['wrong', PUBLIC, PRIVATE]) {
      for (const name of ['logs.all', 'usage.api-counts', 'functions.invocation-stats', SECRET]) {
        const query = `/api/endpoints/query/${name}?project=${SECRET}&lql=${SECRET}&${search}`
        await fetch(url + query, as(token))
        await fetch(`${url}${query}&sql=${SECRET}`, as(token))
        await fetch(`${url}${query}&iso_timestamp_start=${SECRET}&project=(${SECRET}`, as(token))
      }
      for (const path of ['/api/backends', '/metrics', '/nothing', `/${SECRET}`]) {
        await fetch(`${url}${path}?${search}`, as(token))
      }
    }
    service.child.kill('SIGTERM')
    expect(await service.exit).toBe(0)
    const text = service.stderrText()
    expect(text).toMatch(/ignores the parameter .*lql/)
    for (const word of [PUBLIC, PRIVATE, encodeURIComponent(PRIVATE), SECRET, 'api_key', '?']) {
      expect(text).not.toContain(word)
    }
    expect(text).not.toMatch(/internal/)
  })
})

describe('without --supabase', () => {
  const NOT_FOUND =
    '{"error":"There is nothing at this address. GET /api/endpoints lists the endpoints.","code":"not_found"}'
  const UNAUTHORIZED =
    '{"error":"The access token is missing or wrong. Send it in the X-API-KEY header, or as Authorization: Bearer.",' +
    '"code":"unauthorized"}'

  it.each([
    ['nothing', []],
    ['SQL', ['--sql']],
  ])('answers are those of before, with %s', async (_, args) => {
    const environment = { ...BOTH, LOGFLARE_PRIVATE_ACCESS_TOKEN: 'two words', LOGFLARE_PUBLIC_ACCESS_TOKEN: PUBLIC }
    const service = await serve(args, { environment, stdin: 'ignore' })
    const { url } = service
    expect(await opened(service, PUBLIC, TOKEN)).toEqual([
      [401, 401],
      [200, 200],
    ])
    for (const path of ['/api/logs', '/logs']) {
      expect(await readReply(post(service, `${path}?source=edge_logs&api_key=${TOKEN}`))).toEqual({
        status: 401,
        body: UNAUTHORIZED,
      })
    }
    for (const path of ['/api/backends', '/api/sources', '/api/rules', '/nothing']) {
      expect(await readReply(fetch(url + path, as(TOKEN)))).toEqual({ status: 404, body: NOT_FOUND })
      expect(await readReply(fetch(url + path))).toEqual({ status: 401, body: UNAUTHORIZED })
    }
    expect(await readReply(post(service, '/logs', as(TOKEN).headers))).toEqual({
      status: 400,
      body:
        '{"error":"No record was accepted: missing_source 1. The rejects file lists them. ' +
        'Name their source in the URL, as ?source=edge_logs, or in each record. Correct them, and send them again.",' +
        '"code":"missing_source","taken":0,"rejected":[{"record":1,"reason":"missing_source"}]}',
    })
    const broken = await exchange(dialer(service), 'GET /health HTTP/1.1\r\nHost : a\r\n\r\n')
    expect(bodyOf(broken)).toBe(
      '{"error":"This is not a well-formed HTTP request. Correct the request.","code":"bad_request"}',
    )
    expect(service.stderrText().match(/LOGFLARE_\w+/g)).toEqual(Object.keys(BOTH))
    expect(service.stderrText()).not.toMatch(/two words|public-token/)
  })
})
