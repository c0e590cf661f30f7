import type { TestRecord } from '../../support/records.js'
import { recordOf, SHOP } from './records.js'

/** A text of SQL and the whole answer, written by hand: plain data, for every implementation. */
export interface SqlCase {
  name: string
  sql: string
  /** In order of arrival. All records are of the same project, unless {@link SqlCase.ofManyProjects}. */
  records: readonly TestRecord[]
  nowUs: number
  /** The JSON text of each row. Their order counts only if the text has ORDER BY. */
  rows?: readonly string[]
  /** The code and the whole message. */
  error?: { code: string; message: string }
  /** The records are of several projects, so that the plan cannot be bound to one project. */
  ofManyProjects?: boolean
  /** Why the oracle of SQL cannot run this text. */
  notForOracle?: string
}

type Options = Partial<Pick<SqlCase, 'records' | 'nowUs' | 'ofManyProjects' | 'notForOracle'>>

/** A row as an object in the order of the columns, or as JSON text where the spelling of numbers counts. */
type PlainRow = string | Readonly<Record<string, unknown>>

/** For syntax beyond the documented subset. The program accepts the syntax so that texts of BigQuery run unchanged. */
export const MORE: Options = { notForOracle: 'beyond the documented subset' }

/** 2026-11-24T12:00:00Z, a Tuesday. */
export const NOW_US = Date.UTC(2026, 10, 24, 12) * 1000

/** A text, and the rows of the answer. */
export const query = (name: string, sql: string, rows: readonly PlainRow[], options: Options = {}): SqlCase => ({
  name,
  sql,
  records: SHOP,
  nowUs: NOW_US,
  ...options,
  rows: rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row))),
})

const failure =
  (code: string) =>
  (name: string, sql: string, message: string, options: Options = {}): SqlCase => ({
    name,
    sql,
    records: SHOP,
    nowUs: NOW_US,
    ...options,
    error: { code, message },
  })

/** A text that is wrong, or fails in a row. */
export const wrong = failure('invalid_sql')
/** A text outside of the subset. */
export const refused = failure('unsupported_sql')
/** A text with a pattern that is no RE2. */
export const badPattern = failure('invalid_pattern')

/** A JSON text that is sent as spelled. */
export class Spelled {
  readonly json: string
  constructor(json: string) {
    this.json = json
  }
}

/** The value of `x` in a record, undefined if the record has none, and the value of an expression of `x`. */
type Pair = readonly [x: unknown, value: unknown]

let sets = 0

/**
 * The values of an expression of the field `x`: once over records with the field, and, unless `ofFields`, once over
 * literals in the place of the field, for the values that have literals.
 */
export function each(expression: string, pairs: readonly Pair[], { ofFields = false } = {}): SqlCase[] {
  const project = `each-${++sets}`
  const records = pairs.map(([x], i) => {
    const metadata = x === undefined ? '{}' : `{"x":${jsonOf(x)}}`
    return recordOf('edge_logs', { id: String(100 + i), project, metadata })
  })
  const rows = pairs.map(([, value]) => `{"y":${jsonOf(value)}}`)
  const constant = ofFields ? [] : pairs.filter(([x]) => literalOf(x) !== undefined)
  const columns = constant.map(([x], i) => `${expression.replace(/\bx\b/g, () => literalOf(x)!)} as y${i}`)
  const row = constant.map(([, value], i) => `"y${i}":${jsonOf(value)}`)
  return [
    query(`${expression}, of fields`, `select ${expression} as y from edge_logs order by id`, rows, { records }),
    ...(constant.length === 0
      ? []
      : [query(`${expression}, of literals`, `select ${columns.join(', ')}`, [`{${row.join(',')}}`])]),
  ]
}

/** The values of expressions in a SELECT without FROM. */
export function values(
  name: string,
  pairs: readonly (readonly [expression: string, value: unknown])[],
  options: Options = {},
): SqlCase {
  const columns = pairs.map(([expression], i) => `${expression} as y${i}`)
  const row = pairs.map(([, value], i) => `"y${i}":${jsonOf(value)}`)
  return query(name, `select ${columns.join(', ')}`, [`{${row.join(',')}}`], options)
}

/** The values of expressions in the only record. If there are several records, `where` chooses the record. */
export function valuesIn(
  name: string,
  from: string,
  pairs: readonly (readonly [expression: string, value: unknown])[],
  options: Options = {},
): SqlCase {
  const columns = pairs.map(([expression], i) => `${expression} as y${i}`)
  const row = pairs.map(([, value], i) => `"y${i}":${jsonOf(value)}`)
  return query(name, `select ${columns.join(', ')} from ${from}`, [`{${row.join(',')}}`], options)
}

const jsonOf = (value: unknown): string => (value instanceof Spelled ? value.json : JSON.stringify(value))

function literalOf(x: unknown): string | undefined {
  if (typeof x === 'number') return x < 0 ? `(${x})` : String(x)
  if (typeof x === 'boolean' || x === null) return String(x)
  return typeof x === 'string' ? `'${x.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'` : undefined
}
