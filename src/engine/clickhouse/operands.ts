import type { Expression } from '../../plan/expression.js'
import { pathOfField } from '../../plan/expression.js'
import type { SourceName } from '../../sources.js'
import { type HotColumn, hotColumns, IN_METADATA } from '../columns.js'
import { columnNameOf } from './table-names.js'
import { textValue } from './values.js'

/** A column, a field or the path in a URL as SQL. */
export interface Operand {
  type: 'text' | 'number' | 'timestamp' | 'areas'
  /** Null if absent; of `text` columns with `isEmptyAbsent` the empty text. */
  sql: string
  isEmptyAbsent: boolean
  /**
   * The bits of `in_metadata` of the columns that it reads. In a row with one of them the SQL is wrong, since the value
   * is in the metadata alone.
   */
  mask: number
}

/**
 * The path in a URL. The second alternative, which matches nothing, prevents ClickHouse's search for a required literal
 * (see `clickHousePattern` in patterns.ts).
 */
const PATH = '^(?:[^?#]*?://)?[^/?#]*([^?#]*)|[^\\x00-\\x{10FFFF}]'

/** Returns an expression as SQL; undefined if it is no column and no declared field. */
export function operandOf(expression: Expression, source: SourceName): Operand | undefined {
  if (expression.kind === 'column') return ofColumn(expression.name, source)
  if (expression.kind !== 'call') return undefined
  if (expression.fn === 'url_path') {
    const url = operandOf(expression.args[0]!, source)
    if (url?.type !== 'text' || url.isEmptyAbsent) return undefined
    return { ...url, sql: `extract(${url.sql}, ${textValue(PATH)})` }
  }
  return ofField(expression, source)
}

const plain = (type: Operand['type'], sql: string): Operand => ({ type, sql, isEmptyAbsent: false, mask: 0 })

function ofColumn(name: string, source: SourceName): Operand | undefined {
  if (name === 'timestamp') return plain('timestamp', name)
  if (name === 'id' || name === 'event_message') return plain('text', name)
  if (name === 'project') return { ...plain('text', name), isEmptyAbsent: true }
  const column = hotColumns(source).find((hot) => hot.name === name && !hot.isFieldOnly)
  return column && ofHot(column, 0, column.kind === 'category')
}

function ofField(expression: Expression, source: SourceName): Operand | undefined {
  const place = placeOfField(expression, source)
  if (place === undefined) return undefined
  const column = hotColumns(source)[place]!
  // The digits of a number as they were sent are in the metadata alone.
  if (column.kind === 'number' && pathOfField(expression)!.isText) return undefined
  return ofHot(column, 1 << place, column.kind === 'category' && !column.isFieldOnly)
}

/** The place, among the hot columns of a source, of the one that holds a field; undefined if none does. */
export function placeOfField(expression: Expression, source: SourceName): number | undefined {
  const path = pathOfField(expression)
  if (path === undefined) return undefined
  const key = JSON.stringify(path.keys)
  const place = hotColumns(source).findIndex(({ kind, path }) => kind !== 'areas' && JSON.stringify(path) === key)
  return place < 0 ? undefined : place
}

function ofHot(column: HotColumn, bit: number, isEmptyAbsent: boolean): Operand {
  const { kind } = column
  const type = kind === 'number' || kind === 'areas' ? kind : 'text'
  return { type, sql: columnNameOf(column), isEmptyAbsent, mask: bit >>> 0 }
}

/** The condition, 1 or 0, that a row has a bit of a mask. */
export const isMarked = (mask: number): string => `bitAnd(${IN_METADATA}, toUInt32(${mask})) != 0`

/** An operand as a nullable value. */
export const nullableSql = ({ sql, isEmptyAbsent }: Operand): string =>
  isEmptyAbsent ? `nullIf(${sql}, ${textValue('')})` : sql
