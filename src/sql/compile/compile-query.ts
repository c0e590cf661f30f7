import { didYouMean } from '../../base/text/nearest.js'
import { allSourceNames, findSource, SOURCES, type Source } from '../../common/sources.js'
import { columnsOfSource } from '../../plan/columns.js'
import { call, column, literal } from '../../plan/expression.js'
import { givePlace } from '../../plan/place.js'
import type { NamedExpression, Plan } from '../../plan/plan.js'
import { typeOf } from '../../plan/schema.js'
import type { Type } from '../../plan/values/values.js'
import { invalid, unsupported } from '../parse/fault.js'
import type { Body, From, Node, Query, Select, Table } from '../parse/tree.js'
import { type Amounts, addAmount, addAmounts, type Context, noAmounts, valueOfParameter } from './context.js'
import { type Cost, createCosts } from './cost.js'
import { elementColumns, elementTest } from './elements.js'
import { Expressions } from './expression.js'
import { createGroupRewriter } from './group.js'
import { relationOfLines } from './lines.js'
import type { Relation } from './relation.js'
import type { Scope } from './scope.js'
import { type Block, compileSelect, createFreshNames, type NamedTable, sortKeys } from './select.js'
import { relationOfView } from './view.js'

/** A common table expression, and the amounts that each use adds. */
interface CommonTable {
  relation: Relation
  amounts: Amounts
}

/** The names of the queries around a query, in lower case. */
interface Outer {
  /** The common table expressions in sight. */
  tables: ReadonlyMap<string, CommonTable>
  /** Aliases of tables, which the query cannot refer to. */
  aliases: ReadonlySet<string>
}

/**
 * Returns the plan of a query. JSON in the rows has the form of BigQuery's answers, except that of lines, which stays
 * as it is. Throws an SqlFault.
 */
export function compileQuery(query: Query, context: Context): Plan {
  const isAnswer = context.tables.kind === 'stored'
  return compile(query, { tables: new Map(), aliases: new Set() }, context, isAnswer).plan
}

function compile(query: Query, outer: Outer, context: Context, isAnswer: boolean): Relation {
  checkKeys(query, context)
  const around = { ...outer, tables: withTables(query, outer, context) }
  const { body } = query
  if (body.kind === 'union') return finished(unionBlock(body, query.orderBy, around, context), query, context, isAnswer)
  const inside = { ...around, aliases: new Set([...outer.aliases, ...aliasesOf(body.from)]) }
  const block = compileSelect(body, query.orderBy, {
    context,
    table: tableOf(body.from, around, context, body.at),
    hasTable: body.from !== undefined,
    outerAliases: outer.aliases,
    subquery: (inner) => columnOf(compile(inner, inside, context, false), inner),
  })
  return finished(body.isDistinct ? distinct(block) : block, query, context, isAnswer)
}

/** Refuses more keys than a SELECT may have columns. */
function checkKeys({ orderBy, body }: Query, { limits: { columns } }: Context): void {
  const groupBy = body.kind === 'select' ? body.groupBy : []
  if (orderBy.length > columns) throw unsupported(`ORDER BY has more than ${columns} keys.`, orderBy[columns].by.at)
  if (groupBy.length > columns) throw unsupported(`GROUP BY has more than ${columns} keys.`, groupBy[columns].at)
}

/** The aliases of a table and of the lists of FROM, in lower case. */
function aliasesOf(from: From | undefined): string[] {
  if (from === undefined) return []
  const aliases = [aliasOf(from.table), ...from.unnests.map(({ alias }) => alias)]
  return aliases.flatMap((alias) => (alias === undefined ? [] : [alias.toLowerCase()]))
}

const aliasOf = (table: Table) => table.alias ?? (table.kind === 'derived' ? undefined : table.name)

