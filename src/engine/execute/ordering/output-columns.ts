import { columnsOf } from '../../../plan/expression.js'
import type { NamedExpression } from '../../../plan/plan.js'
import type { Scalar } from '../../../plan/values/values.js'
import type { OpenCold } from '../columns/batch.js'
import { COLD } from '../expressions/loaded-rows.js'

/** A row found: the keys, the place, and the values of the columns that were read while the batch was open. */
export interface FoundRow {
  keys: readonly Scalar[]
  /** The batch's place in order of arrival, and the row in the batch. */
  batch: number
  row: number
  values: readonly Scalar[]
}

/** The first rows of an order, and how to read the columns that were left for later. */
export interface Found {
  rows: readonly FoundRow[]
  /** The names of `values`. */
  columns: readonly string[]
  /** The members of `columns` with bits of areas as values. */
  areas: ReadonlySet<string>
  /** Open readers of cold columns, by batch. */
  cold: ReadonlyMap<number, OpenCold>
}

/**
 * The output columns of a sink: columns that are read at once, and columns that need cold columns of the rows found.
 */
export interface OutputColumns {
  early: readonly NamedExpression[]
  late: readonly NamedExpression[]
}

/**
 * Separates the columns that need cold columns: cold columns are read for the rows found alone. The other columns that
 * late columns need are read early, under separate names.
 */
export function splitColumns(columns: readonly NamedExpression[], hasCold: boolean): OutputColumns {
  const early: NamedExpression[] = []
  const late: NamedExpression[] = []
  const leaves = new Set<string>()
  for (const column of columns) {
    // Each visit of an expression counts: a query may have 10,000 expressions.
    const names = hasCold ? [...columnsOf(column.value)] : []
    if (!names.some((name) => COLD.has(name))) early.push(column)
    else {
      late.push(column)
      for (const name of names) if (!COLD.has(name)) leaves.add(name)
    }
  }
  const named = [...leaves].map((name): NamedExpression => ({ name: leafName(name), value: { kind: 'column', name } }))
  return { early: [...early, ...named], late }
}

/** The name under which a column that late columns need is kept. Output columns have names without a line break. */
export const leafName = (name: string): string => `\n${name}`

/** Whether a name is the result of {@link leafName}. */
export const isLeafName = (name: string) => name.startsWith('\n')
