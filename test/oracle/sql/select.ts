import { column, columnsOf, type Expression } from '../../../src/plan/expression.js'
import type { NamedAggregate, NamedExpression, Operator, Plan, SortKey } from '../../../src/plan/plan.js'
import type { Environment, Rows } from './environment.js'
import { type Context, compileExpression } from './expression.js'
import { compileFrom } from './from.js'
import { overGroups } from './grouping.js'
import type { Scope } from './names.js'
import { compileOutputs } from './outputs.js'
import { type Order, type Select, type Syntax, wrong } from './syntax.js'

/** Compiles a SELECT and its ORDER BY. */
export function compileSelect(select: Select, orderBy: readonly Order[], environment: Environment): Rows {
  return new SelectCompiler(select, environment).compile(orderBy)
}

/** Whether a value is among the rows of a plan: a column that is made where the column is needed. */
interface Membership {
  value: Expression
  plan: Plan
}

class SelectCompiler {
  readonly #select: Select
  readonly #environment: Environment
  readonly #scope: Scope
  #plan: readonly Operator[]
  #aggregates: NamedAggregate[] = []
  readonly #memberships = new Map<string, Membership>()
  readonly #membershipNames = new Map<string, string>()
  /** The memberships that the rows so far have. */
  readonly #made = new Set<string>()
  #outputs: readonly NamedExpression[] = []
  /** Turns an expression over the rows of FROM into an expression over the rows that the plan has so far. */
  #overRows = (expression: Expression): Expression => expression

  constructor(select: Select, environment: Environment) {
    this.#select = select
    this.#environment = environment
    const { plan, scope } = compileFrom(select, environment)
    this.#plan = plan
    this.#scope = scope
  }

  compile(orderBy: readonly Order[]): Rows {
    const { where, items, groupBy, having, isDistinct } = this.#select
    if (where !== undefined) this.#filter(compileExpression(where, this.#context()))
    const aggregating = { ...this.#context(), aggregate: this.#aggregate }
    this.#outputs = compileOutputs(items, this.#scope, (syntax) => compileExpression(syntax, aggregating))
    const named = { ...aggregating, outputs: firstByName(this.#outputs) }
    const keys = groupBy.map((key) => this.#groupKey(key, named.outputs))
    const condition = having && compileExpression(having, named)
    const order = orderBy.map((key) => this.#sortKey(key, named))
    if (keys.length > 0 || this.#aggregates.length > 0 || having !== undefined) this.#group(keys)
    if (condition !== undefined) this.#filter(condition)
    if (isDistinct) this.#distinct()
    this.#finish(order)
    return { plan: this.#plan, columns: this.#outputs.map(({ name }) => name) }
  }

  #context(): Context {
    return { ...this.#environment, scope: this.#scope, isIn: this.#isIn }
  }

  /** The names around a subquery: the names around this query, and the aliases of this query. */
  #inner(): Pick<Environment, 'ctes' | 'hidden'> {
    const { table, unnests } = this.#scope
    const own = [table?.alias, ...unnests.map(({ alias }) => alias)].filter((alias) => alias !== undefined)
    return { ...this.#environment, hidden: new Set([...this.#environment.hidden, ...own]) }
  }

  readonly #aggregate: NonNullable<Context['aggregate']> = (value) => {
    const name = this.#environment.freshName()
    this.#aggregates.push({ name, value })
    return column(name)
  }

  readonly #isIn: Context['isIn'] = (value, query) => {
    // Equal conditions are the same column, so that the column can be a key of groups.
    const text = JSON.stringify([value, query], (_, part) => (typeof part === 'bigint' ? `${part}n` : part))
    const known = this.#membershipNames.get(text)
    if (known !== undefined) return column(known)
    const name = this.#environment.freshName()
    this.#membershipNames.set(text, name)
    const { plan, columns } = this.#environment.compile(query, this.#inner())
    if (columns.length !== 1) return wrong()
    this.#memberships.set(name, { value, plan })
    return column(name)
  }

  /** Adds the columns of memberships that expressions over the rows of FROM read. */
  #makeMemberships(expressions: readonly Expression[]): void {
    for (const name of expressions.flatMap((expression) => [...columnsOf(this.#overRows(expression))])) {
      const membership = this.#memberships.get(name)
      if (membership === undefined || this.#made.has(name)) continue
      this.#makeMemberships([membership.value])
      this.#made.add(name)
      this.#add({ op: 'isIn', name, value: this.#overRows(membership.value), plan: membership.plan })
    }
  }

  #add(operator: Operator): void {
    this.#plan = [...this.#plan, operator]
  }

  #filter(where: Expression): void {
    this.#makeMemberships([where])
    this.#add({ op: 'filter', where: this.#overRows(where) })
  }

  /**
   * A number is a column. A name of a single step is an output if an output has that name. Anything else is an
   * expression.
   */
  #groupKey(key: Syntax, outputs: ReadonlyMap<string, Expression>): Expression {
    const place = this.#outputAt(key)
    const output = key.kind === 'name' && key.steps.length === 1 ? outputs.get(key.steps[0]!.toLowerCase()) : undefined
    const value = place ?? output ?? compileExpression(key, this.#context())
    const isAggregated = this.#aggregates.some(({ name }) => columnsOf(value).has(name))
    return isAggregated ? wrong() : value
  }

  #outputAt(syntax: Syntax): Expression | undefined {
    if (syntax.kind !== 'literal' || typeof syntax.value !== 'number') return undefined
    return this.#outputs[syntax.value - 1]?.value ?? wrong()
  }

  #sortKey({ by, isDescending, areNullsFirst = !isDescending }: Order, context: Context): SortKey {
    return {
      by: this.#outputAt(by) ?? compileExpression(by, context),
      direction: isDescending ? 'desc' : 'asc',
      nulls: areNullsFirst ? 'first' : 'last',
    }
  }

  #group(values: readonly Expression[]): void {
    this.#makeMemberships([...values, ...this.#aggregates.flatMap(({ value }) => value.args)])
    const keys = values.map((value) => ({ name: this.#environment.freshName(), value }))
    this.#add({ op: 'group', keys, aggregates: this.#aggregates })
    const aggregates = new Set(this.#aggregates.map(({ name }) => name))
    // A membership of groups is made behind the groups.
    this.#overRows = (row) => overGroups(row, keys, (name) => aggregates.has(name) || this.#memberships.has(name))
    this.#made.clear()
  }

  #distinct(): void {
    const values = this.#outputs.map(({ value }) => value)
    this.#makeMemberships(values)
    const keys = this.#outputs.map(({ name, value }) => ({ name, value: this.#overRows(value) }))
    this.#add({ op: 'group', keys, aggregates: [] })
    const before = this.#overRows
    this.#overRows = (row) => overGroups(before(row), keys, (name) => this.#memberships.has(name))
    this.#made.clear()
  }

  #finish(order: readonly SortKey[]): void {
    this.#makeMemberships([...order.map(({ by }) => by), ...this.#outputs.map(({ value }) => value)])
    if (order.length > 0) {
      this.#add({ op: 'orderBy', keys: order.map((key) => ({ ...key, by: this.#overRows(key.by) })) })
    }
    const columns = this.#outputs.map(({ name, value }) => ({ name, value: this.#overRows(value) }))
    this.#add({ op: 'select', columns })
  }
}

/** The first column of each name, in lower case. */
function firstByName(columns: readonly NamedExpression[]): ReadonlyMap<string, Expression> {
  return new Map(columns.toReversed().map(({ name, value }) => [name.toLowerCase(), value]))
}
