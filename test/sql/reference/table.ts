import { readdirSync, readFileSync } from 'node:fs'

/** A line of a table: a text of SQL, and the answer of the reference. */
export interface ReferenceCase {
  /** The file, and the line in the file. */
  place: string
  /** `page#section`, as in {@link PAGES}. */
  source: string
  /** An expression, an aggregate over the table, or a query that starts with SELECT or WITH. */
  sql: string
  /** The JSON text of the value of an expression, or of each row of a query. */
  rows?: readonly string[]
  /** The code of the error. */
  error?: string
  /** The JSON texts of the metadata of the rows of table `t`. Undefined if the text has no such table. */
  table?: readonly string[]
}

const DIRECTORY = new URL('./tables/', import.meta.url)

/** Reads all tables. */
export const readTables = (): ReferenceCase[] => readdirSync(DIRECTORY).sort().flatMap(readTable)

/**
 * Reads a table. The lines are, with `#` before a comment:
 * - `[page#section]`: the source of the cases below.
 * - `rows 1, null, {"x":2,"y":3}`: the rows of table `t` below, by the metadata, or by the value of the field `x`.
 *   `rows none` is a table without rows, `rows -` ends the table.
 * - `sql --> value`: an expression, or an aggregate over `t`, and the JSON text of the value, or `error` and a code.
 * - `select … --> {"x":1} {"x":2}`: a query over `t`, and the JSON text of each row. `--> -` is no row.
 * In an answer `@2026-11-24 12:00:00.5` is a timestamp: the microseconds since the epoch.
 */
function readTable(file: string): ReferenceCase[] {
  const cases: ReferenceCase[] = []
  let source = ''
  let table: readonly string[] | undefined
  for (const [index, line] of readFileSync(new URL(file, DIRECTORY), 'utf8').split('\n').entries()) {
    const place = `${file}:${index + 1}`
    if (line.trim() === '' || line.startsWith('# ')) continue
    if (/^\[[\w#-]+\]$/.test(line)) source = line.slice(1, -1)
    else if (line.startsWith('rows ')) table = tableOf(line.slice('rows '.length))
    else cases.push({ place, source, table, ...caseOf(line, place) })
  }
  return cases
}

/** Each row is on the line as JSON. The spelling of numbers is kept. */
function tableOf(rows: string): string[] | undefined {
  if (rows.trim() === '-') return undefined
  if (rows.trim() === 'none') return []
  return valuesIn(rows).map((row) => (row.startsWith('{') ? row : `{"x":${row}}`))
}

/** The JSON texts in a list without brackets. */
function valuesIn(list: string): string[] {
  const values: string[] = []
  let rest = list
  while (rest !== '') {
    const value = shortestJson(rest)
    values.push(value.trim())
    rest = rest.slice(value.length + 1)
  }
  return values
}

/** The shortest start of a text that is JSON and is followed by a comma, or nothing. */
function shortestJson(text: string): string {
  for (let end = text.indexOf(','); end >= 0; end = text.indexOf(',', end + 1)) {
    if (isJson(text.slice(0, end))) return text.slice(0, end)
  }
  if (isJson(text)) return text
  throw new Error(`No JSON: ${text}`)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function caseOf(line: string, place: string): Pick<ReferenceCase, 'sql' | 'rows' | 'error'> {
  const arrow = line.lastIndexOf('-->')
  if (arrow < 0) throw new Error(`${place} has no -->`)
  const sql = line.slice(0, arrow).trim()
  const answer = line
    .slice(arrow + '-->'.length)
    .trim()
    .replace(MOMENT, (_, text: string) => microseconds(text))
  if (answer.startsWith('error ')) return { sql, error: answer.slice('error '.length) }
  if (!isQuery(sql)) return { sql, rows: [`{"y":${answer}}`] }
  return { sql, rows: answer === '-' ? [] : answer.split(/(?<=\}) (?=\{)/) }
}

const MOMENT = /@(\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d(?:\.\d{1,6})?)?)/g

/** The digits of the microseconds since the epoch, in UTC. */
function microseconds(text: string): string {
  const [second, fraction = ''] = text.split('.') as [string, string?]
  const date = new Date(`${second.replace(' ', 'T')}${second.includes(' ') ? 'Z' : ''}`)
  return String(BigInt(date.getTime()) * 1000n + BigInt(fraction.padEnd(6, '0')))
}

/** Whether a text is a query, no expression. */
export const isQuery = (sql: string): boolean => /^(?:select|with)\b/i.test(sql)