/** Compiles common table expressions in order: each sees the earlier expressions, and counts only where used. */
function withTables({ tables }: Query, outer: Outer, context: Context): Outer['tables'] {
  if (tables.length === 0) return outer.tables
  const all = new Map(outer.tables)
  for (const { name, query, at } of tables) {
    const lower = name.toLowerCase()
    if (all.get(lower) !== outer.tables.get(lower)) throw invalid(`Two common table expressions are named ${name}.`, at)
    const made = noAmounts()
    const relation = compile(query, { ...outer, tables: all }, { ...context, made }, false)
    all.set(lower, { relation, amounts: made })
  }
  return all
}

/** The plan of a subquery behind IN. Throws `invalid_sql` unless the subquery has a single column. */
function columnOf({ plan, names }: Relation, { at }: Query): Plan {
  if (names.length === 1) return plan
  throw invalid(`The subquery behind IN has ${names.length} columns: select one.`, at)
}

function tableOf(from: From | undefined, outer: Outer, context: Context, at: number): NamedTable {
  if (from === undefined) {
    addAmount(context, 'scans', 1, at)
    return { relation: oneRow(), aliases: new Set(), hiddenNames: new Map() }
  }
  const { table } = from
  const alias = aliasOf(table)
  const aliases = new Set(alias === undefined ? [] : [alias.toLowerCase()])
  const hiddenNames = hiddenNamesOf(table)
  if (table.kind === 'derived') return { relation: compile(table.query, outer, context, false), aliases, hiddenNames }
  const common = table.kind === 'table' ? outer.tables.get(table.name.toLowerCase()) : undefined
  const relation = common === undefined ? storedOf(table, context) : useOf(common, table, context)
  return { relation, aliases, hiddenNames }
}

/** The rows of a source, of a view, or of a stream of lines. */
function storedOf(table: Exclude<Table, { kind: 'derived' }>, context: Context): Relation {
  if (context.tables.kind === 'lines') return relationOfLines(table, context)
  return table.kind === 'view' ? relationOfView(table, context) : sourceOf(table, context)
}

/** The names of a table that the alias hides, in lower case: a source has two names. */
function hiddenNamesOf(table: Table): ReadonlyMap<string, string> {
  const { alias } = table
  if (alias === undefined || table.kind === 'derived') return new Map()
  const names = namesOf(table).map((one) => one.toLowerCase())
  return new Map(names.filter((name) => name !== alias.toLowerCase()).map((name) => [name, alias]))
}

/** The names by which a table can be named in FROM. */
function namesOf({ kind, name }: Exclude<Table, { kind: 'derived' }>): string[] {
  if (kind === 'view') return [name, `view.${name}`]
  const source = sourceNamed(name)
  return source === undefined ? [name] : [name, source.name, source.alias ?? source.name]
}

/** A row without columns, for SELECT without FROM: the only group of no rows. */
const oneRow = (): Relation => ({
  plan: [
    { op: 'scan', sources: ['edge_logs'], fromUs: Number.POSITIVE_INFINITY, throughUs: Number.NEGATIVE_INFINITY },
    { op: 'group', keys: [], aggregates: [] },
  ],
  schema: new Map(),
  names: [],
  costs: new Map(),
  constants: new Map(),
  levels: 0,
})

/** The columns of every source that SQL sees. */
const SOURCE_COLUMNS = ['id', 'timestamp', 'event_message', 'project', 'metadata'] as const

const ALIASES = new Map(SOURCES.map(({ alias, name }) => [alias.toLowerCase(), name]))

function sourceNamed(name: string): Source | undefined {
  const lower = name.toLowerCase()
  return findSource(ALIASES.get(lower) ?? lower)
}

function sourceOf({ name, at }: Table & { kind: 'table' }, context: Context): Relation {
  const source = sourceNamed(name)
  if (source === undefined) throw invalid(`There is no source ${name}. ${unknownSource(name.toLowerCase())}`, at)
  addAmount(context, 'scans', 1, at)
  const { POSITIVE_INFINITY: throughUs, NEGATIVE_INFINITY: fromUs } = Number
  return {
    plan: [{ op: 'scan', sources: [source.name], fromUs, throughUs }],
    schema: columnsOfSource(source.name),
    names: SOURCE_COLUMNS,
    costs: new Map(),
    constants: new Map(),
    levels: 0,
  }
}

