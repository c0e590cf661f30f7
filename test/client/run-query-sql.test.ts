import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { RowsOut } from '../../src/client/output.js'
import { readQuery, runQuery } from '../../src/client/run-query.js'
import { fakeService, reply } from './fake-service.js'

/** The listing of a service, of which `logs.all` runs SQL or not. */
const listing = (sandboxing: boolean | null) => {
  const names = ['project', 'iso_timestamp_start', ...(sandboxing ? ['sql'] : [])]
  const parameters = names.map((name) => ({ name, required: false, description: '' }))
  const own = { name: 'own.errors', sandboxing: false, parameters: [parameters[0]] }
  return { result: [{ name: 'logs.all', sandboxing, parameters }, own] }
}

interface Answer {
  body: unknown
  type?: string
  status?: number
}

/** Starts a service that answers all queries alike. */
const serviceWith = ({ body, type, status }: Answer, sandboxing: boolean | null = true) =>
  fakeService((request, response) => {
    if (request.url === '/api/endpoints') reply(response, listing(sandboxing))
    else reply(response, body, type, status)
  })

const read = (url: string, args: readonly string[]) =>
  readQuery([...args, '--url', url], { LOGWEIR_TOKEN: 'open' }, () => {})

/** Runs `logweir query` and returns the output. */
async function query(url: string, args: readonly string[], out: Partial<RowsOut> = {}): Promise<string> {
  const written: Buffer[] = []
  const write = async (piece: string | Uint8Array) => void written.push(Buffer.from(piece as string))
  await runQuery(read(url, args), { write, terminal: undefined, ...out })
  return Buffer.concat(written).toString()
}

const ROWS = { body: { result: [{ f0_: 12 }] } }
const SQL = "select count(*)\nfrom edge_logs where a = '&'"

function temporaryFile(content: string | Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), 'logweir-sql-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'query.sql')
  writeFileSync(path, content)
  return path
}

/** The parameters of the last request. */
const asked = ({ requests }: { requests: readonly { url?: string | undefined }[] }) => {
  const { pathname, searchParams } = new URL(requests.at(-1)!.url!, 'http://a')
  return { pathname, ...Object.fromEntries(searchParams) }
}

