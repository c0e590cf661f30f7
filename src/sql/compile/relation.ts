import type { Operator } from '../../plan/plan.js'
import type { Schema } from '../../plan/schema.js'
import type { ColumnCosts } from './cost.js'
import type { Constants } from './scope.js'

/** The rows of a source, a query or a derived table: their plan, and the columns that SQL sees. */
export interface Relation {
  /** Owned by the part of the query that reads the relation. The reader adds operators to the plan. */
  plan: Operator[]
  /** The columns of the plan, including columns that SQL does not see. */
  schema: Schema
  /** The columns that `*` names, in order. */
  names: readonly string[]
  /** The column in which other names are looked up, if SQL does not see the column. By default `metadata`. */
  record?: string
  /** The costs of columns that the plan computes on access. */
  costs: ColumnCosts
  /** The values of literal columns. Conditions on literal columns are decided when the text is compiled. */
  constants: Constants
  /** The depth of nested queries in the relation. */
  levels: number
}