function unknownSource(name: string): string {
  if (name === 'view') return 'A view is named behind a dot, in backticks: view.`edge.requests-by-hour`.'
  const names = allSourceNames()
  const meant = didYouMean(name, names)
  return meant.startsWith('There are') ? meant : `${meant} There are: ${names.join(', ')}.`
}

function useOf({ relation, amounts }: CommonTable, { at }: Table, context: Context): Relation {
  addAmounts(context, amounts, at)
  return { ...relation, plan: [...relation.plan] }
}

type Union = Extract<Body, { kind: 'union' }>

/** The rows of all parts of a UNION ALL, with the names of the first, sorted by their columns. */
function unionBlock({ parts }: Union, orderBy: Query['orderBy'], outer: Outer, context: Context): Block {
  const relations = parts.map((part) => compile('body' in part ? part : queryOf(part), outer, context, false))
  const [first] = relations
  for (const [i, { names }] of relations.entries()) {
    if (names.length === first!.names.length) continue
    const { at } = parts[i]
    throw invalid(`The parts of UNION ALL have ${first!.names.length} and ${names.length} columns.`, at)
  }
  const schema = unionSchema(relations)
  const fresh = createFreshNames(schema)
  const outputs = first!.names.map((name) => ({ name, value: column(name), at: parts[0].at }))
  const expressions = new Expressions(context, columnScope(schema, outer, context), { ...noSubqueries(), fresh })
  return {
    plan: relations.length === 1 ? first!.plan : [{ op: 'union', plans: relations.map(({ plan }) => plan) }],
    schema,
    outputs,
    keys: sortKeys(orderBy, outputs, (node) => expressions.compile(node)),
    costs: unionCosts(relations),
    levels: Math.max(...relations.map(({ levels }) => levels)),
    fresh,
  }
}

/** The scope of rows with only the columns of a schema. */
function columnScope(schema: Map<string, Type>, { aliases }: Outer, context: Context): Scope {
  return {
    columns: new Map([...schema.keys()].map((name) => [name.toLowerCase(), name])),
    constants: new Map(),
    tableAliases: new Set(),
    hiddenNames: new Map(),
    unnestAliases: new Map(),
    unnests: [],
    outerAliases: aliases,
    schema,
    count: (expressions, at) => addAmount(context, 'expressions', expressions, at),
  }
}

/** A union has no operators before ORDER BY that could run a subquery. */
const noSubqueries = () => ({
  before: [],
  subqueries: new Map<string, string>(),
  subqueryPlaces: new Map<string, number>(),
  subquery: ({ at }: Query): Plan => {
    throw invalid('A subquery in ORDER BY of a union is not covered.', at)
  },
})

const queryOf = (select: Select): Query => ({
  at: select.at,
  depth: 1,
  tables: [],
  body: select,
  orderBy: [],
  limit: undefined,
  offset: undefined,
})

function unionSchema(parts: readonly Relation[]): Map<string, Type> {
  const types = parts.map(({ names, schema }) => names.map((name) => schema.get(name)!))
  return new Map(
    parts[0].names.map((name, i) => [name, types.every((list) => list[i] === types[0][i]) ? types[0][i] : 'any']),
  )
}

function unionCosts(parts: readonly Relation[]): Map<string, Cost> {
  const costs = new Map<string, Cost>()
  for (const [i, name] of parts[0].names.entries()) {
    for (const { names, costs: own } of parts) {
      const [cost, most] = [own.get(names[i]), costs.get(name)]
      if (cost !== undefined && cost.expressions > (most?.expressions ?? 0)) costs.set(name, cost)
    }
  }
  return costs
}

const notSelected = (name = 'this value') =>
  `SELECT DISTINCT is sorted by what it selects: select ${name} too, or use GROUP BY.`

