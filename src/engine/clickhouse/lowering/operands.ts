import { type HotColumn, hotColumns, IN_METADATA } from '../../../common/columns.js'
import type { SourceName } from '../../../common/sources.js'
import { type Expression, pathOfField } from '../../../plan/expression.js'
import { declaredColumns } from '../../execute/stages/source-kinds.js'
import { columnNameOf } from '../schema/table-names.js'
import { textValue } from '../server/values.js'
import { type JsonOperand, jsonOperand } from './json-operand.js'

/** A table from which expressions read columns and fields. */
export interface Table {
  source: SourceName
  /** Whether fields without a column are read by the server's JSON functions. */
  readsJson: boolean
}

/** A column, a field with a column, or the path in a URL, as SQL. */
export interface ColumnOperand {
  type: 'text' | 'number' | 'timestamp' | 'areas'
  /** Null if absent. For `text` columns with `isEmptyAbsent`, the empty text if absent. */
  sql: string
  isEmptyAbsent: boolean
  /**
   * The bits of `in_metadata` of the columns that the SQL reads. In a row with any of the bits the SQL is wrong, since
   * the value is in the metadata alone.
   */
  mask: number
}

/** Any value of a row that the server can read. */
export type Operand = ColumnOperand | JsonOperand

/**
 * The path in a URL. The second alternative, which matches nothing, prevents ClickHouse's search for a required literal
 * (see `clickHousePattern` in patterns.ts).
 */
const PATH = '^(?:[^?#]*?://)?[^/?#]*([^?#]*)|[^\\x00-\\x{10FFFF}]'

/** Returns an expression as SQL. Undefined if the expression is no column and no field. */
export function operandOf(expression: Expression, { source, readsJson }: Table): Operand | undefined {
  const operand = columnOperand(expression, source)
  if (operand !== undefined || !readsJson) return operand
  const path = pathOfField(expression)
  const isUndeclared = path !== undefined && !declaredColumns(source).has(JSON.stringify(path.keys))
  return isUndeclared ? jsonOperand(path.keys) : undefined
}

function columnOperand(expression: Expression, source: SourceName): ColumnOperand | undefined {
  if (expression.kind === 'column') return ofColumn(expression.name, source)
  if (expression.kind !== 'call') return undefined
  if (expression.fn === 'url_path') {
    const url = columnOperand(expression.args[0], source)
    if (url?.type !== 'text' || url.isEmptyAbsent) return undefined
    return { ...url, sql: `extract(${url.sql}, ${textValue(PATH)})` }
  }
  return ofField(expression, source)
}

const plain = (type: ColumnOperand['type'], sql: string): ColumnOperand => ({
  type,
  sql,
  isEmptyAbsent: false,
  mask: 0,
})

function ofColumn(name: string, source: SourceName): ColumnOperand | undefined {
  if (name === 'timestamp') return plain('timestamp', name)
  if (name === 'id' || name === 'event_message') return plain('text', name)
  if (name === 'project') return { ...plain('text', name), isEmptyAbsent: true }
  const column = hotColumns(source).find((hot) => hot.name === name && !hot.isFieldOnly)
  return column && ofHot(column, 0, column.kind === 'category')
}

function ofField(expression: Expression, source: SourceName): ColumnOperand | undefined {
  const path = pathOfField(expression)
  const own = path && declaredColumns(source).get(JSON.stringify(path.keys))
  // The digits of a number as sent are in the metadata alone.
  if (own === undefined || (own.isNumber && path?.isText)) return undefined
  const column = hotColumns(source)[own.place]
  return ofHot(column, 1 << own.place, column.kind === 'category' && !column.isFieldOnly)
}

function ofHot(column: HotColumn, bit: number, isEmptyAbsent: boolean): ColumnOperand {
  const { kind } = column
  const type = kind === 'number' || kind === 'areas' ? kind : 'text'
  return { type, sql: columnNameOf(column), isEmptyAbsent, mask: bit >>> 0 }
}

/**
 * Rows for which SQL expressions are wrong: rows with a bit of `mask` in `in_metadata`, since no column holds the
 * value, and rows that pass a condition of `odd`.
 */
export interface Exceptions {
  mask: number
  odd: readonly string[]
}

/** The exceptions of an expression that is right in every row. */
export const NO_EXCEPTIONS: Exceptions = { mask: 0, odd: [] }

/** The exceptions of an operand. */
export const exceptionsOf = (operand: Operand): Exceptions =>
  operand.type === 'json' ? { mask: 0, odd: [operand.isOdd] } : { mask: operand.mask, odd: [] }

/** The exceptions of several expressions. */
export function joinExceptions(all: readonly Exceptions[]): Exceptions {
  const mask = all.reduce((mask, one) => (mask | one.mask) >>> 0, 0)
  return { mask, odd: [...new Set(all.flatMap(({ odd }) => odd))] }
}

/** The condition, 1 or 0, that a row is an exception. Undefined if no row can be an exception. */
export function isException({ mask, odd }: Exceptions): string | undefined {
  const conditions = [...(mask === 0 ? [] : [isMarked(mask)]), ...odd]
  return conditions.length === 0 ? undefined : conditions.join(' OR ')
}

/** The condition, 1 or 0, that a row has a bit of a mask. */
export const isMarked = (mask: number): string => `bitAnd(${IN_METADATA}, toUInt32(${mask})) != 0`

/** An operand as a nullable value. */
export function nullableSql(operand: Operand): string {
  if (operand.type === 'json') return operand.tagged
  const { sql, isEmptyAbsent } = operand
  return isEmptyAbsent ? `nullIf(${sql}, ${textValue('')})` : sql
}
