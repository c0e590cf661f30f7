import type { Expression } from '../../plan/expression.js'

/** Throws the error of a problem at an offset of the text. */
export type Fail = (problem: string, at: number) => never

/** Throw the errors of a view's plan. */
export interface Faults {
  at: Fail
  /** The offset of the first key of GROUP BY. */
  groupByAt: number
  /** Throws the error of a problem at the place of a call, as far as known. */
  of(expression: Expression, problem: string): never
}
