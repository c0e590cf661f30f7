import { callArguments } from '../../../plan/call-arguments.js'
import { column, type Expression } from '../../../plan/expression.js'
import { rewrittenCall } from '../../../plan/place.js'
import type { Operator, Plan, SortKey } from '../../../plan/plan.js'
import { type Schema, schemaOf } from '../../../plan/schema.js'
import { columnNames, type Input, type IsIn, type Stage, type Step } from './stage.js'

/** Columns in sight, by name, as expressions over the columns of the stage's input. */
export type Scope = ReadonlyMap<string, Expression>

/** A stage without a sink, to which each operator of a plan adds its part. */
export interface Draft {
  input: Input
  steps: readonly Step[]
  scope: Scope
  /** Columns that the `select` directly before left out, by which rows can be sorted. */
  hidden: Scope
  order: readonly SortKey[]
  /** The column that the order adds. */
  rank: string | undefined
}

/** Functions for operators with inner plans. */
export interface InnerPlans {
  /** Cuts a plan into stages. Returns undefined for the empty plan. */
  cut(plan: Plan): Stage | undefined
  /** Returns the expression of the column that an `isIn` adds. */
  testOf(operator: IsIn): Expression
}

const NONE: Scope = new Map()

/** Returns a draft of a stage without steps, given the columns of the input. */
export const draftOf = (input: Input, scope: Scope): Draft => ({
  input,
  steps: [],
  scope,
  hidden: NONE,
  order: [],
  rank: undefined,
})

/** Returns a draft of a stage that reads the rows of another stage. */
export const draftAfter = (stage: Stage): Draft => draftOf({ op: 'stage', stage }, scopeOfNames(columnNames(stage)))

/** Returns the draft with more steps. */
export const withSteps = (draft: Draft, steps: readonly Step[]): Draft => ({
  ...draft,
  steps: [...draft.steps, ...steps],
  hidden: NONE,
})

/** Returns the draft with other columns in sight. Further steps read the columns of `scope`. */
export const withScope = (draft: Draft, scope: Scope): Draft => ({ ...draft, scope, hidden: NONE })

/** Scopes of the unchanged columns. The scan of a source has the same schema each time. */
const scopes = new WeakMap<Schema, Scope>()

/** Returns the scope of the unchanged columns of a plan's first operator. */
export function scopeOf(first: Operator): Scope {
  const schema = schemaOf([first])
  const scope = scopes.get(schema) ?? scopeOfNames([...schema.keys()])
  scopes.set(schema, scope)
  return scope
}

const scopeOfNames = (names: readonly string[]): Scope => new Map(names.map((name) => [name, column(name)]))

/**
 * The expression with each column's own expression in place of the column's name. The same expression gives the same
 * result object.
 */
export function inScope(expression: Expression, scope: Scope, replaced?: Map<Expression, Expression>): Expression {
  if (expression.kind === 'literal') return expression
  if (expression.kind === 'column') return scope.get(expression.name)!
  const done = replaced ?? new Map<Expression, Expression>()
  const known = done.get(expression)
  if (known !== undefined) return known
  const args = callArguments(expression).map((arg) => inScope(arg, scope, done))
  const isSame = args.every((arg, i) => arg === expression.args[i])
  const result = isSame ? expression : rewrittenCall(expression, { args })
  done.set(expression, result)
  return result
}
