import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type QueryOut, readQuery, runQuery } from '../../src/client/query.js'
import { ENDPOINTS } from '../../src/endpoints/index.js'
import { definitions } from '../../src/http/definitions.js'
import { fakeService, reply } from './fake-service.js'

const ROWS = [{ id: 'one', timestamp: 1_795_168_800_000_000, event_message: 'a\u001b[2Jb', metadata: {} }]
const LISTING = definitions(ENDPOINTS)

type Answer = (request: IncomingMessage, response: ServerResponse) => void
const rows: Answer = (_, response) => reply(response, { result: ROWS })

/** A service whose queries are answered as the test says. */
const serviceWith = (answer: Answer, listing: string = LISTING) =>
  fakeService((request, response) => {
    if (request.url === '/api/endpoints') reply(response, listing)
    else answer(request, response)
  })

/** Runs `logweir query` and gives what it wrote. */
async function query(url: string, line: string, terminal?: QueryOut['terminal'], environment = {}): Promise<string> {
  const args = [...line.split(' ').filter(Boolean), '--url', url]
  const config = readQuery(args, { LOGWEIR_TOKEN: 'open', ...environment }, () => {})
  const written: Buffer[] = []
  await runQuery(config, { write: async (piece) => void written.push(Buffer.from(piece as string)), terminal })
  return Buffer.concat(written).toString()
}

const TERMINAL = { columns: 80, isPlain: true }

describe('logweir query', () => {
  it('asks with the token and the parameters, however they are spelled', async () => {
    const { url, requests } = await serviceWith(rows)
    await query(url, 'logs.all --project a&b=c --project_tier PRO --iso-timestamp-start=2026-11-20T10:00:00+02:00')
    expect(requests.map((request) => request.url)).toEqual([
      '/api/endpoints',
      '/api/endpoints/query/logs.all?project=a%26b%3Dc&project_tier=PRO&iso_timestamp_start=2026-11-20T10%3A00%3A00%2B02%3A00',
    ])
    expect(requests.map(({ headers }) => headers['x-api-key'])).toEqual(['open', 'open'])
    await query(`${url}/`, 'logs.all --project a --project b')
    expect(requests.at(-1)!.url).toBe('/api/endpoints/query/logs.all?project=a&project=b')
  })

  it('writes JSON into a pipe as it came, and a table on a terminal', async () => {
    const { url, requests } = await serviceWith(rows)
    expect(await query(url, 'logs.all --project a')).toBe(`${JSON.stringify({ result: ROWS })}\n`)
    expect(await query(url, 'logs.all --project a', TERMINAL)).toBe(
      'id   timestamp             event_message  metadata\none  2026-11-20T10:00:00Z  a\\u001b[2Jb    {}\n',
    )
    expect(requests.at(-1)!.headers.accept).toBe('application/json')
  })

  it.each([
    ['ndjson', 'application/x-ndjson', '{"id":"one"}\n'],
    ['csv', 'text/csv; charset=utf-8; header=present', 'id,event_message\r\none,"a\u001b[2J"\r\n'],
  ])('asks for %s, and passes it on byte for byte, but not to a terminal', async (format, type, body) => {
    const { url, requests } = await serviceWith((_, response) => reply(response, body, type))
    expect(await query(url, `logs.all --project a --format ${format}`)).toBe(body)
    expect(requests.at(-1)!.headers.accept).toBe(type.split(';')[0])
    const shown = await query(url, `logs.all --project a --format ${format}`, TERMINAL)
    expect(shown).toBe(body.replaceAll('\r', '').replaceAll('\u001b', '\\u001b'))
  })

  it('says so where the service does not speak a format', async () => {
    const { url } = await serviceWith(rows)
    await expect(query(url, 'logs.all --project a --format csv')).rejects.toThrow(
      `${url} does not answer as text/csv, but as application/json. Ask an older service with --format json or table.`,
    )
  })

  it('lists the endpoints and their parameters where none is named', async () => {
    const { url } = await serviceWith(rows)
    const text = await query(url, '')
    for (const { name, params } of ENDPOINTS) {
      expect(text).toContain(`${name}\n`)
      for (const param of Object.keys(params)) expect(text).toContain(`  --${param.replaceAll('_', '-')} `)
    }
  })

  it.each([
    ['logs.al', 'unknown endpoint "logs.al". Did you mean logs.all?'],
    ['nope', 'unknown endpoint "nope". There are: logs.all, functions.invocation-stats, usage.api-counts.'],
    ['logs.all --projct a', 'unknown flag --projct. Did you mean --project?'],
    ['logs.all --fromat csv', 'unknown flag --fromat. Did you mean --format?'],
    [
      'logs.all --interval 1day',
      'unknown flag --interval. The parameters of logs.all are --project, --project-tier, --iso-timestamp-start, --iso-timestamp-end.',
    ],
    ['logs.all --project', '--project needs a value: --project VALUE.'],
    ['logs.all extra', 'unexpected argument "extra". Try: logweir query --help'],
    ['--project a', 'which endpoint? logweir query ENDPOINT --project …; logweir query lists them.'],
    ['logs.all -p a', 'unknown flag -p. Try: logweir --help'],
    ['logs.all --format xml', '--format: "xml" is not one of table, json, ndjson, csv.'],
    ['logs.all --token a', /^unknown flag --token. /],
  ])('refuses "%s"', async (line, message) => {
    const { url } = await serviceWith(rows)
    const refused = query(url, line)
    await expect(refused).rejects.toThrow(message)
    await expect(refused).rejects.toMatchObject({ code: 'usage' })
  })

  const failures: [string, Answer, RegExp | string][] = [
    [
      'an error of the service',
      (_, response) => reply(response, { error: 'No\u001b[2J. Mend it.', code: 'invalid_x' }, undefined, 400),
      /: No\\u001b\[2J\. Mend it\. \(invalid_x\)$/,
    ],
    [
      'a token that is none of its own',
      (_, response) => reply(response, { error: 'No.', code: 'unauthorized' }, undefined, 401),
      /: No\. \(unauthorized\) The token of LOGWEIR_TOKEN, or else of --data-dir, is not one of its tokens\.$/,
    ],
    [
      'what is no logweir',
      (_, response) => reply(response, '<html>', 'text/html', 404),
      / answers with status 404\. Is a logweir service there\?$/,
    ],
    [
      'one that sends elsewhere',
      (_, response) => void response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end(),
      / answers with status 302\. /,
    ],
    [
      'an endless error',
      (_, response) => reply(response, 'x'.repeat(1e6), 'text/plain', 500),
      / answers with status 500\. /,
    ],
    [
      'an answer that breaks off',
      (_, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 100 })
        response.write('{"result":[', () => response.destroy())
      },
      /^the answer broke off: /,
    ],
    [
      'one that hangs up',
      (_, response) => void response.destroy(),
      /^cannot reach a service at http:.*: (UND_ERR_SOCKET|ECONNRESET|.*)\. Start one with logweir serve, or name its address with --url\.$/,
    ],
    ['what is no JSON', (_, response) => reply(response, 'rows'), 'the answer is not JSON.'],
  ]
  it.each(failures)('tells of %s, as a failure', async (_, answer, message) => {
    const { url } = await serviceWith(answer)
    const failed = query(url, 'logs.all --project a', TERMINAL)
    await expect(failed).rejects.toThrow(message)
    await expect(failed).rejects.toMatchObject({ code: 'service' })
  })

  it('tells where nobody listens, and of a listing that is none', async () => {
    await expect(query('http://127.0.0.1:1', 'logs.all')).rejects.toThrow(
      /^cannot reach a service at http:\/\/127\.0\.0\.1:1: /,
    )
    const { url } = await serviceWith(rows, '[]')
    await expect(query(url, 'logs.all')).rejects.toThrow(`${url} lists no endpoints. Is a logweir service there?`)
  })
})

