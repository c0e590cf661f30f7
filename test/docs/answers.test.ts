import { describe, expect, it } from 'vitest'
import { ENDPOINTS } from '../../src/endpoints/index.js'
import { MEANINGS, meaningOf } from '../../src/http/errors.js'
import { openApi } from '../../src/http/openapi/document.js'
import { DOCUMENTS, documentAt, tablesOf, wordsIn } from './documents.js'

/** The codes that a caller may get: nobody reads the answer to one that has left. */
const CODES = [...MEANINGS.keys(), 'internal'].filter((code) => code !== 'abandoned')

const { paths }: { paths: Record<string, Record<string, { responses: object }>> } = JSON.parse(
  openApi(ENDPOINTS, '1.2.3', 0),
)
const OPERATIONS = Object.values(paths).flatMap((operations) => Object.values(operations))
const STATUSES = [
  ...new Set([
    ...OPERATIONS.flatMap(({ responses }) => Object.keys(responses).map(Number)),
    ...CODES.map((code) => meaningOf(code).status),
  ]),
].sort()

const statusesIn = (cell: string) => [...cell.matchAll(/\b[1-5]\d\d\b/g)].map(([status]) => Number(status))

/** The rows of tables of answers: their statuses, their codes. */
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
    expect(pairs.filter(({ code, statuses }) => !statuses.includes(meaningOf(code).status))).toEqual([])
  })

  it('tell in docs/api.md every code, once', () => {
    const told = ROWS.filter(({ document }) => document === 'docs/api.md').flatMap(({ codes }) => codes)
    expect(told.sort()).toEqual([...CODES].sort())
  })
})

it('docs/api.md names every status', () => {
  expect(STATUSES.length).toBeGreaterThan(12)
  const named = statusesIn(documentAt('docs/api.md')!.prose)
  expect(STATUSES.filter((status) => status !== 200 && !named.includes(status))).toEqual([])
})

/** A status in a sentence, and the codes that follow it closely, as 503 (`a` or `b`). */
const SAID = /\b([45]\d\d)\b([^.;|`\d]{0,30}`[a-z_]+`(?: or `[a-z_]+`)?)/g

it('a code that a sentence names comes with the status before it', () => {
  const said = DOCUMENTS.flatMap(({ path, prose }) =>
    [...prose.matchAll(SAID)].flatMap(([, status, rest]) =>
      wordsIn(rest!).map((code) => ({ path, status: Number(status), code })),
    ),
  )
  expect(said.length).toBeGreaterThan(10)
  expect(said.filter(({ code, status }) => !CODES.includes(code) || meaningOf(code).status !== status)).toEqual([])
})
