import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ENDPOINTS, endpointsOf } from '../../src/endpoints/index.js'
import { faultOf } from '../../src/http/intake/logs.js'
import { UPLOAD_LIMITS } from '../../src/http/intake/upload.js'
import { TOKEN_CODES } from '../../src/http/openapi/answers.js'
import { openApi } from '../../src/http/openapi/document.js'
import { COMMON_HEADERS } from '../../src/http/reply/cors.js'
import { HTTP_STATUSES, httpStatusOf } from '../../src/http/reply/errors.js'
import { DOCUMENTS, documentAt, ROOT, tablesOf, wordsIn } from './documents.js'

/** The codes that a caller can receive. No caller receives `abandoned`, because the client has disconnected. */
const CODES = [...HTTP_STATUSES.keys(), 'internal'].filter((code) => code !== 'abandoned')

interface ErrorSchema {
  allOf?: { properties?: { code: { enum: string[] } } }[]
}

/** Errors of requests that may have SQL have two forms. */
interface Answer {
  content?: { 'application/json'?: { schema: ErrorSchema & { anyOf?: [flat: ErrorSchema, nested: object] } } }
}

/** An endpoint of a user, with a parameter that declares no error codes. */
const OWN = {
  ...ENDPOINTS[0]!,
  name: 'own.one',
  params: { ...ENDPOINTS[0]!.params, own: { required: false, description: 'a parameter', read: () => 1 } },
}
const { paths }: { paths: Record<string, Record<string, { responses: Record<string, Answer> }>> } = JSON.parse(
  openApi([...endpointsOf({ loadCompiler: () => Promise.reject() }), OWN], '1.2.3', 0),
)

/** Every failure in the OpenAPI document: path, status and code. */
const FAILURES = Object.entries(paths).flatMap(([path, operations]) =>
  Object.values(operations).flatMap(({ responses }) =>
    Object.entries(responses).flatMap(([status, { content }]) => {
      const schema = content?.['application/json']?.schema
      const [, { properties } = {}] = (schema?.anyOf?.[0] ?? schema)?.allOf ?? []
      return (properties?.code.enum ?? []).map((code) => ({ path, status: Number(status), code }))
    }),
  ),
)
const OPERATIONS = Object.values(paths).flatMap((operations) => Object.values(operations))
const STATUSES = [
  ...new Set([
    ...OPERATIONS.flatMap(({ responses }) => Object.keys(responses).map(Number)),
    ...CODES.map((code) => httpStatusOf(code).status),
  ]),
].sort()

const statusesIn = (cell: string) => [...cell.matchAll(/\b[1-5]\d\d\b/g)].map(([status]) => Number(status))

/** The rows of all tables of answers: page, statuses and codes. */
const ROWS = DOCUMENTS.flatMap((document) =>
  tablesOf(document)
    .filter(({ heads }) => /^(answer|status)$/.test(heads[0]!))
    .flatMap(({ heads, rows }) =>
      rows.map((cells) => ({
        document: document.path,
        statuses: statusesIn(cells[0]!),
        codes: heads[1] === 'code' ? wordsIn(cells[1]!) : [],
      })),
    ),
)

describe('tables of answers', () => {
  it('have statuses that the service gives', () => {
    expect(ROWS.length).toBeGreaterThan(30)
    expect(ROWS.filter(({ statuses }) => statuses.length === 0)).toEqual([])
    expect(ROWS.filter(({ statuses }) => statuses.some((status) => !STATUSES.includes(status)))).toEqual([])
  })

  it('have codes that come with these', () => {
    const pairs = ROWS.flatMap(({ document, statuses, codes }) => codes.map((code) => ({ document, code, statuses })))
    expect(pairs.length).toBeGreaterThan(40)
    expect(pairs.filter(({ code }) => !CODES.includes(code))).toEqual([])
    expect(pairs.filter(({ code, statuses }) => !statuses.includes(httpStatusOf(code).status))).toEqual([])
  })

  it('tell in docs/api.md every code, once', () => {
    const documented = ROWS.filter(({ document }) => document === 'docs/api.md').flatMap(({ codes }) => codes)
    expect(documented.sort()).toEqual([...CODES].sort())
  })
})