describe('the token of a service on this machine', () => {
  function dataDir(token?: string): string {
    const folder = mkdtempSync(join(tmpdir(), 'logweir-token-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    if (token !== undefined) writeFileSync(join(folder, 'token'), `${token}\n`, { mode: 0o600 })
    return folder
  }

  it('is found in its data directory, and is weaker than the variable', async () => {
    const { url, requests } = await serviceWith(rows)
    const where = { LOGWEIR_DATA_DIR: dataDir('kept') }
    await query(url, 'logs.all --project a', undefined, { LOGWEIR_TOKEN: undefined, ...where })
    await query(url, 'logs.all --project a', undefined, { LOGWEIR_TOKEN: 'said', ...where })
    expect(requests.map(({ headers }) => headers['x-api-key'])).toEqual(['kept', 'kept', 'said', 'said'])
  })

  it.each(['said\r\n', ' said ', '"said"', '\ufeffsaid'])('is read from a variable of %j', async (text) => {
    const { url, requests } = await serviceWith(rows)
    await query(url, 'logs.all --project a', undefined, { LOGWEIR_TOKEN: text })
    expect(requests.map(({ headers }) => headers['x-api-key'])).toEqual(['said', 'said'])
  })

  it('is sent to no other machine', async () => {
    const where = { LOGWEIR_DATA_DIR: dataDir('kept'), LOGWEIR_TOKEN: undefined }
    for (const url of ['http://logs.example', 'https://127.0.0.1.example', 'http://localhost.example:4000']) {
      await expect(query(url, 'logs.all', undefined, where)).rejects.toThrow(
        `no access token for ${url}. Put one into the variable LOGWEIR_TOKEN.`,
      )
    }
  })

  it('is refused where no header can carry it, without being told', async () => {
    await expect(query('http://localhost:4000', 'logs.all', undefined, { LOGWEIR_TOKEN: 'hu\nsh' })).rejects.toThrow(
      /^LOGWEIR_TOKEN holds white space or a character beyond ASCII, as no token does\.$/,
    )
  })

  it('is asked for where there is none', async () => {
    const folder = dataDir()
    await expect(
      query('http://localhost:4000', 'logs.all', undefined, { LOGWEIR_DATA_DIR: folder, LOGWEIR_TOKEN: undefined }),
    ).rejects.toThrow(
      `no access token: none is kept in ${folder}. Put one into the variable LOGWEIR_TOKEN, or name the service's --data-dir.`,
    )
  })
})
