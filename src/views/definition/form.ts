import { isAggregate } from '../../sql/parse/aggregate-names.js'
import type { From, Node, NodeOf, OrderItem, Query, Select } from '../../sql/parse/tree.js'
import type { Fail } from './faults.js'
import { NOT_MERGED, nowFault, PARAMETER, ROWS, SUBQUERY } from './refusals.js'

/** A query, and the common table expressions in its sight. */
interface Inner {
  query: Query
  tables: Tables
}

/** Common table expressions by their names in lower case. Each sees the earlier expressions. */
type Tables = ReadonlyMap<string, Inner>

/**
 * Returns the SELECT of a query that groups rows, and the place of its GROUP BY. Fails if the query has another form
 * than a view: rows of sources, one grouping, and operators behind the grouping that work on single groups.
 */
export function checkForm(query: Query, fail: Fail): { groupByAt: number } {
  const { select, orderBy, tables } = groupingIn({ query, tables: new Map() }, fail)
  const [first] = select.groupBy
  if (first === undefined) return fail(ROWS.noGroupBy, select.at)
  const check = createRowChecks(fail)
  check.fromClause(select, tables)
  check.below(select.where)
  for (const key of select.groupBy) check.below(key)
  const keys = keyItems(select)
  for (const item of select.items) {
    if (item.kind === 'value') (keys.has(item.value) ? check.below : check.behind)(item.value)
  }
  for (const node of [select.having, ...orderBy.map(({ by }) => by)]) check.behind(node)
  return { groupByAt: first.at }
}

interface Found {
  select: Select
  orderBy: readonly OrderItem[]
  tables: Tables
}

/** Finds the SELECT that groups, through the queries around it. */
function groupingIn(inner: Inner, fail: Fail): Found {
  const { query } = inner
  const tables = tablesOf(inner)
  const { body, orderBy, limit, offset } = query
  const { behind } = createRowChecks(fail)
  for (const node of [limit, offset]) behind(node)
  if (body.kind === 'union') {
    const [first, second] = body.parts
    if (second !== undefined) fail(ROWS.unionOfGroups, second.at)
    if ('body' in first!) return groupingIn({ query: first, tables }, fail)
    return inSelect(first!, [], tables, fail)
  }
  return inSelect(body, orderBy, tables, fail)
}

function inSelect(select: Select, orderBy: readonly OrderItem[], tables: Tables, fail: Fail): Found {
  if (select.isDistinct) fail(ROWS.distinct, select.at)
  if (isGrouped(select, orderBy)) return { select, orderBy, tables }
  const { from } = select
  if (from === undefined) return fail(ROWS.noSource, select.at)
  const [unnest] = from.unnests
  if (unnest !== undefined) fail(ROWS.unnest, unnest.at)
  const inner = innerOf(from, tables)
  if (inner === undefined) return fail(from.table.kind === 'view' ? ROWS.viewOfView : ROWS.noGroupBy, from.table.at)
  const check = createRowChecks(fail)
  for (const node of [select.where, ...select.items.map(nodeOf), ...orderBy.map(({ by }) => by)]) check.behind(node)
  return groupingIn(inner, fail)
}

const nodeOf = (item: Select['items'][number]) => (item.kind === 'value' ? item.value : undefined)

/** The query that a table of FROM is: derived, or a common table expression. Undefined for a source or a view. */
function innerOf({ table }: From, tables: Tables): Inner | undefined {
  if (table.kind === 'derived') return { query: table.query, tables }
  return table.kind === 'table' ? tables.get(table.name.toLowerCase()) : undefined
}

function tablesOf({ query, tables: outer }: Inner): Tables {
  let tables = outer
  for (const table of query.tables)
    tables = new Map([...tables, [table.name.toLowerCase(), { query: table.query, tables }]])
  return tables
}

