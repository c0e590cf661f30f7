import { column, columnsOf, type Expression } from '../../plan/expression.js'
import type { NamedExpression, Operator, Plan, SortKey } from '../../plan/plan.js'
import { typeOf } from '../../plan/schema.js'
import type { Type } from '../../plan/values/values.js'
import { giveName } from '../../plan/written-name.js'
import { invalid } from '../parse/fault.js'
import type { Node, OrderItem, Query, Select, Unnest } from '../parse/tree.js'
import { Aggregates } from './aggregates.js'
import { addAmount, type Context } from './context.js'
import { type ColumnCosts, createCosts } from './cost.js'
import { Expressions, type Surroundings } from './expression.js'
import { createGroupRewriter } from './group.js'
import { type Output, outputsOf } from './outputs.js'
import type { Relation } from './relation.js'
import type { Scope } from './scope.js'

/** A table of FROM, and the names of the table there. */
export interface NamedTable {
  relation: Relation
  aliases: ReadonlySet<string>
  /** The names that the alias hides, in lower case, each with the alias. Empty if the table has no alias. */
  hiddenNames: ReadonlyMap<string, string>
}

/** The query around a SELECT: the table, and a compiler of subqueries. */
export interface SelectContext {
  context: Context
  /** Undefined: there is no FROM. */
  table: NamedTable
  hasTable: boolean
  /** Aliases of the outer queries, in lower case. */
  outerAliases: ReadonlySet<string>
  subquery(query: Query): Plan
}

/** A key of ORDER BY, and its place in the text. */
export type PlacedKey = SortKey & { at: number }

/** A SELECT with its order, before columns are chosen: operators, and expressions over the rows of the operators. */
export interface Block {
  plan: Operator[]
  schema: Map<string, Type>
  outputs: readonly (NamedExpression & { at: number })[]
  keys: readonly PlacedKey[]
  costs: ColumnCosts
  /** How deep the table is nested. */
  levels: number
  /** Returns a column name that the rows do not have. */
  fresh(prefix: string): string
}

/** Compiles a SELECT and its ORDER BY. */
export function compileSelect(select: Select, orderBy: readonly OrderItem[], around: SelectContext): Block {
  const compiler = new SelectCompiler(select, around)
  const isGrouped =
    select.groupBy.length > 0 ||
    select.having !== undefined ||
    compiler.outputs.some(({ node }) => node?.hasAggregate) ||
    orderBy.some(({ by }) => by.hasAggregate)
  return isGrouped ? compiler.grouped(orderBy) : compiler.ungrouped(orderBy)
}

/**
 * Returns a function that makes column names. A name starts with a prefix, is not in `taken`, and was not made before.
 * A number that was tried is not tried again, so that many names cost no more than the names in `taken`.
 */
export function createFreshNames(taken: ReadonlyMap<string, unknown>): (prefix: string) => string {
  let number = 0
  return (prefix) => {
    while (taken.has(`${prefix} ${number}`)) number++
    return `${prefix} ${number++}`
  }
}

class SelectCompiler {
  readonly outputs: readonly Output[]
  /** Outputs by name in lower case. Undefined before the first lookup. */
  #outputsByName: ReadonlyMap<string, Output> | undefined
  readonly #select: Select
  readonly #around: SelectContext
  readonly #plan: Operator[]
  readonly #schema: Map<string, Type>
  readonly #scope: Scope
  readonly #before: Operator[] = []
  readonly #ofRows: Surroundings
  readonly #rows: Expressions
  readonly #measure: ReturnType<typeof createCosts>
  readonly #fresh: (prefix: string) => string

