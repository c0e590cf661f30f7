import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import type { Endpoint } from '../../src/endpoints/endpoint.js'
import type { Engine } from '../../src/engine/engine.js'
import { NO_VIEWS } from '../../src/sql/compile/readable-views.js'
import { checkedEndpoint } from '../../src/user-endpoints/checked-endpoint.js'
import { loadSqlFile } from '../../src/user-endpoints/sql-file.js'
import type { Oracle, Params, PlainRow } from '../oracle/oracle.js'
import { groupBy } from '../oracle/time.js'
import { arbitraryDatabaseRecords, arbitraryNowUs, arbitraryRecords } from '../support/arbitrary.js'
import { readAll } from '../support/engine.js'
import { numberAt, type TestRecord, textAt, valueAt } from '../support/records.js'

/** The folder of the examples, with a final slash. */
export const EXAMPLES_FOLDER = new URL('../../examples/endpoints/', import.meta.url)

/** The folder of the two examples of the first release of `logweir/endpoint`, which keep working. */
export const FIRST_EXAMPLES_FOLDER = new URL('first-examples/', import.meta.url)

/** Modules import `logweir/endpoint`, which package.json resolves to the built file. */
async function load(file: string, folder = EXAMPLES_FOLDER): Promise<Endpoint> {
  const url = new URL(file, folder)
  const endpoint = file.endsWith('.sql')
    ? await loadSqlFile(fileURLToPath(url), NO_VIEWS)
    : (await import(url.href)).default
  return checkedEndpoint(endpoint)
}

const DAY_US = 86_400_000_000

const within = (records: readonly TestRecord[], source: string, { project, window }: Params, nowUs: number) =>
  records
    .filter((record) => record.source === source && record.project === project)
    .filter(({ timestampUs }) => timestampUs >= nowUs - (window === '7day' ? 7 : 1) * DAY_US)

/** Keeps the rows with at least as many requests as the caller says. */
const withLeast =
  (oracle: Oracle): Oracle =>
  (records, params, nowUs) =>
    oracle(records, params, nowUs).filter(({ requests }) => (requests as number) >= Number(params.least ?? 1))

type Key = string | number | boolean | null

/** The value of a field that is no object, as SQL reads it. Null if absent, or a number beyond the doubles. */
function fieldAt({ metadata }: TestRecord, path: readonly string[]): Key {
  const value = (valueAt(metadata, path) ?? null) as Key
  return typeof value === 'number' && !Number.isFinite(value) ? null : value
}

/** Orders keys ascending: booleans, numbers, texts by bytes. Null is last, or first. */
function compareKeys(a: Key, b: Key, nulls: 'last' | 'first' = 'last'): number {
  const types = ['boolean', 'number', 'string']
  const rank = (key: Key) => (key === null ? (nulls === 'last' ? 3 : -1) : types.indexOf(typeof key))
  if (rank(a) !== rank(b)) return rank(a) - rank(b)
  return typeof a === 'string' ? Buffer.compare(Buffer.from(a), Buffer.from(b as string)) : Number(a) - Number(b)
}

/** Sorts by a column, descending, nulls last, then by the key, ascending. */
const ordered = (rows: PlainRow[], by: string, key: string, nulls: 'last' | 'first') =>
  rows.sort(
    (a, b) => -compareKeys(a[by] as Key, b[by] as Key, 'first') || compareKeys(a[key] as Key, b[key] as Key, nulls),
  )

/** How an endpoint reads records. The first examples read fields of the wrong type as absent, SQL reads any type. */
interface Reading {
  numberAt(record: TestRecord, path: readonly string[]): Key
  textAt(record: TestRecord, path: readonly string[]): Key
  nulls: 'last' | 'first'
}

const typed: Reading = {
  numberAt: ({ metadata }, path) => numberAt(metadata, path) ?? null,
  textAt: ({ metadata }, path) => textAt(metadata, path) || null,
  nulls: 'last',
}
const anyType: Reading = { numberAt: fieldAt, textAt: fieldAt, nulls: 'first' }

/** The number of records with a status of 400 or more. A text that spells a number is that number. */
const errorsOf = (records: readonly TestRecord[], reading: Reading) =>
  records.filter((record) => Number(reading.numberAt(record, ['response', 'status_code']) ?? 0) >= 400).length

const slowest =
  (reading: Reading): Oracle =>
  (records, params, nowUs) => {
    const calls = within(records, 'function_edge_logs', params, nowUs)
    const byFunction = groupBy(calls, (record) => reading.textAt(record, ['function_id']))
    const rows = [...byFunction].map(([function_id, group]): PlainRow => {
      const times = group
        .map((record) => reading.numberAt(record, ['execution_time_ms']))
        .filter((time) => time !== null)
        .map(Number)
        .sort((a, b) => a - b)
      const errors = errorsOf(group, reading)
      const p95 = times[Math.ceil((95 * times.length) / 100) - 1] ?? null
      return { function_id, calls: group.length, errors, error_rate: errors / group.length, p95 }
    })
    return ordered(rows, 'p95', 'function_id', reading.nulls).slice(0, 20)
  }