describe('the OpenAPI document', () => {
  /** Codes of requests to unknown paths, and of malformed requests. */
  const CODES_WITHOUT_PATH = ['not_found', 'method_not_allowed', 'bad_request', 'headers_too_large', 'request_timeout']

  it('has every code, with its status', () => {
    expect(FAILURES.length).toBeGreaterThan(60)
    expect(FAILURES.filter(({ code, status }) => httpStatusOf(code).status !== status)).toEqual([])
    const named = new Set([...CODES_WITHOUT_PATH, ...FAILURES.map(({ code }) => code)])
    expect(CODES.filter((code) => !named.has(code))).toEqual([])
    expect([...named].filter((code) => !CODES.includes(code))).toEqual([])
  })

  const codesIn = (document: string) =>
    ROWS.filter((row) => row.document === document).flatMap(({ codes, statuses }) =>
      codes.map((code) => `${statuses} ${code}`),
    )
  const isOfToken = (code: string) => TOKEN_CODES.some((other) => other === code)

  it.each([
    ['docs/shipping.md', '/api/logs', (code: string) => !isOfToken(code)],
    ['docs/tokens.md', '/api/logs', (code: string) => isOfToken(code) && code !== 'starting'],
  ])('has no code that the table of %s lacks', (document, path, isDocumentedThere) => {
    const documented = codesIn(document)
    const named = FAILURES.filter((one) => one.path === path && isDocumentedThere(one.code))
    expect(named.length).toBeGreaterThan(2)
    expect(named.map(({ status, code }) => `${status} ${code}`).filter((one) => !documented.includes(one))).toEqual([])
  })

  it('has no status of /v1/logs that the table of docs/otlp.md lacks', () => {
    const documented = ROWS.filter(({ document }) => document === 'docs/otlp.md').flatMap(({ statuses }) => statuses)
    const statuses = Object.keys(paths['/v1/logs']!.post!.responses).map(Number)
    expect(statuses.filter((status) => !documented.includes(status))).toEqual([])
  })
})

/** The codes of all `LogweirError`s that a folder of src creates. */
const codesCreatedIn = (folder: string): string[] =>
  readdirSync(join(ROOT, 'src', folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => [
      ...readFileSync(join(ROOT, 'src', folder, name), 'utf8').matchAll(/new LogweirError\(\s*'(\w+)'/g),
    ])
    .map(([, code]) => code!)

/** Codes that are not in a response: errors of the start, and the last event of a live tail. */
const NOT_ANSWERED = ['cannot_listen', 'slow_reader']

it('code that answers requests makes no error of a code without a status', () => {
  const folders = ['http', 'endpoints', 'otlp', 'plan', 'engine/execute', 'engine/clickhouse']
  const thrown = folders.flatMap(codesCreatedIn)
  expect(thrown.length).toBeGreaterThan(30)
  const unknown = thrown.filter((code) => code !== 'internal' && !HTTP_STATUSES.has(code))
  expect(unknown.sort()).toEqual(NOT_ANSWERED)
})

describe('what the pages say of records', () => {
  const meaningIn = (document: string, code: string) =>
    tablesOf(documentAt(document)!)
      .flatMap(({ rows }) => rows)
      .find((cells) => wordsIn(cells[1] ?? '').includes(code))!
      .at(-1)

  it('is `invalid_records`, for one reason or several', () => {
    expect(faultOf({ too_old: 2 }).code).toBe('invalid_records')
    expect(faultOf({ too_old: 2, invalid_json: 1 }).code).toBe('invalid_records')
    expect(meaningIn('docs/shipping.md', 'invalid_records')).toContain('for one reason or several')
  })

  it.each([
    'docs/api.md',
    'docs/shipping.md',
    'docs/otlp.md',
    'docs/logflare.md',
    'SECURITY.md',
    'deploy/vector.yaml',
  ])('is the size of a body, in MiB: %s', (path) => {
    const sizes = readFileSync(join(ROOT, path), 'utf8').match(/\b12 (MB|MiB)(?! of)/g)
    const size = `${UPLOAD_LIMITS.bodyBytes / 1024 / 1024} MiB`
    expect(new Set(sizes)).toEqual(new Set([size]))
  })
})

it('docs/api.md names the headers that a page of another origin can read', () => {
  const [, exposed] = /Access-Control-Expose-Headers: ([^`]*)`/.exec(documentAt('docs/api.md')!.text) ?? []
  expect(exposed).toBe(COMMON_HEADERS['Access-Control-Expose-Headers'])
})

it('docs/api.md names every status', () => {
  expect(STATUSES.length).toBeGreaterThan(12)
  const named = statusesIn(documentAt('docs/api.md')!.prose)
  expect(STATUSES.filter((status) => status !== 200 && !named.includes(status))).toEqual([])
})

/** Matches a status in a sentence and the codes right after the status, such as 503 (`a` or `b`). */
const STATUS_WITH_CODES = /\b([45]\d\d)\b([^.;|`\d]{0,30}`[a-z_]+`(?: or `[a-z_]+`)?)/g

it('a code that a sentence names comes with the status before it', () => {
  const said = DOCUMENTS.flatMap(({ path, prose }) =>
    [...prose.matchAll(STATUS_WITH_CODES)].flatMap(([, status, rest]) =>
      wordsIn(rest!).map((code) => ({ path, status: Number(status), code })),
    ),
  )
  expect(said.length).toBeGreaterThan(10)
  expect(said.filter(({ code, status }) => !CODES.includes(code) || httpStatusOf(code).status !== status)).toEqual([])
})