describe('logweir query --sql', () => {
  it('sends a text that is too long for a URL by POST', async () => {
    const bodies: string[] = []
    const service = await fakeService(async (request, response) => {
      if (request.url === '/api/endpoints') return reply(response, listing(true))
      let body = ''
      for await (const chunk of request) body += chunk
      bodies.push(body)
      reply(response, ROWS.body)
    })
    for (const [length, method] of [
      [3_000, 'GET'],
      [5_000, 'POST'],
      [200_000, 'POST'],
    ] as const) {
      const sql = `select 1 -- ${'é'.repeat(length / 6)}`
      await query(service.url, ['--project', 'a', '--sql', sql, '--format', 'table'])
      const last = service.requests.at(-1)!
      expect(last.method).toBe(method)
      if (method === 'GET') continue
      expect([last.url, last.headers['x-api-key']]).toEqual(['/api/endpoints/query/logs.all', 'open'])
      expect(last.headers['content-type']).toBe('application/x-www-form-urlencoded')
      expect(Object.fromEntries(new URLSearchParams(bodies.at(-1)))).toEqual({ project: 'a', sql })
    }
  })

  it('asks logs.all with the text and the other parameters', async () => {
    const service = await serviceWith(ROWS)
    const start = ['--iso-timestamp-start', '2026-11-20T10:00:00Z']
    expect(JSON.parse(await query(service.url, ['--sql', SQL, '--project', 'a', ...start]))).toEqual(ROWS.body)
    const expected = {
      pathname: '/api/endpoints/query/logs.all',
      project: 'a',
      iso_timestamp_start: '2026-11-20T10:00:00Z',
      sql: SQL,
    }
    expect(asked(service)).toEqual(expected)
    await query(service.url, ['logs.all', `--sql=${SQL}`, '--project', 'a', ...start])
    expect(asked(service)).toEqual(expected)
  })

  it.each([
    ['UTF-8', Buffer.from(SQL)],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${SQL}`)],
    ['UTF-16', Buffer.from(`\ufeff${SQL}`, 'utf16le')],
  ])('reads the text from a file in %s', async (_, bytes) => {
    const service = await serviceWith(ROWS)
    await query(service.url, ['--sql-file', temporaryFile(bytes), '--project', 'a'])
    expect(asked(service)).toMatchObject({ project: 'a', sql: SQL })
  })

  it('has all formats', async () => {
    const csv = await serviceWith({ body: 'f0_\r\n12\r\n', type: 'text/csv' })
    expect(await query(csv.url, ['--sql', SQL, '--format', 'csv'])).toBe('f0_\r\n12\r\n')
    const ndjson = await serviceWith({ body: '{"f0_":12}\n', type: 'application/x-ndjson' })
    expect(await query(ndjson.url, ['--sql', SQL, '--format', 'ndjson'])).toBe('{"f0_":12}\n')
    expect(await query(ndjson.url, ['--sql', SQL])).toBe('{"result":[\n{"f0_":12}\n]}\n')
    const json = await serviceWith(ROWS)
    expect(await query(json.url, ['--sql', SQL], { terminal: { columns: 80, isPlain: true } })).toBe('f0_\n 12\n')
    expect(await query(json.url, ['--sql', SQL, '--columns', 'f0_'])).toBe('f0_\n 12\n')
  })

  it.each([[false], [null]])('fails if the service runs no SQL: sandboxing %s', async (sandboxing) => {
    const { url, requests } = await serviceWith(ROWS, sandboxing)
    const failed = query(url, ['--sql', SQL, '--project', 'a'])
    await expect(failed).rejects.toThrow(
      `the service at ${url} does not run SQL. Start it with --sql (LOGWEIR_SQL=true).`,
    )
    await expect(failed).rejects.toMatchObject({ code: 'failed' })
    expect(requests).toHaveLength(1)
  })

  const wrong = (error: unknown) => ({ body: error, status: 400 })
  const MESSAGE = 'There is no function "cout". Did you mean count? (line 2, column 3)'
  const TEXT = 'select id,\n  cout(*)'

  it.each([
    ['flat', wrong({ error: MESSAGE, code: 'invalid_sql' })],
    ['nested', wrong({ error: { message: MESSAGE, code: 'invalid_sql' } })],
  ])('shows the place of an error of the %s form', async (_, answer) => {
    const { url } = await serviceWith(answer)
    for (const format of ['json', 'table', 'csv']) {
      const failed = query(url, ['--sql', TEXT, '--project', 'a', '--format', format])
      await expect(failed).rejects.toThrow(`${url}: ${MESSAGE} (invalid_sql)\n  cout(*)\n  ^`)
      await expect(failed).rejects.toMatchObject({ code: 'service', status: 400 })
    }
  })

  it.each([
    ['["No row has the field größe.","Two."]', ['No row has the field größe.', 'Two.']],
    ['', []],
    ['no JSON', []],
  ])('prints the warnings of the answer apart from the rows: %s', async (header, expected) => {
    const { url } = await fakeService((request, response) => {
      if (request.url === '/api/endpoints') return reply(response, listing(true))
      response.setHeader('Logweir-Warnings', header.replaceAll('ö', '\\u00f6').replaceAll('ß', '\\u00df'))
      reply(response, ROWS.body)
    })
    for (const format of ['json', 'table']) {
      const warnings: string[] = []
      const warn = (text: string) => void warnings.push(text)
      expect(await query(url, ['--sql', SQL, '--format', format], { warn })).toContain('12')
      expect(warnings).toEqual(expected)
    }
  })

  it('cuts the line of an error to the terminal', async () => {
    const error = { message: 'No. (line 1, column 8)', code: 'invalid_sql' }
    const { url } = await serviceWith(wrong({ error }))
    const failed = query(url, ['--sql', `select x${' '.repeat(40)}`], { errorColumns: 20 })
    await expect(failed).rejects.toThrow(`(invalid_sql)\nselect x           …\n       ^`)
  })

  it('shows an error without a place on one line', async () => {
    const { url } = await serviceWith(wrong({ error: 'No. Stop.', code: 'too_much_memory' }))
    await expect(query(url, ['--sql', TEXT])).rejects.toThrow(
      expect.objectContaining({ message: `${url}: No. Stop. (too_much_memory)` }),
    )
  })

  it.each([
    [['--sql', 'select 1', '--sql-file', 'a.sql'], '--sql and --sql-file are both given. Give one.', 'usage'],
    [['--sql', ' \n'], '--sql is empty. Write a query: select …', 'usage'],
    [['--sql='], '--sql: "" is not a text of at least one character.', 'usage'],
    [['--sql', '--project', 'a'], '--sql needs a value: --sql VALUE.', 'usage'],
    [
      ['own.errors', '--sql', 'select 1'],
      '--sql is for logs.all, and not a parameter of own.errors. Leave out own.errors.',
      'usage',
    ],
    [['--sql', 'select 1', '--projct', 'a'], 'unknown flag --projct. Did you mean --project?', 'usage'],
    [['--sql', 'select 1', '--format', 'csv', '--columns', 'a'], /^--columns is for tables/, 'usage'],
    [['--sql-file', '/nowhere/a.sql'], /^cannot read the SQL in \/nowhere\/a\.sql: ENOENT/, 'failed'],
    [['--sql-file', '/nowhere/\0'], /^cannot read the SQL in /, 'usage'],
  ])('refuses %j', async (args, message, code) => {
    const { url } = await serviceWith(ROWS)
    const refused = (async () => query(url, args))()
    await expect(refused).rejects.toThrow(message)
    await expect(refused).rejects.toMatchObject({ code })
  })

  it('refuses an empty file', () => {
    const path = temporaryFile('\n')
    expect(() => read('http://a', ['--sql-file', path])).toThrow(`${path} is empty. Write a query: select …`)
  })
})
