import type { Operator } from '../../plan/plan.js'
import type { Schema } from '../../plan/schema.js'
import type { ColumnCosts } from './cost.js'
import type { Constants } from './scope.js'

/** The rows of a source, a query or a derived table: their plan, and the columns that SQL sees. */
export interface Relation {
  /** Owned by the part of the query that reads the relation, which adds its operators to it. */
  plan: Operator[]
  /** The columns of the plan, those that SQL does not see too. */
  schema: Schema
  /** The columns that `*` names, in order. */
  names: readonly string[]
  /** The costs of columns that the plan computes when they are read. */
  costs: ColumnCosts
  /** The values of columns that are literals: conditions on them are decided when the text is compiled. */
  constants: Constants
  /** How many queries it is nested in. */
  levels: number
}