  constructor(select: Select, around: SelectContext) {
    const { table, context } = around
    const { relation, aliases, hiddenNames } = table
    this.#select = select
    this.#around = around
    this.#plan = relation.plan
    this.#schema = new Map(relation.schema)
    this.#fresh = createFreshNames(this.#schema)
    this.#measure = createCosts(relation.costs, context.limits)
    this.#scope = this.#joined({
      columns: new Map(relation.names.map((name) => [name.toLowerCase(), name])),
      constants: relation.constants,
      tableAliases: aliases,
      hiddenNames,
      unnestAliases: new Map(),
      record: relation.record,
      unnests: [],
      outerAliases: around.outerAliases,
      schema: this.#schema,
      count: (expressions, at) => addAmount(context, 'expressions', expressions, at),
    })
    this.#ofRows = this.#surroundings(this.#before)
    this.#rows = new Expressions(context, this.#scope, this.#ofRows)
    const named = { names: relation.names, aliases, hiddenNames, hasTable: around.hasTable }
    this.outputs = outputsOf(select.items, named, context.limits.columns)
    // The columns of `*` are not nodes of the text.
    for (const { column, at } of this.outputs) if (column !== undefined) addAmount(context, 'expressions', 1, at)
    this.#filter()
  }

  #surroundings(before: Operator[]): Surroundings {
    const { subquery } = this.#around
    return { before, subquery, subqueries: new Map(), subqueryPlaces: new Map(), fresh: this.#fresh }
  }

  /** The operators that expressions need so far. */
  #flush(): void {
    this.#plan.push(...this.#before.splice(0))
  }

  /** Adds the lists of FROM to the plan. Each list sees the earlier tables. */
  #joined(scope: Scope): Scope {
    return (this.#select.from?.unnests ?? []).reduce((before, unnest) => this.#unnested(unnest, before), scope)
  }

  #unnested({ list, alias, isOuter, at }: Unnest, scope: Scope): Scope {
    addAmount(this.#around.context, 'unnests', 1, at)
    const expressions = new Expressions(this.#around.context, scope, this.#surroundings(this.#before))
    const value = expressions.compile(list)
    this.#measure(value, at)
    this.#flush()
    const name = this.#fresh('element')
    this.#plan.push({ op: 'unnest', list: value, name, isOuter })
    this.#schema.set(name, 'any')
    const unnests = [name, ...scope.unnests]
    if (alias === undefined) return { ...scope, unnests }
    const lower = alias.toLowerCase()
    if (scope.unnestAliases.has(lower) || scope.tableAliases.has(lower))
      throw invalid(`Two tables are named ${alias}.`, at)
    return { ...scope, unnests, unnestAliases: new Map([...scope.unnestAliases, [lower, name]]) }
  }

  #filter(): void {
    const { where } = this.#select
    if (where === undefined) return
    // WHERE does not see outputs: the name of an output is read as a field, which no row may have.
    this.#ofRows.hiddenOutputs = this.#namedOutputs()
    const condition = this.#rows.compileCondition(where)
    delete this.#ofRows.hiddenOutputs
    this.#measure(condition, where.at)
    this.#flush()
    if (condition.kind !== 'literal' || condition.value !== true) this.#plan.push({ op: 'filter', where: condition })
  }

  /** The names that outputs are given in the text, in lower case. */
  #namedOutputs(): ReadonlySet<string> {
    const names = this.#select.items.map((item) => (item.kind === 'value' ? item.name : undefined))
    return new Set(names.flatMap((name) => (name === undefined ? [] : [name.toLowerCase()])))
  }

  #block(outputs: Block['outputs'], keys: readonly PlacedKey[], costs: ColumnCosts): Block {
    const { levels } = this.#around.table.relation
    return { plan: this.#plan, schema: this.#schema, outputs, keys, costs, levels, fresh: this.#fresh }
  }

  ungrouped(orderBy: readonly OrderItem[]): Block {
    const outputs = this.outputs.map((output) => {
      const value = output.node === undefined ? columnOf(output.column, output.at) : this.#rows.compile(output.node)
      this.#measure(value, output.at)
      return { name: output.name, value, at: output.at }
    })
    const keys = orderBy.length === 0 ? [] : this.#sortKeys(orderBy, outputs)
    this.#flush()
    return this.#block(outputs, keys, this.#around.table.relation.costs)
  }

  /** The keys of rows. A key may name an output. */
  #sortKeys(orderBy: readonly OrderItem[], outputs: Block['outputs']): PlacedKey[] {
    const surroundings = { ...this.#ofRows, outputs: byName(outputs) }
    const expressions = new Expressions(this.#around.context, this.#scope, surroundings)
    return sortKeys(orderBy, outputs, (node) => {
      const key = expressions.compile(node)
      this.#measure(key, node.at)
      return key
    })
  }

  /** Groups the rows. HAVING and ORDER BY may name outputs, and may have further aggregates. */
  grouped(orderBy: readonly OrderItem[]): Block {
    const { context } = this.#around
    const aggregates = new Aggregates(this.#rows, this.#fresh, this.#schema)
    const after: Operator[] = []
    const keys = this.#keys()
    const mixed: Surroundings = {
      ...this.#surroundings(after),
      subqueries: this.#subqueriesIn(keys),
      aggregate: (node) => aggregates.add(node),
    }
    const groups = new Expressions(context, this.#scope, mixed)
    const compiled = this.outputs.map(({ name, node, column: own, at }) => {
      return { name, value: node === undefined ? columnOf(own, at) : groups.compile(node), at }
    })
    const named = new Expressions(context, this.#scope, { ...mixed, outputs: byName(compiled) })
    const { having } = this.#select
    const condition = having && named.compileCondition(having)
    const sorted = sortKeys(orderBy, compiled, (node) => named.compile(node))
    this.#flush()
    aggregates.measure(this.#measure)
    this.#plan.push({ op: 'group', keys, aggregates: aggregates.named })
    return this.#overGroups({
      keys,
      compiled,
      having,
      condition,
      sorted,
      aggregates,
      after,
      places: mixed.subqueryPlaces,
    })
  }

  /** Rewrites expressions over rows and aggregates as expressions over groups. */
  #overGroups(parts: {
    keys: readonly NamedExpression[]
    compiled: Block['outputs']
    having: Node | undefined
    condition: Expression | undefined
    sorted: readonly PlacedKey[]
    aggregates: Aggregates
    after: readonly Operator[]
    /** The offsets of the subqueries in `after`. */
    places: ReadonlyMap<string, number>
  }): Block {
    const { keys, compiled, having, condition, sorted, aggregates, after, places } = parts
    const types = keys.map(({ name, value }) => [name, typeOf(value, this.#schema)] as const)
    const kept = new Map<string, Type>([
      ...aggregates.named.map(({ name }) => [name, this.#schema.get(name)!] as const),
      ...after.map((operator) => [nameOf(operator), 'boolean'] as const),
    ])
    const rewrite = createGroupRewriter(keys, kept)
    this.#schema.clear()
    for (const [name, type] of [...types, ...kept]) this.#schema.set(name, type)
    for (const operator of after)
      this.#plan.push(
        operator.op === 'isIn' ? { ...operator, value: rewrite(operator.value, places.get(operator.name)!) } : operator,
      )
    if (condition !== undefined) this.#plan.push({ op: 'filter', where: rewrite(condition, having!.at) })
    const outputs = compiled.map((output) => ({ ...output, value: rewrite(output.value, output.at) }))
    const order = sorted.map((key) => ({ ...key, by: rewrite(key.by, key.at) }))
    return this.#block(outputs, order, new Map())
  }

  /** The keys of GROUP BY: numbers and names of outputs, or expressions over rows. */
  #keys(): NamedExpression[] {
    const { groupBy } = this.#select
    const keys = new Map<Expression, NamedExpression>()
    for (const node of groupBy) {
      const output = this.#outputOf(node)
      const value = output?.column === undefined ? this.#rows.compile(output?.node ?? node) : column(output.column)
      this.#measure(value, node.at)
      if (!keys.has(value)) keys.set(value, { name: this.#fresh('key'), value })
    }
    return [...keys.values()]
  }

  /** The columns of subqueries that are part of keys: outputs may have the same subquery. */
  #subqueriesIn(keys: readonly NamedExpression[]): Map<string, string> {
    const names = new Set(keys.flatMap(({ value }) => [...columnsOf(value)]))
    return new Map([...this.#ofRows.subqueries].filter(([, name]) => names.has(name)))
  }

  #outputOf(node: Node): Output | undefined {
    const place = placeOf(node, this.outputs.length, 'GROUP BY')
    const name = node.kind === 'name' && node.steps.length === 1 ? node.steps[0].toLowerCase() : undefined
    const named = name === undefined ? undefined : this.#outputNamed(name)
    const output = place === undefined ? named : this.outputs[place]
    if (output?.node?.hasAggregate)
      throw invalid(`The output column ${output.name} has an aggregate: it cannot be a key.`, node.at)
    return output
  }

  #outputNamed(name: string): Output | undefined {
    this.#outputsByName ??= new Map(this.outputs.map((output) => [output.name.toLowerCase(), output]))
    return this.#outputsByName.get(name)
  }
}

/** A column that `*` names. */
const columnOf = (name: string, at: number) => giveName(column(name), { name, at })

const nameOf = (operator: Operator) => ('name' in operator ? operator.name : '')

const byName = (outputs: Block['outputs']) => new Map(outputs.map(({ name, value }) => [name.toLowerCase(), value]))

/** The place of an output that a whole number names, from 0, or undefined for any other node. */
function placeOf(node: Node, count: number, clause: string): number | undefined {
  if (node.kind !== 'literal' || typeof node.value !== 'number' || !Number.isInteger(node.value)) return undefined
  if (node.value >= 1 && node.value <= count) return node.value - 1
  throw invalid(`${clause} ${node.value} names no output column: there are ${count}.`, node.at)
}

/** The keys of ORDER BY. */
export function sortKeys(
  orderBy: readonly OrderItem[],
  outputs: Block['outputs'],
  compile: (node: Node) => Expression,
): PlacedKey[] {
  return orderBy.map(({ by, direction, nulls }) => {
    const place = placeOf(by, outputs.length, 'ORDER BY')
    return { by: place === undefined ? compile(by) : outputs[place].value, direction, nulls, at: by.at }
  })
}
