import { readFileSync } from 'node:fs'
import { pathError, usageError } from '../base/failures.js'
import { encodingOf } from '../base/text/text-encoding.js'

/**
 * Returns the SQL of a flag, of an operand, or of the file of `--sql-file`, without a byte order mark. Returns
 * undefined if none is given. `name` is how the user gives the text: `--sql`. Throws `usage` if both are given or the
 * text is empty, and `failed` if the file cannot be read.
 */
export function readSqlText(sql: string | undefined, sqlFile: string | undefined, name: string): string | undefined {
  if (sql !== undefined && sqlFile !== undefined) throw usageError(`${name} and --sql-file are both given. Give one.`)
  const text = sqlFile === undefined ? sql : readSqlFile(sqlFile)
  if (text?.trim() === '') throw usageError(`${sqlFile ?? name} is empty. Write a query: select …`)
  return text
}

/** Returns the text of a file of SQL, without a byte order mark. Throws `failed` if the file cannot be read. */
export function readSqlFile(path: string): string {
  try {
    const bytes = readFileSync(path)
    return new TextDecoder(encodingOf(bytes)).decode(bytes)
  } catch (error) {
    throw pathError(`cannot read the SQL in ${path}: ${(error as Error).message}.`, error as Error)
  }
}
