import type { FunctionName } from '../../plan/functions/table.js'
import type { Scalar } from '../../plan/values/values.js'

/** The syntax tree of an SQL text. `at` is the offset of a node's first token. `depth` counts levels, a leaf has 1. */
interface Place {
  at: number
  depth: number
  /** Whether the node contains a call of an aggregate, outside of subqueries. */
  hasAggregate: boolean
}

/** An expression. */
export type Node = Place &
  (
    | { kind: 'literal'; value: Scalar }
    | { kind: 'parameter'; name: string }
    /**
     * A column, a field, or a unit of time: the steps of a path as spelled. `isQuoted`: the second step is in
     * backticks.
     */
    | { kind: 'name'; steps: readonly string[]; isQuoted?: boolean }
    /** A call by the name of SQL, in lower case and as spelled. */
    | ({ kind: 'call'; name: string; spelled: string; args: readonly Node[] } & CallOptions)
    /** An operator of the syntax, as a function of plans. */
    | { kind: 'operator'; fn: FunctionName; args: readonly Node[] }
    /** `interval 5 minute`. */
    | { kind: 'interval'; count: Node; unit: string }
    /** `value in (select …)`. */
    | { kind: 'inQuery'; value: Node; query: Query }
  )

/** Options of calls of aggregates, besides arguments. */
export interface CallOptions {
  /** `count(*)`. */
  isStar?: true
  /** `count(distinct x)`. */
  isDistinct?: true
  /** `array_agg(x limit 5)`. */
  limit?: Node
}

/** A node by its kind. */
export type NodeOf<Kind extends Node['kind']> = Extract<Node, { kind: Kind }>

/** `with … select … order by … limit … offset …`. */
export interface Query {
  at: number
  depth: number
  tables: readonly CommonTable[]
  body: Body
  orderBy: readonly OrderItem[]
  limit: Node | undefined
  offset: Node | undefined
}

/** A named query of WITH. Other queries read its rows by that name. */
export interface CommonTable {
  at: number
  name: string
  query: Query
}

/** The part of a query that ORDER BY and LIMIT apply to. */
export type Body = Select | { kind: 'union'; at: number; parts: readonly (Select | Query)[] }

/** `select … from … where … group by … having …`. */
export interface Select {
  kind: 'select'
  at: number
  isDistinct: boolean
  items: readonly Item[]
  from: From | undefined
  where: Node | undefined
  groupBy: readonly Node[]
  having: Node | undefined
}

/** An item of SELECT. `table` is the alias in `t.*`. */
export type Item =
  | { kind: 'all'; at: number; table: string | undefined }
  | { kind: 'value'; value: Node; name: string | undefined }

/** An item of ORDER BY. */
export interface OrderItem {
  by: Node
  direction: 'asc' | 'desc'
  nulls: 'first' | 'last'
}

/** The table of a query, and the joined lists. */
export interface From {
  table: Table
  unnests: readonly Unnest[]
}

/** A source, a common table expression, a view by its name, or a derived table. */
export type Table =
  | { kind: 'table'; at: number; name: string; alias: string | undefined }
  | { kind: 'view'; at: number; name: string; alias: string | undefined }
  | { kind: 'derived'; at: number; query: Query; alias: string | undefined }

/** `cross join unnest(list) as alias`. Outer is `left join … on true`. */
export interface Unnest {
  at: number
  list: Node
  alias: string | undefined
  isOuter: boolean
}
