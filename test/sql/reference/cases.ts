import type { TestRecord } from '../../support/records.js'
import { NOW_US, type SqlCase } from '../cases/case.js'
import { recordOf } from '../cases/records.js'
import { overFields } from './over-fields.js'
import { isQuery, type ReferenceCase, readTables } from './table.js'

const SOURCE = 'pgbouncer_logs'
const NO_RECORDS: readonly TestRecord[] = []
/** The records of each table, which are of a project of their own. */
const filled = new Map<readonly string[], readonly TestRecord[]>()

/** The cases of all tables. */
export const REFERENCE_CASES: readonly ReferenceCase[] = readTables()

/** The cases as texts of SQL with answers. Expressions keep the literals. Errors have no message. */
export const LITERAL_CASES: readonly SqlCase[] = REFERENCE_CASES.map(
  (one): SqlCase => ({ ...common(one), sql: textOf(one), records: recordsOf(one) }),
)

const EXPRESSIONS = REFERENCE_CASES.filter(
  ({ table, error, sql }) => table === undefined && error === undefined && !isQuery(sql),
)

/** The expressions, with fields of a record in place of their literals. All cases have the same records. */
export const FIELD_CASES: readonly SqlCase[] = overRecords(1)

/** The same cases, many expressions in a query: fewer queries for a server. */
export const FIELD_BATCHES: readonly SqlCase[] = overRecords(50)

function common({ place, source, sql, rows, error }: ReferenceCase): Omit<SqlCase, 'sql' | 'records'> {
  const name = `${place} [${source}] ${sql}`
  return { name, nowUs: NOW_US, ...(error === undefined ? { rows: rows! } : { error: { code: error, message: '' } }) }
}

function textOf({ sql, table }: ReferenceCase): string {
  const query = isQuery(sql) ? sql : `select ${sql} as y${table === undefined ? '' : ' from t'}`
  return query.replace(/\bfrom t\b/g, `from ${SOURCE} as t`)
}

function recordsOf({ table }: ReferenceCase): readonly TestRecord[] {
  if (table === undefined) return NO_RECORDS
  const project = `reference-${filled.size}`
  const records =
    filled.get(table) ?? table.map((metadata, i) => recordOf(SOURCE, { id: String(i + 1), project, metadata }))
  filled.set(table, records)
  return records
}

/** An expression of fields, the object of the fields, and the JSON of the value. */
interface Piece {
  sql: string
  object: string
  value: string
  name: string
}

/** Queries of `expressions` expressions, each of one record. */
function overRecords(expressions: number): SqlCase[] {
  const pieces = EXPRESSIONS.flatMap((one, i): Piece[] => {
    const made = overFields(one.sql, `c${i}`)
    const value = one.rows![0]!.slice('{"y":'.length, -1)
    return made === undefined ? [] : [{ ...made, object: `"c${i}":${made.object}`, value, name: common(one).name }]
  })
  const records: TestRecord[] = []
  const project = `reference-fields-${expressions}`
  return groupsOf(pieces, expressions).map((group, id) => {
    const metadata = `{${group.map(({ object }) => object).join(',')}}`
    records.push(recordOf(SOURCE, { id: String(id), project, metadata }))
    const columns = group.map(({ sql }, i) => `${sql} as y${i}`).join(', ')
    const rows = [`{${group.map(({ value }, i) => `"y${i}":${value}`).join(',')}}`]
    const sql = `select ${columns} from ${SOURCE} as t where t.id = '${id}'`
    return { name: group[0]!.name, nowUs: NOW_US, sql, rows, records }
  })
}

function groupsOf<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size))
}
