import type { NamedExpression, SortKey } from '../../../plan/plan.js'

/** The first rows of an order, of any order without keys, and their columns. */
export interface TopSink {
  op: 'top'
  keys: readonly SortKey[]
  /** Infinity for all rows. */
  rows: number
  offset: number
  columns: readonly NamedExpression[]
  /** Whether the last row is returned first: rows with equal keys are then in the order of arrival. */
  isReversed: boolean
  /**
   * The name of an added last column: the place of each row among all rows of that timestamp in order of arrival, from
   * 1. Ties go by arrival then, in the direction of the only key, which is the stored timestamp. Undefined for none.
   */
  rank: string | undefined
}
