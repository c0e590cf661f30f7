import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { usageError } from '../base/failures.js'
import type { Endpoint } from '../endpoints/endpoint.js'
import { readFrontMatter } from './front-matter.js'
import { type ReadableViews, sqlEndpoint } from './sql-endpoint.js'

const EXTENSION = '.sql'
/** The longest `.sql` file. */
export const MAX_SQL_FILE_BYTES = 65_536

/** Returns whether a file of this name holds an endpoint in SQL. */
export const isSqlFile = (name: string): boolean => name.endsWith(EXTENSION)

/**
 * Loads the current version of a `.sql` file, which may read `views`. The endpoint's fields may still be invalid.
 * Throws `usage` if the file is not regular, over 64 KiB or not UTF-8, the errors of {@link sqlEndpoint} and of
 * `viewEndpoint`, and the errors of the file system.
 */
export async function loadSqlFile(path: string, views: ReadableViews): Promise<Endpoint> {
  const text = await readSqlFile(path)
  const name = basename(path, EXTENSION)
  const matter = readFrontMatter(text)
  // Loaded here, so that a service without such a file does not load the compiler.
  if (matter.view !== undefined) return (await import('./view-endpoint.js')).viewEndpoint(text, name, matter)
  const { readSql } = await import('../sql/read-sql.js')
  return sqlEndpoint(text, name, (sql) => readSql(sql, undefined, views))
}

/** Whether a `.sql` file is a view, if the file can be used. */
export async function isViewFile(path: string): Promise<boolean> {
  const text = await readSqlFile(path).catch(() => '')
  return /^[ \t]*--[ \t]*view[ \t]*:/im.test(text)
}

/** Returns the text of a `.sql` file. Throws `usage` as {@link loadSqlFile} does, and the errors of the file system. */
export async function readSqlFile(path: string): Promise<string> {
  const stats = await stat(path)
  if (!stats.isFile()) throw usageError('is not a regular file')
  if (stats.size > MAX_SQL_FILE_BYTES) throw usageError(`is over ${MAX_SQL_FILE_BYTES / 1024} KiB`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path))
  } catch (error) {
    throw error instanceof TypeError ? usageError('is not UTF-8 text') : error
  }
}
