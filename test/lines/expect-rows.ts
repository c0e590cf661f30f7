import { expect } from 'vitest'

/** Whether the rows are a list: of an order, or in the order of the lines. Else the rows are a set. */
const isList = (sql: string) => /\border by\b/.test(sql) || !/\b(group by|distinct)\b/.test(sql)

/** A row as a text: the names of a row are a set. */
const textOf = (row: unknown) => row && JSON.stringify(Object.entries(row).sort())

/** Expects equal rows, and shows the first difference. */
export function expectRows(
  sql: string,
  actual: readonly unknown[],
  expected: readonly unknown[],
  isOrdered = isList(sql),
): void {
  const inOrder = (rows: readonly unknown[]) =>
    isOrdered ? rows : rows.toSorted((a, b) => compare(textOf(a), textOf(b)))
  const [own, others] = [inOrder(actual), inOrder(expected)]
  const at = own.findIndex((row, i) => textOf(row) !== textOf(others[i]))
  expect({ sql, row: textOf(own[at]), length: own.length }).toEqual({
    sql,
    row: textOf(others[at]),
    length: others.length,
  })
}

const compare = (a: unknown, b: unknown) => (String(a) < String(b) ? -1 : 1)
