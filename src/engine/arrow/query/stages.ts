import { column, conjunctsOf, type Expression } from '../../../plan/expression.js'
import type { NamedExpression, Operator, Plan, SortKey, TimeRange } from '../../../plan/plan.js'
import { type Schema, schemaAfter } from '../../../plan/schema.js'
import type { SourceName } from '../../../sources.js'
import type { GroupSink } from '../operators/group.js'
import type { TopSink } from '../operators/top.js'

/** A step between the rows that a stage reads and the operator that ends it. */
export type Step = { op: 'filter'; where: Expression } | Extract<Operator, { op: 'unnest' }>

/** Ends a stage: groups rows, or keeps the first ones of an order. Either needs all rows before it returns one. */
export type Sink = GroupSink | TopSink

/** The rows that a stage reads. */
export type Input =
  | ({ op: 'scan'; sources: readonly SourceName[] } & TimeRange)
  | { op: 'union'; inputs: readonly Stage[] }
  | { op: 'stage'; stage: Stage }

/**
 * A part of a plan that is run in one pass over its input. `extend` and `select` are none: the expressions behind them
 * have those of their columns in place of the names. `key` identifies the steps and their expressions, for caches.
 */
export interface Stage {
  input: Input
  steps: readonly Step[]
  sink: Sink
}

/** Whether a stage returns no row, whatever is stored: nothing has to be read then. */
export const isEmpty = ({ sink }: Stage): boolean => sink.op === 'top' && sink.rows === 0

/** Columns in sight, by name, as expressions over the columns of the stage's input. */
type Scope = ReadonlyMap<string, Expression>

interface Hidden {
  scope: Scope
  schema: Schema
}

interface Draft {
  input: Input
  steps: readonly Step[]
  scope: Scope
  schema: Schema
  /** Columns that the `select` directly before left out, by which rows can be sorted. */
  hidden: Hidden
  order: readonly SortKey[]
}

/**
 * Cuts a plan into stages, the last of which returns the plan's rows. Throws a TypeError on an operator in the wrong
 * place or an unknown column.
 * Expressions of several uses are shared, never copied.
 */
export function stagesOf(plan: Plan): Stage | undefined {
  const [first, ...others] = plan
  if (first === undefined) return undefined
  let draft = begin(first)
  for (const operator of others) draft = add(draft, operator)
  const { input, steps, order, scope } = draft
  const isStage = input.op === 'stage' && steps.length === 0 && order.length === 0 && isPlain(scope, input.stage)
  return isStage ? input.stage : endWithTop(draft, Number.POSITIVE_INFINITY, 0)
}

/** Whether columns are those of a stage, in their order. */
function isPlain(scope: Scope, { sink }: Stage): boolean {
  const columns = sink.op === 'group' ? [...sink.keys, ...sink.aggregates] : sink.columns
  const names = [...scope.keys()]
  if (names.length !== columns.length || columns.some(({ name }, i) => name !== names[i])) return false
  return [...scope].every(([name, expression]) => expression.kind === 'column' && expression.name === name)
}

function begin(first: Operator): Draft {
  const schema = schemaAfter(first, new Map())
  const scope = scopeOf(schema)
  const draft = { steps: [], scope, schema, hidden: NOTHING_HIDDEN, order: [] }
  if (first.op === 'scan') return { ...draft, input: first }
  if (first.op !== 'union') throw new TypeError(`A plan starts with scan or union, not with ${first.op}.`)
  const inputs = first.plans.map((plan) => stagesOf(plan)!)
  return { ...draft, input: { op: 'union', inputs } }
}

const NOTHING_HIDDEN: Hidden = { scope: new Map(), schema: new Map() }

/** Scopes of the columns as they are; the scan of a source has the same schema each time. */
const scopes = new WeakMap<Schema, Scope>()

function scopeOf(schema: Schema): Scope {
  const known = scopes.get(schema)
  if (known !== undefined) return known
  const scope = new Map([...schema.keys()].map((name) => [name, column(name)]))
  scopes.set(schema, scope)
  return scope
}

