import { usageError } from '../base/failures.js'
import type { Log } from '../base/log.js'
import { checkColumnsFlag } from '../client/output.js'
import { unknownFlag } from '../config/command-line.js'
import { SQL_SETTINGS } from '../config/directory-settings.js'
import type { Environment } from '../config/environment.js'
import { readSettings } from '../config/read-settings.js'
import { flagOf, type ValuesOf } from '../config/setting.js'
import { readSqlText } from '../config/sql-text.js'

/** The configuration of `logweir sql`. */
export interface SqlConfig extends Omit<ValuesOf<typeof SQL_SETTINGS>, 'sqlFile'> {
  /** The data directory. */
  directory: string
  /** The text of the query. */
  sql: string
}

/** Reads the configuration of `logweir sql`. Throws `usage`, and `failed` if the file of `--sql-file` is missing. */
export function readSqlConfig(args: readonly string[], environment: Environment, warn?: Log): SqlConfig {
  const { values, extras } = readSettings(SQL_SETTINGS, args, environment, { warn, allowsExtras: true })
  const [directory, text, extra] = extras.operands
  const [unknown] = extras.flags
  if (unknown !== undefined) throw unknownFlag(unknown[0], Object.keys(SQL_SETTINGS).map(flagOf))
  if (directory === undefined) throw usageError("sql over which directory? logweir sql DIRECTORY 'select …'")
  if (extra !== undefined) {
    throw usageError(`unexpected argument ${JSON.stringify(extra)}. Put the query in quotes: 'select …'`)
  }
  const { sqlFile, ...others } = values
  checkColumnsFlag(others)
  const sql = readSqlText(text, sqlFile, 'the text of the query')
  if (sql === undefined) throw usageError(`which query? logweir sql ${directory} 'select …'`)
  return { ...others, directory, sql }
}