/** Returns the path of the record's URL, without host and query. Null if the record has no URL. */
function urlPathOf({ metadata }: TestRecord): string | null {
  const url = textAt(metadata, ['request', 'url'])?.split(/[?#]/)[0]
  if (url === undefined) return null
  const behindScheme = url.includes('://') ? url.slice(url.indexOf('://') + 3) : url
  return behindScheme.includes('/') ? behindScheme.slice(behindScheme.indexOf('/')) : ''
}

const worst =
  (column: string, pathOf: (record: TestRecord) => Key, reading: Reading): Oracle =>
  (records, params, nowUs) => {
    const byPath = groupBy(within(records, 'edge_logs', params, nowUs), pathOf)
    const rows = [...byPath].map(([path, group]): PlainRow => {
      return { [column]: path, requests: group.length, error_rate: errorsOf(group, reading) / group.length }
    })
    return ordered(rows, 'error_rate', column, reading.nulls).slice(0, 100)
  }

const KEYS = ['error_severity', 'sql_state_code']
const parsedAt = (record: TestRecord, key: string) => fieldAt(record, ['parsed', key])

const databaseErrors: Oracle = (records, params, nowUs) => {
  const errors = within(records, 'postgres_logs', params, nowUs).filter((record) =>
    ['ERROR', 'FATAL', 'PANIC'].includes(parsedAt(record, 'error_severity') as string),
  )
  const groups = groupBy(errors, (record) => JSON.stringify(KEYS.map((key) => parsedAt(record, key))))
  const rows = [...groups].map(([keys, group]) => {
    const [error_severity, sql_state_code] = JSON.parse(keys) as [string, Key]
    const users = new Set(group.map((record) => parsedAt(record, 'user_name')).filter((user) => user !== null)).size
    const latest = Math.max(...group.map(({ timestampUs }) => timestampUs))
    return { error_severity, sql_state_code, errors: group.length, users, latest }
  })
  return rows
    .sort(
      (a, b) =>
        b.errors - a.errors ||
        b.latest - a.latest ||
        compareKeys(a.error_severity, b.error_severity, 'first') ||
        compareKeys(a.sql_state_code, b.sql_state_code, 'first'),
    )
    .slice(0, 100)
}

const SEARCHED = ['edge_logs', 'postgres_logs', 'function_logs', 'auth_logs']

const search: Oracle = (records, { project, text, sources }) =>
  records
    .filter((record) => record.project === project && record.event_message.includes(text!))
    .filter(({ source }) => SEARCHED.includes(source) && (!sources || sources.split(',').includes(source)))
    .sort(
      (a, b) =>
        b.timestampUs - a.timestampUs ||
        compareKeys(a.source, b.source) ||
        compareKeys(a.event_message, b.event_message),
    )
    .map(({ source, timestampUs, event_message }) => ({ source, timestamp: timestampUs, event_message }))
    .slice(0, 100)

/** An endpoint with an oracle: simple code that computes the same rows. */
interface Example {
  file: string
  endpoint: Endpoint
  oracle: Oracle
}

/** The examples in their folder. */
export const EXAMPLES: readonly Example[] = await Promise.all(
  Object.entries({
    'edge.error-rate-by-path.sql': withLeast(worst('path', (record) => fieldAt(record, ['request', 'path']), anyType)),
    'functions.slowest.sql': slowest(anyType),
    'postgres.errors.sql': databaseErrors,
    'search-messages.mjs': search,
  }).map(async ([file, oracle]) => ({ file, oracle, endpoint: await load(file) })),
)

/** The examples of the first release. */
export const FIRST_EXAMPLES: readonly Example[] = await Promise.all(
  Object.entries({
    'error-rate-by-path.mjs': worst('url_path', urlPathOf, typed),
    'slowest-functions.mjs': slowest(typed),
  }).map(async ([file, oracle]) => ({ file, oracle, endpoint: await load(file, FIRST_EXAMPLES_FOLDER) })),
)

/** Parameters that match random records, and some that match none. */
const QUESTIONS: readonly Params[] = ['a', 'b', 'none'].flatMap((project) =>
  ['', '7day'].flatMap((window): Params[] => [
    { project, window, text: 'é' },
    { project, window, text: '7', least: '2', sources: 'postgres_logs,edge_logs' },
  ]),
)

/** A random run: records, their batch size, the time, and three sets of parameters. */
export const arbitraryRun = arbitraryNowUs.chain((nowUs) =>
  fc.record({
    nowUs: fc.constant(nowUs),
    records: fc.tuple(arbitraryRecords(nowUs, 80), arbitraryDatabaseRecords(nowUs, 40)).map((all) => all.flat()),
    batchRows: fc.integer({ min: 1, max: 40 }),
    questions: fc.shuffledSubarray([...QUESTIONS], { minLength: 3, maxLength: 3 }),
  }),
)

/** Runs an example on an engine and returns the rows. */
export async function askExample(engine: Engine, { endpoint }: Example, params: Params, nowUs: number) {
  return readAll(await engine.run(endpoint.call(new URLSearchParams(params)).plan(nowUs)))
}