const namedIn = (columns: readonly NamedExpression[], scope: Scope): NamedExpression[] =>
  columns.map(({ name, value }) => ({ name, value: inScope(value, scope) }))

/** Sets the order of rows, by columns in sight or by those that the `select` directly before left out. */
function addOrder(draft: Draft, operator: Operator & { op: 'orderBy' }): Draft {
  const { hidden } = draft
  const isBehindSelect = hidden !== NOTHING_HIDDEN
  schemaAfter(operator, isBehindSelect ? new Map([...hidden.schema, ...draft.schema]) : draft.schema)
  const scope = isBehindSelect ? new Map([...hidden.scope, ...draft.scope]) : draft.scope
  const order = operator.keys.map(({ by, direction, nulls }) => ({ by: inScope(by, scope), direction, nulls }))
  return { ...draft, hidden: NOTHING_HIDDEN, order }
}

function add(before: Draft, operator: Operator): Draft {
  if (operator.op === 'orderBy') return addOrder(before, operator)
  const { scope, steps } = before
  const draft: Draft = { ...before, hidden: NOTHING_HIDDEN }
  const schema = schemaAfter(operator, before.schema)
  switch (operator.op) {
    case 'filter': {
      const filters = conjunctsOf(inScope(operator.where, scope)).map((where): Step => ({ op: 'filter', where }))
      return { ...draft, schema, steps: [...steps, ...filters] }
    }
    case 'unnest': {
      const name = `${operator.name} ${steps.length}`
      const step: Step = { ...operator, name, list: inScope(operator.list, scope) }
      return { ...draft, schema, steps: [...steps, step], scope: new Map([...scope, [operator.name, column(name)]]) }
    }
    case 'extend': {
      const extended = new Map(scope)
      for (const { name, value } of namedIn(operator.columns, scope)) extended.set(name, value)
      return { ...draft, schema, scope: extended }
    }
    case 'select':
      return {
        ...draft,
        schema,
        scope: new Map(namedIn(operator.columns, scope).map(({ name, value }) => [name, value])),
        hidden: { scope, schema: draft.schema },
      }
    case 'limit':
      return afterSink(endWithTop(draft, operator.rows, operator.offset), schema)
    case 'group': {
      const aggregates = operator.aggregates.map(({ name, value: { fn, args } }) => ({
        name,
        value: { fn, args: args.map((arg) => inScope(arg, scope)) },
      }))
      return afterSink({ ...draft, sink: { op: 'group', keys: namedIn(operator.keys, scope), aggregates } }, schema)
    }
    case 'scan':
    case 'union':
      throw new TypeError(`${operator.op} stands at the start of a plan only.`)
  }
}

function afterSink({ input, steps, sink }: Stage, schema: Schema): Draft {
  const stage = { input, steps, sink }
  return { input: { op: 'stage', stage }, steps: [], scope: scopeOf(schema), schema, hidden: NOTHING_HIDDEN, order: [] }
}

function endWithTop({ input, steps, scope, order }: Draft, rows: number, offset: number): Stage {
  const columns = [...scope].map(([name, value]) => ({ name, value }))
  return { input, steps, sink: { op: 'top', keys: order, rows, offset, columns } }
}

/**
 * The expression with each column's own expression in place of its name. The same expression gives the same result
 * object.
 */
function inScope(expression: Expression, scope: Scope, replaced?: Map<Expression, Expression>): Expression {
  if (expression.kind === 'literal') return expression
  if (expression.kind === 'column') return scope.get(expression.name)!
  const done = replaced ?? new Map<Expression, Expression>()
  const known = done.get(expression)
  if (known !== undefined) return known
  const args = expression.args.map((arg) => inScope(arg, scope, done))
  const isSame = args.every((arg, i) => arg === expression.args[i])
  const result = isSame ? expression : { ...expression, args }
  done.set(expression, result)
  return result
}
