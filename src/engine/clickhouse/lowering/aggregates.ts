import type { Aggregate } from '../../../plan/aggregates.js'
import { type Scalar, Timestamp } from '../../../plan/values/values.js'
import type { Cell } from '../server/clickhouse-server.js'
import { lowerCondition } from './conditions.js'
import { readTagged } from './json-operand.js'
import {
  type ColumnOperand,
  type Exceptions,
  exceptionsOf,
  NO_EXCEPTIONS,
  nullableSql,
  type Operand,
  operandOf,
  type Table,
} from './operands.js'

/**
 * An aggregate as the SQL expressions that ClickHouse computes for the aggregate, and how the value is read from the
 * results.
 */
export interface Lowered {
  values: readonly string[]
  exceptions: Exceptions
  /** Returns undefined if the results are too inexact: the value then needs the exact sums of `summed`. */
  read(cells: readonly Cell[]): Scalar | undefined
  /**
   * The numbers that are summed, if the aggregate is a sum or a mean. The server cannot sort by a sum or a mean then.
   */
  summed?: { sql: string; as: 'sum' | 'mean' }
}

/**
 * Percentiles are exact: the value at rank ceil(percent / 100 * n), by counts of distinct values. The level is reduced
 * by this margin so that the rounding of the product cannot raise a whole rank to the next rank.
 */
const RANK_MARGIN = 1e-12

/**
 * Translates an aggregate to SQL. Undefined if ClickHouse has no aggregate of exactly the same meaning: the aggregate
 * is then computed over the rows that the server returns.
 */
export function lowerAggregate({ fn, args }: Aggregate, table: Table): Lowered | undefined {
  const [value, option] = args
  if (value === undefined) return fn === 'count' ? counted('count()', NO_EXCEPTIONS) : undefined
  if (fn === 'countif' || fn === 'share') {
    const condition = lowerCondition(value, table)
    if (condition === undefined) return undefined
    const { isTrue, exceptions } = condition
    return fn === 'countif'
      ? counted(`countIf(${isTrue})`, exceptions)
      : one(orNull(`countIf(${isTrue}) / count()`), exceptions, (cell) => cell)
  }
  const operand = operandOf(value, table)
  if (operand === undefined || operand.type === 'areas') return undefined
  const sql = nullableSql(operand)
  const exceptions = exceptionsOf(operand)
  switch (fn) {
    case 'count':
      return counted(`count(${sql})`, exceptions)
    case 'count_distinct':
    case 'approx_count_distinct':
      return counted(`uniqExact(${sql})`, exceptions)
    case 'min':
    case 'max':
      // The order across types is not that of tagged texts.
      if (operand.type === 'json') return undefined
      return one(orNull(`${fn}(${sql})`), exceptions, readerOf(operand))
    case 'any_value':
      return one(orNull(`any(${sql})`), exceptions, readerOf(operand))
    default:
      return operand.type === 'number' ? ofNumbers(fn, operand, option) : undefined
  }
}

/** Without rows, aggregates of columns that have no nulls are empty texts and zeros. */
const orNull = (sql: string) => `if(count() = 0, NULL, ${sql})`

const one = (sql: string, exceptions: Exceptions, read: (cell: Cell) => Scalar): Lowered => ({
  values: [sql],
  exceptions,
  read: ([cell]) => read(cell!),
})

const counted = (sql: string, exceptions: Exceptions) => one(sql, exceptions, Number)

/** Returns how the values of an operand are read from the cells of an answer. */
export function readerOf({ type }: Operand): (cell: Cell) => Scalar {
  if (type === 'json') return readTagged
  if (type === 'timestamp') return (cell) => (cell === null ? null : new Timestamp(Number(cell)))
  return (cell) => (typeof cell === 'number' ? cell + 0 : cell)
}

function ofNumbers(fn: Aggregate['fn'], operand: ColumnOperand, option: Aggregate['args'][number] | undefined) {
  const { sql } = operand
  const exceptions = exceptionsOf(operand)
  if (fn === 'sum' || fn === 'avg') {
    const fractions = `countIf(${sql} != trunc(${sql}))`
    const as = fn === 'sum' ? 'sum' : 'mean'
    const values = [`sum(${sql})`, `sum(abs(${sql}))`, `count(${sql})`, fractions]
    return {
      values,
      exceptions,
      read: (cells: readonly Cell[]) => readSum(cells, as),
      summed: { sql, as },
    } satisfies Lowered
  }
  if (fn !== 'quantile' || option?.kind !== 'literal' || typeof option.value !== 'number') return undefined
  return one(`quantileExactWeighted(${option.value / 100 - RANK_MARGIN})(${sql}, 1)`, exceptions, (cell) => cell)
}

/** The largest error of an addition of doubles, relative to the sum of the absolute values. */
const ROUNDING = 2 ** -53
/** Half of the error that the contract allows for a mean: the other half is for the division. */
const TOLERANCE = 5e-13

/**
 * Returns the sum or the mean, or undefined if rounding may have exceeded the tolerance. Sums of whole numbers are
 * exact. Sums of few values that do not cancel out are close. (`sumKahan` would be close for many values, but crashes a
 * cluster of version 18.16.)
 */
function readSum([sum, size, counted, fractions]: readonly Cell[], as: 'sum' | 'mean'): number | null | undefined {
  const count = Number(counted)
  if (count === 0) return null
  if (size === 0) return 0
  // An overflow is not a number in JSON.
  if (typeof sum !== 'number' || typeof size !== 'number') return undefined
  const isExact = Number(fractions) === 0 && size <= Number.MAX_SAFE_INTEGER
  const lost = count * ROUNDING * size
  if (!isExact && lost > TOLERANCE * Math.abs(sum)) return undefined
  return as === 'sum' ? sum : sum / count
}