/** SELECT DISTINCT: a group for each combination of outputs, sorted by outputs. */
function distinct(block: Block): Block {
  const { plan, schema, outputs, keys } = block
  const types = outputs.map(({ name, value }) => [name, typeOf(value, schema)] as const)
  plan.push({ op: 'group', keys: outputs.map(({ name, value }) => ({ name, value })), aggregates: [] })
  const rewrite = createGroupRewriter(outputs, new Set(), notSelected)
  return {
    ...block,
    schema: new Map(types),
    outputs: outputs.map((output) => ({ ...output, value: column(output.name) })),
    keys: keys.map((key) => ({ ...key, by: rewrite(key.by, key.at) })),
    costs: new Map(),
  }
}

/** Chooses the columns of a block, sorts and limits its rows. */
function finished(block: Block, query: Query, context: Context, isAnswer: boolean): Relation {
  const { plan, schema, outputs, costs, levels } = block
  if (levels >= context.limits.levels)
    throw unsupported(`The query is nested deeper than ${context.limits.levels} levels.`, query.at)
  const measure = createCosts(costs, context.limits)
  const order = orderColumns(block)
  if (order.length > 0) plan.push({ op: 'extend', columns: order.map(({ name, by }) => ({ name, value: by })) })
  const types = outputs.map(({ name, value }) => [name, typeOf(value, schema)] as const)
  const columns = isAnswer ? asAnswer(block, context) : outputs.map(({ name, value }) => ({ name, value }))
  plan.push({ op: 'select', columns })
  if (order.length > 0)
    plan.push({
      op: 'orderBy',
      keys: order.map(({ name, direction, nulls }) => ({ by: column(name), direction, nulls })),
    })
  const hasLimit = query.limit !== undefined
  if (hasLimit) {
    const rows = rowsOf(query.limit!, context, 'LIMIT')
    plan.push({ op: 'limit', rows, offset: query.offset === undefined ? 0 : rowsOf(query.offset, context, 'OFFSET') })
  }
  const outputCosts = outputs.map(({ name, value, at }) => [name, measure(value, at)] as const)
  return {
    plan,
    schema: new Map(types),
    names: outputs.map(({ name }) => name),
    costs: new Map(hasLimit ? [] : outputCosts),
    constants: new Map(outputs.flatMap(({ name, value }) => (value.kind === 'literal' ? [[name, value]] : []))),
    levels: levels + 1,
  }
}

/** The keys as columns to sort by, with names that no column of the answer has: an output would hide the key. */
function orderColumns({ keys, outputs, fresh }: Block): readonly (Block['keys'][number] & { name: string })[] {
  if (keys.length === 0) return []
  const taken = new Set(outputs.map(({ name }) => name))
  return keys.map((key) => {
    let name = fresh('order')
    while (taken.has(name)) name = fresh('order')
    return { ...key, name }
  })
}

/**
 * JSON in the form of BigQuery's answers: an object is in a list of length 1, unless the object is an element of a
 * list. An object that the query itself makes stays an object.
 */
function asAnswer({ plan, schema, outputs }: Block, context: Context): NamedExpression[] {
  const isElement = elementTest(elementColumns(plan))
  return outputs.map(({ name, value, at }) => {
    const type = typeOf(value, schema)
    const mayBeJson = type === 'json' || type === 'any' || type === 'list'
    if (!mayBeJson || (value.kind === 'call' && value.fn === 'json_object')) return { name, value }
    const made = isElement(value) ? call('repeated', value, literal(true)) : call('repeated', value)
    givePlace(made, context.placeOf(at))
    return { name, value: made }
  })
}

function rowsOf(node: Node, context: Context, clause: string): number {
  const value =
    node.kind === 'literal' ? node.value : node.kind === 'parameter' ? valueOfParameter(node, context) : null
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw invalid(`${clause} takes a whole number from 0, or a parameter.`, node.at)
}
