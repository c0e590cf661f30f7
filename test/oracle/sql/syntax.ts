import type { FunctionName } from '../../../src/plan/functions/table.js'
import type { Scalar } from '../../../src/plan/values/values.js'
import { OracleError } from '../plan/values.js'

/** An expression of a text, before names have a meaning. Operators are functions of plans already. */
export type Syntax =
  | { kind: 'literal'; value: Scalar }
  | { kind: 'parameter'; name: string }
  /** The steps of a name, as written. */
  | { kind: 'name'; steps: readonly string[] }
  /** The time of the query. */
  | { kind: 'now' }
  /** An operator: a function of plans. */
  | { kind: 'operator'; fn: FunctionName; args: readonly Syntax[] }
  /** A function of SQL, the name in lower case. */
  | { kind: 'call'; fn: string; args: readonly Syntax[]; isDistinct?: boolean; limit?: Syntax }
  /** The `*` of `count(*)`. */
  | { kind: 'star' }
  | { kind: 'interval'; count: Syntax; unit: string }
  | { kind: 'in'; value: Syntax; query: Query }

/** An item of SELECT: an expression, or all columns of a table. Without `table`, of the only table. */
export type Item = { kind: 'value'; value: Syntax; alias?: string } | { kind: 'all'; table?: string }

/** A key of ORDER BY. */
export interface Order {
  by: Syntax
  isDescending: boolean
  /** Undefined if not written. */
  areNullsFirst?: boolean
}

/** The table of FROM. */
export type Table = { kind: 'named'; name: string; alias?: string } | { kind: 'derived'; query: Query; alias?: string }

/** An unnest of FROM. */
export interface Unnest {
  path: Syntax
  alias?: string
  isOuter: boolean
}

/** A SELECT, up to HAVING. */
export interface Select {
  isDistinct: boolean
  items: readonly Item[]
  /** Undefined without FROM. */
  table?: Table
  unnests: readonly Unnest[]
  where?: Syntax
  groupBy: readonly Syntax[]
  having?: Syntax
}

/** The body of a query: a SELECT, a query in parentheses, or a union of two bodies. */
export type Body =
  | { kind: 'select'; select: Select }
  | { kind: 'query'; query: Query }
  | { kind: 'union'; left: Body; right: Body }

/** A query: WITH, body, ORDER BY, LIMIT and OFFSET. */
export interface Query {
  ctes: readonly { name: string; query: Query }[]
  body: Body
  orderBy: readonly Order[]
  limit?: Syntax
  offset?: Syntax
}

/** A literal. */
export const literalOf = (value: Scalar): Syntax => ({ kind: 'literal', value })

/** A function of plans over other expressions. */
export const operator = (fn: FunctionName, ...args: readonly Syntax[]): Syntax => ({ kind: 'operator', fn, args })

/** Refuses a text that is wrong. */
export const wrong = (): never => {
  throw new OracleError('invalid_sql')
}

/** Refuses a text that is SQL, but outside of the subset. */
export const unsupported = (): never => {
  throw new OracleError('unsupported_sql')
}