function isGrouped({ groupBy, having, items }: Select, orderBy: readonly OrderItem[]): boolean {
  const hasAggregate = (node: Node | undefined) => node?.hasAggregate === true
  const nodes = [...items.map(nodeOf), ...orderBy.map(({ by }) => by)]
  return groupBy.length > 0 || having !== undefined || nodes.some(hasAggregate)
}

/** The items of SELECT that GROUP BY names, by name or number. */
function keyItems({ items, groupBy }: Select): Set<Node> {
  const hasAll = items.some(({ kind }) => kind === 'all')
  const values = items.flatMap((item, i) => (item.kind === 'value' ? [{ ...item, number: i + 1 }] : []))
  const isKey = ({ value, name, number }: (typeof values)[number], key: Node) => {
    if (key.kind === 'literal') return hasAll || key.value === number
    const own = name ?? (value.kind === 'name' ? value.steps.at(-1) : undefined)
    return key.kind === 'name' && key.steps.length === 1 && key.steps[0]!.toLowerCase() === own?.toLowerCase()
  }
  return new Set(values.filter((item) => groupBy.some((key) => isKey(item, key))).map(({ value }) => value))
}

const NOW: ReadonlySet<string> = new Set(['current_timestamp', 'current_datetime', 'current_date'])

/** The checks of expressions. */
function createNodeChecks(fail: Fail) {
  /** Checks the parts below the grouping. */
  function below(node: Node | undefined): void {
    if (node?.kind === 'call' && NOW.has(node.name)) fail(nowFault(node.name), node.at)
    visit(node, below)
  }

  /** Checks the parts behind the grouping. Arguments of aggregates are below. */
  function behind(node: Node | undefined): void {
    if (node?.kind === 'call' && isAggregate(node.name)) aggregate(node)
    else visit(node, behind)
  }

  function visit(node: Node | undefined, visitPart: (part: Node | undefined) => void): void {
    if (node?.kind === 'parameter') fail(PARAMETER(node.name), node.at)
    if (node?.kind === 'inQuery') fail(SUBQUERY, node.at)
    if (node?.kind === 'interval') visitPart(node.count)
    else if (node !== undefined && 'args' in node) for (const arg of node.args) visitPart(arg)
  }

  function aggregate(node: NodeOf<'call'>): void {
    const refusal = NOT_MERGED.get(node.isDistinct ? `${node.name}(distinct x)` : node.name)
    if (refusal !== undefined) fail(refusal, node.at)
    for (const arg of [...node.args, node.limit]) below(arg)
  }

  return { below, behind }
}

/** The checks of the rows below the grouping. Each query is checked once. */
function createRowChecks(fail: Fail) {
  const checked = new Set<Query>()
  const { below, behind } = createNodeChecks(fail)

  function fromClause(select: Select, tables: Tables): void {
    const { from, at } = select
    if (from === undefined) throw fail(ROWS.noSource, at)
    const { table, unnests } = from
    if (table.kind === 'view') fail(ROWS.viewOfView, table.at)
    const [unnest] = unnests
    if (unnest !== undefined) fail(ROWS.unnest, unnest.at)
    const inner = innerOf(from, tables)
    if (inner !== undefined) rows(inner)
  }

  /** Checks the query of the grouped rows. */
  function rows(inner: Inner): void {
    const { query } = inner
    if (checked.has(query)) return
    checked.add(query)
    const tables = tablesOf(inner)
    const [order] = query.orderBy
    if (order !== undefined) fail(ROWS.order, order.by.at)
    if (query.limit !== undefined) fail(ROWS.limit, query.limit.at)
    const { body } = query
    for (const part of body.kind === 'union' ? body.parts : [body]) {
      if ('body' in part) rows({ query: part, tables })
      else ofSelect(part, tables)
    }
  }

  function ofSelect(select: Select, tables: Tables): void {
    if (select.isDistinct) fail(ROWS.distinct, select.at)
    if (isGrouped(select, [])) fail(ROWS.twoGroupings, select.at)
    fromClause(select, tables)
    below(select.where)
    for (const item of select.items) below(nodeOf(item))
  }

  return { below, behind, fromClause }
}
