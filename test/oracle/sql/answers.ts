import { answerValue } from '../../../src/plan/answer.js'
import { RawJson, type Scalar } from '../../../src/plan/values/values.js'
import type { TestRecord } from '../../support/records.js'
import { runSql, type SqlOptions } from './run.js'

/** The values of an answer in JavaScript: a timestamp is microseconds, JSON is parsed. */
export type Plain = Record<string, unknown>

/** 2026-11-25T10:37:42Z. */
export const NOW_US = Date.UTC(2026, 10, 25, 10, 37, 42) * 1000

/**
 * Returns the rows of a query in the order of the oracle. If a row raises an error, throws an Error with the code as
 * message.
 */
export function answerOf(sql: string, records: readonly TestRecord[] = [], options: Partial<SqlOptions> = {}): Plain[] {
  const { outcome } = runSql(sql, records, { nowUs: NOW_US, maxRows: 100, ...options })
  const [error] = outcome.must
  if (error !== undefined) throw new Error(error)
  const { columns, rows, offset, limit } = outcome
  return rows
    .slice(offset, offset + limit)
    .map((cells) => Object.fromEntries(cells.map(({ value }, i) => [columns[i]!, plain(value)])))
}

function plain(value: Scalar): unknown {
  const answered = answerValue(value)
  if (!(answered instanceof RawJson)) return answered
  return typeof value === 'bigint' ? value : JSON.parse(answered.text)
}

/** Returns the value of an expression, of which the query has a single row. */
export function valueOfSql(expression: string, records?: readonly TestRecord[]): unknown {
  const from = records === undefined ? '' : ' from edge_logs'
  return answerOf(`select ${expression} as x${from}`, records)[0]?.x
}

/** Returns the code of the error that a query raises, or undefined. */
export function errorOf(sql: string, records: readonly TestRecord[] = []): string | undefined {
  try {
    answerOf(sql, records)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
