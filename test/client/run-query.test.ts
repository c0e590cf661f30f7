import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { RowsOut } from '../../src/client/output.js'
import { readQuery, runQuery } from '../../src/client/run-query.js'
import { ENDPOINTS } from '../../src/endpoints/index.js'
import { definitions } from '../../src/http/query/definitions.js'
import { fakeService, reply } from './fake-service.js'

const ROWS = [{ id: 'one', timestamp: 1_795_168_800_000_000, event_message: 'a\u001b[2Jb', metadata: {} }]
const LISTING = definitions(ENDPOINTS)

type Answer = (request: IncomingMessage, response: ServerResponse) => void
const rows: Answer = (_, response) => reply(response, { result: ROWS })

/** Starts a service that answers queries as the test specifies. */
const serviceWith = (answer: Answer, listing: string = LISTING) =>
  fakeService((request, response) => {
    if (request.url === '/api/endpoints') reply(response, listing)
    else answer(request, response)
  })

/** Runs `logweir query` and returns the output. */
async function query(url: string, line: string, terminal?: RowsOut['terminal'], environment = {}): Promise<string> {
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
      '/api/endpoints/query/logs.all?project=a%26b%3Dc&project_tier=PRO' +
        '&iso_timestamp_start=2026-11-20T10%3A00%3A00%2B02%3A00',
    ])
    expect(requests.map(({ headers }) => headers['x-api-key'])).toEqual(['open', 'open'])
    await query(`${url}/`, 'logs.all --project a --project b')
    expect(requests.at(-1)!.url).toBe('/api/endpoints/query/logs.all?project=a&project=b')
  })

  const TABLE = 'timestamp             event_message  id   metadata\n2026-11-20T10:00:00Z  a\\u001b[2Jb    one  {}\n'

  it('writes JSON into a pipe, and a table on a terminal', async () => {
    const { url, requests } = await serviceWith(rows)
    expect(JSON.parse(await query(url, 'logs.all --project a'))).toEqual({ result: ROWS })
    expect(await query(url, 'logs.all --project a', TERMINAL)).toBe(TABLE)
    expect(requests.at(-1)!.headers.accept).toBe('application/json')
  })

  it('writes times and integers that no double holds with all digits into a table', async () => {
    const { url } = await serviceWith((_, response) =>
      reply(response, '{"result":[{"timestamp":253402300799999999,"n":9007199254740993,"m":1795168800000001}]}'),
    )
    expect(await query(url, 'logs.all --project a', TERMINAL)).toBe(
      'timestamp                                   n                 m\n' +
        '9999-12-31T23:59:59.999999Z  9007199254740993  1795168800000001\n',
    )
  })

  const LINES = ['{"n":1.0,"t":"a\\nb\u001b🙂"}', '{"n":9007199254740993}', '{"n":95.61704687500001}']
  /** Sends the three rows as NDJSON, in chunks of some bytes. */
  const inChunks =
    (bytes: number): Answer =>
    (_, response) => {
      response.writeHead(200, { 'Content-Type': 'application/x-ndjson' })
      const body = Buffer.from(LINES.map((line) => `${line}\n`).join(''))
      for (let at = 0; at < body.length; at += bytes) response.write(body.subarray(at, at + bytes))
      response.end()
    }

  it.each([
    '',
    ' --format json',
  ])('writes a row a line inside the envelope, with every byte of it, by "%s"', async (flag) => {
    for (const bytes of [1, 2, 7, 1000]) {
      const { url, requests } = await serviceWith(inChunks(bytes))
      const text = `{"result":[\n${LINES.join(',\n')}\n]}\n`
      expect(await query(url, `logs.all --project a${flag}`)).toBe(text)
      expect(requests.at(-1)!.headers.accept).toBe('application/x-ndjson')
    }
    const { url } = await serviceWith(inChunks(1000))
    expect(await query(url, 'logs.all --project a --format json', TERMINAL)).toContain(',\n{"n":9007199254740993},\n')
  })

  it('writes an answer without rows as JSON', async () => {
    const { url } = await serviceWith((_, response) => reply(response, '', 'application/x-ndjson'))
    expect(await query(url, 'logs.all --project a')).toBe('{"result":[]}\n')
  })

  it('leaves the envelope open if the answer breaks off', async () => {
    const { url } = await serviceWith((_, response) => {
      response.writeHead(200, { 'Content-Type': 'application/x-ndjson', 'Content-Length': 100 })
      response.write('{"n":1}\n', () => response.destroy())
    })
    const written: string[] = []
    const config = readQuery(['logs.all', '--url', url], { LOGWEIR_TOKEN: 'open' }, () => {})
    const asking = runQuery(config, { write: async (piece) => void written.push(String(piece)), terminal: undefined })
    await expect(asking).rejects.toThrow('the answer broke off')
    expect(written.join('')).toBe('{"result":[\n{"n":1}')
  })

  it('shows the columns that are named, as a table everywhere', async () => {
    const { url } = await serviceWith(rows)
    const expected = 'event_message  timestamp\na\\u001b[2Jb    2026-11-20T10:00:00Z\n'
    for (const terminal of [TERMINAL, undefined]) {
      expect(await query(url, 'logs.all --project a --columns event_message,timestamp', terminal)).toBe(expected)
    }
    expect(await query(url, 'logs.all --project a --format table --columns id')).toBe('id\none\n')
    await expect(query(url, 'logs.all --project a --columns idd')).rejects.toThrow(
      '--columns: there is no column "idd". Did you mean id?',
    )
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
      `${url} answers with the media type application/json instead of text/csv. ` +
        'For an older service use --format json or table.',
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
    'foo',
    'localhost:4000',
    '127.0.0.1:4000',
    'ftp://127.0.0.1',
  ])('says what --url wants instead of %s', (url) => {
    expect(() => readQuery(['--url', url], {}, () => {})).toThrow(
      `--url: "${url}" is not the URL of a logweir service, such as http://127.0.0.1:4000, without name and password.`,
    )
  })

  it.each([
    ['logs.al', 'unknown endpoint "logs.al". Did you mean logs.all?'],
    ['nope', `unknown endpoint "nope". There are: ${ENDPOINTS.map(({ name }) => name).join(', ')}.`],
    ['logs.all --projct a', 'unknown flag --projct. Did you mean --project?'],
    ['logs.all --fromat csv', 'unknown flag --fromat. Did you mean --format?'],
    [
      'logs.all --interval 1day',
      'unknown flag --interval. The parameters of logs.all are --project, --project-tier, ' +
        '--iso-timestamp-start, --iso-timestamp-end.',
    ],
    ['logs.all --project', '--project needs a value: --project VALUE.'],
    ['logs.all extra', 'unexpected argument "extra". Try: logweir query --help'],
    ['--project a', 'which endpoint? logweir query ENDPOINT --project …; logweir query lists them.'],
    ['logs.all -p a', 'unknown flag -p. Try: logweir --help'],
    ['logs.all --format xml', '--format: "xml" is not one of table, json, ndjson, csv.'],
    ['logs.all --token a', /^unknown flag --token. /],
    ['logs.all --columns', '--columns needs a value: --columns VALUE.'],
    ['logs.all --columns id,,id', /^--columns: "id,,id" is not a comma-separated list/],
    ...['json', 'ndjson', 'csv'].map((format): [string, string] => [
      `logs.all --columns id --format ${format}`,
      `--columns is for tables, not for --format ${format}. Leave out one of the two.`,
    ]),
  ])('refuses "%s"', async (line, message) => {
    const { url } = await serviceWith(rows)
    const refused = query(url, line)
    await expect(refused).rejects.toThrow(message)
    await expect(refused).rejects.toMatchObject({ code: 'usage' })
  })

  const failures: [string, Answer, RegExp | string][] = [
    [
      'an error of the service',
      (_, response) => reply(response, { error: 'No\u001b[2J. Correct it.', code: 'invalid_x' }, undefined, 400),
      /: No\\u001b\[2J\. Correct it\. \(invalid_x\)$/,
    ],
    [
      'an error of the service, in the other form',
      (_, response) => reply(response, { error: { message: 'No.\n', code: 'invalid_x' } }, undefined, 400),
      /^http:\S+: No\.\\n \(invalid_x\)$/,
    ],
    [
      'an error without a code',
      (_, response) => reply(response, { error: { message: 'No.' } }, undefined, 400),
      / answers with status 400\. /,
    ],
    [
      'an error that is null',
      (_, response) => reply(response, { error: null, code: 'invalid_x' }, undefined, 400),
      / answers with status 400\. /,
    ],
    [
      'a token that is none of its own',
      (_, response) => reply(response, { error: 'No.', code: 'unauthorized' }, undefined, 401),
      /^http:\S+ does not know the token of LOGWEIR_TOKEN \(unauthorized\)\. Put one of its tokens there\.$/,
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
      /^cannot reach a service at http:.*: .*\. Start one with logweir serve, or name its address with --url\.$/,
    ],
    ['what is no JSON', (_, response) => reply(response, 'rows'), 'the answer is not JSON.'],
  ]
  it('knows a wrong token by the status, in either form of the error', async () => {
    const { url } = await serviceWith((_, response) =>
      reply(response, { error: { message: 'No.', code: 'unauthorized' } }, undefined, 401),
    )
    await expect(query(url, 'logs.all --project a')).rejects.toThrow('does not know the token of LOGWEIR_TOKEN')
  })

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

  const refusing: Answer = (_, response) => reply(response, { error: 'No.', code: 'unauthorized' }, undefined, 401)

  it('is named as the wrong one if the service has another, with the way to give that', async () => {
    const { url } = await fakeService(refusing)
    const folder = dataDir('stale')
    const refused = query(url, 'logs.all', undefined, { LOGWEIR_TOKEN: undefined, LOGWEIR_DATA_DIR: folder })
    await expect(refused).rejects.toThrow(
      `${url} does not know the token in ${join(folder, 'token')} (unauthorized). ` +
        `That file belongs to a service with --data-dir ${folder}. ` +
        'Put a token of this one into the variable LOGWEIR_TOKEN: ' +
        'with --in-memory it is the token that serve printed, as in export LOGWEIR_TOKEN=….',
    )
    await expect(refused).rejects.not.toThrow('stale')
  })

  it('is named by its place in a file of settings', async () => {
    const { url } = await fakeService(refusing)
    const path = join(dataDir(), 'logweir.toml')
    writeFileSync(path, '\ntoken = "stale"\n', { mode: 0o600 })
    const refused = query(url, `logs.all --config ${path}`, undefined, { LOGWEIR_TOKEN: undefined })
    await expect(refused).rejects.toThrow(
      `${url} does not know the token of ${path} line 2 (unauthorized). Put one of its tokens there.`,
    )
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
      /^LOGWEIR_TOKEN holds white space or a non-ASCII character, which no token does\.$/,
    )
  })

  it('is asked for where there is none', async () => {
    const folder = dataDir()
    await expect(
      query('http://localhost:4000', 'logs.all', undefined, { LOGWEIR_DATA_DIR: folder, LOGWEIR_TOKEN: undefined }),
    ).rejects.toThrow(
      `no access token: none is stored in ${folder}. Put one into the variable LOGWEIR_TOKEN: ` +
        'with --in-memory it is the token that serve printed, as in export LOGWEIR_TOKEN=…; ' +
        "or name the service's --data-dir.",
    )
  })
})
