import { usageError } from '../base/failures.js'
import { checkColumnsFlag } from '../client/output.js'
import { EXPECTED_NAMES, readFieldNames } from '../common/field-names.js'
import { unknownFlag } from '../config/command-line.js'
import { LINES_SETTINGS } from '../config/directory-settings.js'
import type { Environment } from '../config/environment.js'
import { readSettings } from '../config/read-settings.js'
import { flagOf, type ValuesOf } from '../config/setting.js'
import { readSqlText } from '../config/sql-text.js'

/** The configuration of `logweir lines`. */
export interface LinesConfig extends Omit<ValuesOf<typeof LINES_SETTINGS>, 'sqlFile'> {
  /** The text of the query. */
  sql: string
  /** The files to read, one after the other. Undefined means the standard input. */
  paths: readonly (string | undefined)[]
}

/**
 * Reads the configuration of `logweir lines`: a query and files, or files and a query behind `--`. Throws `usage`, and
 * `failed` if the file of `--sql-file` is missing.
 */
export function readLinesConfig(args: readonly string[], environment: Environment): LinesConfig {
  const { flags, query, operands: before } = splitArguments(args)
  const { values, extras } = readSettings(LINES_SETTINGS, flags, environment, { allowsExtras: true })
  const [unknown] = extras.flags
  if (unknown !== undefined) throw unknownFlag(unknown[0], Object.keys(LINES_SETTINGS).map(flagOf))
  const { sqlFile, ...others } = values
  checkTableFlags(others)
  checkTimeField(others.timeField)
  const operands = [...before, ...extras.operands]
  const isFirst = query === undefined && sqlFile === undefined
  const text = query ?? (isFirst ? operands[0] : undefined)
  const sql = readSqlText(text, sqlFile, 'the text of the query')
  if (sql === undefined)
    throw usageError("which query? logweir lines 'select level, count(*) from lines group by level'")
  const files = isFirst ? operands.slice(1) : operands
  return { ...others, sql, paths: files.length === 0 ? [undefined] : files.map(pathOf) }
}

/** `-` is the standard input, as for other programs. */
const pathOf = (operand: string) => (operand === '-' ? undefined : operand)

/** Separates the query behind `--`, and a first word that starts with a dash and has a blank in it: SQL, no flag. */
function splitArguments(args: readonly string[]) {
  const end = args.indexOf('--')
  const before = end < 0 ? args : args.slice(0, end)
  const query = end < 0 || end === args.length - 1 ? undefined : args.slice(end + 1).join(' ')
  const [first] = before
  const isText = first?.startsWith('-') && /\s/.test(first) && !/^--[a-z-]+=/.test(first)
  return isText ? { flags: before.slice(1), query, operands: [first!] } : { flags: before, query, operands: [] }
}

function checkTableFlags({ format, columns }: Pick<LinesConfig, 'format' | 'columns'>): void {
  if (format !== 'arrow') checkColumnsFlag({ format, columns })
  else if (columns !== undefined)
    throw usageError('--columns is for tables, not for --format arrow. Leave out one of the two.')
}

function checkTimeField(name: string | undefined): void {
  if (name === undefined || readFieldNames(name)?.length === 1) return
  throw usageError(`--time-field ${JSON.stringify(name)} is not allowed. Expected one of ${EXPECTED_NAMES}.`)
}
