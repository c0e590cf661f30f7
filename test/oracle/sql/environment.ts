import type { Operator } from '../../../src/plan/plan.js'
import type { Scalar } from '../../../src/plan/values/values.js'
import type { Query } from './syntax.js'

/** The operators of a query, and the names of the query's columns in order. */
export interface Rows {
  plan: readonly Operator[]
  columns: readonly string[]
}

/** The names that a query may refer to from outside of the query. */
export interface Environment {
  /** Common table expressions, by name in lower case. */
  ctes: ReadonlyMap<string, Rows>
  /**
   * The aliases of the tables and lists of all queries around the query, in lower case. No name may mean a hidden
   * alias.
   */
  hidden: ReadonlySet<string>
  parameters: Readonly<Record<string, Scalar>>
  nowUs: number
  /** Returns the name of a column that no text can name, and no other call returns. */
  freshName(): string
  /** Compiles a query within another query. */
  compile(query: Query, names: Pick<Environment, 'ctes' | 'hidden'>): Rows
}
