import fc from 'fast-check'
import type { Endpoint } from '../../src/endpoints/endpoint.js'
import type { Engine } from '../../src/engine/engine.js'
import type { Oracle, Params, PlainRow } from '../oracle/oracle.js'
import { groupBy } from '../oracle/time.js'
import { arbitraryDatabaseRecords, arbitraryNowUs, arbitraryRecords } from '../support/arbitrary.js'
import { readAll } from '../support/engine.js'
import { numberAt, type TestRecord, textAt, valueAt } from '../support/records.js'

/** The folder of the example modules, with a final slash. */
export const EXAMPLES_FOLDER = new URL('../../examples/endpoints/', import.meta.url)

/** The folder of the two examples as the first release of `logweir/endpoint` had them, which keep working. */
export const FIRST_EXAMPLES_FOLDER = new URL('first-examples/', import.meta.url)

/** The examples import `logweir/endpoint`, which package.json resolves to the built file. */
const load = async (file: string, folder = EXAMPLES_FOLDER): Promise<Endpoint> =>
  (await import(new URL(file, folder).href)).default

const DAY_US = 86_400_000_000

const within = (records: readonly TestRecord[], source: string, { project, window }: Params, nowUs: number) =>
  records
    .filter((record) => record.source === source && record.project === project)
    .filter(({ timestampUs }) => timestampUs >= nowUs - (window === '7day' ? 7 : 1) * DAY_US)

const statusOf = ({ metadata }: TestRecord) => numberAt(metadata, ['response', 'status_code']) ?? 0
const errorsOf = (records: readonly TestRecord[]) => records.filter((record) => statusOf(record) >= 400).length

/** Sorts by a column, descending, nulls last, then by the key, ascending. */
function ordered(rows: PlainRow[], by: string, key: string): PlainRow[] {
  const descending = (a: number | null, b: number | null) =>
    a === null || b === null ? Number(a === null) - Number(b === null) : b - a
  const ascending = (a: string | null, b: string | null) =>
    a === null || b === null ? Number(a === null) - Number(b === null) : Buffer.compare(Buffer.from(a), Buffer.from(b))
  return rows.sort(
    (a, b) =>
      descending(a[by] as number | null, b[by] as number | null) ||
      ascending(a[key] as string | null, b[key] as string | null),
  )
}

const slowest: Oracle = (records, params, nowUs) => {
  const calls = within(records, 'function_edge_logs', params, nowUs)
  const byFunction = groupBy(calls, ({ metadata }) => textAt(metadata, ['function_id']) || null)
  const rows = [...byFunction].map(([function_id, group]): PlainRow => {
    const times = group
      .map(({ metadata }) => numberAt(metadata, ['execution_time_ms']))
      .filter((time) => time !== undefined)
      .sort((a, b) => a - b)
    const errors = errorsOf(group)
    const p95 = times[Math.ceil((95 * times.length) / 100) - 1] ?? null
    return { function_id, calls: group.length, errors, error_rate: errors / group.length, p95 }
  })
  return ordered(rows, 'p95', 'function_id').slice(0, 20)
}

/** Returns the path of the record's URL, without host and query; null if the record has no URL. */
function pathOf({ metadata }: TestRecord): string | null {
  const url = textAt(metadata, ['request', 'url'])?.split(/[?#]/)[0]
  if (url === undefined) return null
  const behindScheme = url.includes('://') ? url.slice(url.indexOf('://') + 3) : url
  return behindScheme.includes('/') ? behindScheme.slice(behindScheme.indexOf('/')) : ''
}

const worstPaths: Oracle = (records, params, nowUs) => {
  const byPath = groupBy(within(records, 'edge_logs', params, nowUs), pathOf)
  const rows = [...byPath].map(
    ([url_path, group]): PlainRow => ({ url_path, requests: group.length, error_rate: errorsOf(group) / group.length }),
  )
  return ordered(rows, 'error_rate', 'url_path').slice(0, 100)
}

type Key = string | number | boolean | null

/** Orders keys ascending: booleans, numbers, texts by their bytes, null last. */
function compareKeys(a: Key, b: Key): number {
  const ranks = [a, b].map((key) => (key === null ? 3 : ['boolean', 'number', 'string'].indexOf(typeof key)))
  if (ranks[0] !== ranks[1]) return ranks[0]! - ranks[1]!
  return typeof a === 'string' ? Buffer.compare(Buffer.from(a), Buffer.from(b as string)) : Number(a) - Number(b)
}

const KEYS = ['error_severity', 'sql_state_code']
const parsedAt = ({ metadata }: TestRecord, key: string) => (valueAt(metadata, ['parsed', key]) ?? null) as Key

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
        compareKeys(a.error_severity, b.error_severity) ||
        compareKeys(a.sql_state_code, b.sql_state_code),
    )
    .slice(0, 100)
}

/** The endpoints that docs/own-endpoints.md shows, each with an oracle: simple code that computes the same rows. */
export const EXAMPLES = [
  { file: 'error-rate-by-path.mjs', endpoint: await load('error-rate-by-path.mjs'), oracle: worstPaths },
  { file: 'slowest-functions.mjs', endpoint: await load('slowest-functions.mjs'), oracle: slowest },
  { file: 'database-errors.mjs', endpoint: await load('database-errors.mjs'), oracle: databaseErrors },
]

/** The first two as they were. */
export const FIRST_EXAMPLES = await Promise.all(
  EXAMPLES.slice(0, 2).map(async (one) => ({ ...one, endpoint: await load(one.file, FIRST_EXAMPLES_FOLDER) })),
)

/** Parameters that match random records, and some that match none. */
export const QUESTIONS: readonly Params[] = ['a', 'b', 'none'].flatMap((project) =>
  ['', '7day'].map((window) => ({ project, window })),
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

/** Runs an example on an engine and returns its rows. */
export async function askExample(
  engine: Engine,
  { endpoint }: (typeof EXAMPLES)[number],
  params: Params,
  nowUs: number,
) {
  return readAll(await engine.run(endpoint.call(new URLSearchParams(params)).plan(nowUs)))
}
