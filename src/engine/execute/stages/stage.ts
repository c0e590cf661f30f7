import { hotColumns } from '../../../common/columns.js'
import type { SourceName } from '../../../common/sources.js'
import { callArguments } from '../../../plan/call-arguments.js'
import { column, conjunctsOf, type Expression } from '../../../plan/expression.js'
import { rewrittenCall } from '../../../plan/place.js'
import type { Operator, Plan, SortKey, TimeRange } from '../../../plan/plan.js'
import { type Schema, schemaOf } from '../../../plan/schema.js'
import type { GroupSink } from '../grouping/sink.js'
import type { TopSink } from '../ordering/top.js'

/** A step between the rows that a stage reads and the operator that ends the stage. */
export type Step = { op: 'filter'; where: Expression } | Extract<Operator, { op: 'unnest' }>

/**
 * Ends a stage: groups rows, or keeps the first rows of an order. Either needs all input rows before the first row is
 * returned.
 */
export type Sink = GroupSink | TopSink

/** The rows that a stage reads. */
export type Input =
  | ({ op: 'scan'; sources: readonly SourceName[] } & TimeRange)
  | { op: 'union'; inputs: readonly Stage[] }
  | { op: 'stage'; stage: Stage }

/**
 * A part of a plan that is run in a single pass over the input. `extend` and `select` make no stage: the expressions
 * behind `extend` or `select` have the expressions of the columns in place of the names.
 */
export interface Stage {
  input: Input
  steps: readonly Step[]
  sink: Sink
  /** Set if the plan has this stage in several places. */
  isShared?: true
}

/** Whether a sink keeps all given rows, and needs no other row to return a row. */
export const isUnlimited = (sink: Sink): boolean =>
  sink.op === 'top' && sink.rows === Number.POSITIVE_INFINITY && sink.offset === 0 && sink.rank === undefined

/** Whether a stage returns no row, whatever is stored: nothing has to be read then. */
export const isEmpty = ({ sink }: Stage): boolean => sink.op === 'top' && sink.rows === 0

/** Columns in sight, by name, as expressions over the columns of the stage's input. */
type Scope = ReadonlyMap<string, Expression>

interface Draft {
  input: Input
  steps: readonly Step[]
  scope: Scope
  /** Columns that the `select` directly before left out, by which rows can be sorted. */
  hidden: Scope
  order: readonly SortKey[]
  /** The column that the order adds. */
  rank: string | undefined
}

/**
 * Cuts a plan into stages. The last stage returns the plan's rows. Returns undefined for the empty plan. Expressions of
 * several uses are shared, never copied. Throws as {@link schemaOf} does.
 */
export function stagesOf(plan: Plan): Stage | undefined {
  schemaOf(plan)
  const [first, ...others] = plan
  if (first === undefined) return undefined
  let draft = begin(first)
  for (const operator of others) draft = add(draft, operator)
  const { input, steps, order, scope } = draft
  if (input.op === 'stage' && steps.length === 0 && order.length === 0) {
    const { stage } = input
    if (isPlain(scope, stage)) return stage
    if (stage.sink.op === 'top') {
      if (stage.sink.rank === undefined) return withColumns(stage, stage.sink, scope)
    } else if (hasOrderOf(stage, scope)) return withNames(stage, stage.sink, [...scope.keys()])
  }
  return endWithTop(draft, Number.POSITIVE_INFINITY, 0)
}

/** A stage that returns the first rows of an order, with columns that are computed of the stage's own columns. */
function withColumns({ input, steps }: Stage, sink: TopSink, computed: Scope): Stage {
  const own: Scope = new Map(sink.columns.map(({ name, value }) => [name, value]))
  const replaced = new Map<Expression, Expression>()
  const columns = [...computed].map(([name, value]) => ({ name, value: inScope(value, own, replaced) }))
  return { input, steps, sink: { ...sink, columns } }
}

/** Returns the names of a stage's columns, in order. */
export function columnNames({ sink }: Pick<Stage, 'sink'>): string[] {
  const columns = sink.op === 'group' ? [...sink.keys, ...sink.aggregates] : sink.columns
  const names = columns.map(({ name }) => name)
  return sink.op === 'top' && sink.rank !== undefined ? [...names, sink.rank] : names
}

/** Whether columns are the columns of a stage, in the same order and under the same names. */
function isPlain(scope: Scope, stage: Stage): boolean {
  const names = columnNames(stage)
  return hasOrderOf(stage, scope) && [...scope.keys()].every((name, i) => name === names[i])
}

/** Whether columns are the columns of a stage, in the same order, under whatever names. */
function hasOrderOf(stage: Stage, scope: Scope): boolean {
  const names = columnNames(stage)
  if (names.length !== scope.size) return false
  return [...scope.values()].every((value, i) => value.kind === 'column' && value.name === names[i])
}

/** A stage of groups, with other names for their columns. */
function withNames(stage: Stage, { keys, aggregates, ...sink }: GroupSink, names: readonly string[]): Stage {
  const rename = <C>(columns: readonly C[], from: number) =>
    columns.map((column, i) => ({ ...column, name: names[from + i] }))
  return { ...stage, sink: { ...sink, keys: rename(keys, 0), aggregates: rename(aggregates, keys.length) } }
}

function begin(first: Operator): Draft {
  const scope = scopeOf(schemaOf([first]))
  return { input: inputOf(first), steps: [], scope, hidden: NOTHING_HIDDEN, order: [], rank: undefined }
}

function inputOf(first: Operator): Input {
  if (first.op === 'scan') return first
  if (first.op === 'union') {
    // The empty plan, which is no stage, adds no row: the other plans have no columns either.
    return { op: 'union', inputs: first.plans.map(stagesOf).filter((stage) => stage !== undefined) }
  }
  throw new TypeError(`A plan starts with scan or union, not with ${first.op}.`)
}

const NOTHING_HIDDEN: Scope = new Map()

/** Scopes of the unchanged columns. The scan of a source has the same schema each time. */
const scopes = new WeakMap<Schema, Scope>()

function scopeOf(schema: Schema): Scope {
  const scope = scopes.get(schema) ?? scopeOfNames([...schema.keys()])
  scopes.set(schema, scope)
  return scope
}

const scopeOfNames = (names: readonly string[]): Scope => new Map(names.map((name) => [name, column(name)]))

function add(before: Draft, operator: Operator): Draft {
  const { scope, hidden, steps } = before
  const draft: Draft = { ...before, hidden: NOTHING_HIDDEN }
  switch (operator.op) {
    case 'filter': {
      const filters = conjunctsOf(inScope(operator.where, scope)).map((where): Step => ({ op: 'filter', where }))
      return { ...draft, steps: [...steps, ...filters] }
    }
    case 'unnest': {
      const name = `${operator.name} ${steps.length}`
      const step: Step = { ...operator, name, list: inScope(operator.list, scope) }
      return { ...draft, steps: [...steps, step], scope: new Map([...scope, [operator.name, column(name)]]) }
    }
    case 'extend': {
      const extended = new Map(scope)
      for (const { name, value } of operator.columns) extended.set(name, inScope(value, scope))
      return { ...draft, scope: extended }
    }
    case 'select':
      return {
        ...draft,
        scope: new Map(operator.columns.map(({ name, value }) => [name, inScope(value, scope)])),
        hidden: scope,
      }
    case 'orderBy': {
      const sorted = hidden === NOTHING_HIDDEN ? scope : new Map([...hidden, ...scope])
      const order = operator.keys.map(({ by, direction, nulls }) => ({ by: inScope(by, sorted), direction, nulls }))
      return { ...draft, order, rank: operator.rank }
    }
    case 'limit':
      return afterSink(endWithTop(draft, operator.rows, operator.offset))
    case 'group': {
      const keys = operator.keys.map(({ name, value }) => ({ name, value: inScope(value, scope) }))
      const aggregates = operator.aggregates.map(({ name, value: { fn, args } }) => ({
        name,
        value: { fn, args: args.map((arg) => inScope(arg, scope)) },
      }))
      return afterSink({ ...draft, sink: { op: 'group', keys, aggregates } })
    }
    case 'isIn':
      throw new TypeError('The values of isIn are read before a plan is cut into stages.')
    case 'scan':
    case 'union':
      throw new TypeError(`${operator.op} stands at the start of a plan only.`)
  }
}

function afterSink({ input, steps, sink }: Stage): Draft {
  const stage = { input, steps, sink }
  const scope = scopeOfNames(columnNames(stage))
  return { input: { op: 'stage', stage }, steps: [], scope, hidden: NOTHING_HIDDEN, order: [], rank: undefined }
}

function endWithTop(draft: Draft, rows: number, offset: number): Stage {
  const { steps, scope, order, rank } = draft
  const columns = [...scope].map(([name, value]) => ({ name, value }))
  const input = withFirstRows(draft, rows + offset)
  const sink: TopSink = { op: 'top', keys: order, rows, offset, columns, ...(rank !== undefined && { rank }) }
  return { input, steps, sink }
}

/**
 * The input of a stage that keeps the first rows of an order. Each part of a union needs to return only as many rows
 * that pass the filters, so that the part reads no other columns of the rest. Each part returns the rows in reverse: of
 * rows with equal keys, the stage prefers later rows.
 */
function withFirstRows({ input, steps, order }: Draft, rows: number): Input {
  if (input.op !== 'union' || order.length === 0 || rows === Number.POSITIVE_INFINITY) return input
  const filters = steps.flatMap((step) => (step.op === 'filter' ? [step.where] : []))
  if (filters.length < steps.length) return input
  const names = input.inputs.slice(0, 1).flatMap(columnNames)
  return { op: 'union', inputs: input.inputs.map((stage) => firstRowsOf(stage, names, { filters, order, rows })) }
}

/**
 * Whether a sink has a stored column of areas. A column of areas has no values, and is read in the stored batch alone.
 */
const hasAreas = ({ columns }: TopSink, sources: readonly SourceName[]): boolean =>
  columns.some(({ value }) => value.kind === 'column' && sources.some((source) => isOfAreas(source, value.name)))

const isOfAreas = (source: SourceName, column: string) =>
  hotColumns(source).some(({ name, kind }) => kind === 'areas' && name === column)

/**
 * A part of a union, limited to the first rows if possible. `names` are the names of the part's columns in the union.
 */
function firstRowsOf(
  stage: Stage,
  names: readonly string[],
  { filters, order, rows }: { filters: readonly Expression[]; order: readonly SortKey[]; rows: number },
): Stage {
  const { sink, input } = stage
  if (sink.op !== 'top' || !isUnlimited(sink) || input.op !== 'scan' || hasAreas(sink, input.sources)) return stage
  const own: Scope = new Map(names.map((name, i) => [name, sink.columns[i].value]))
  const replaced = new Map<Expression, Expression>()
  const more = filters.map((where): Step => ({ op: 'filter', where: inScope(where, own, replaced) }))
  const keys = order.map((key) => ({ ...key, by: inScope(key.by, own, replaced) }))
  return { ...stage, steps: [...stage.steps, ...more], sink: { ...sink, keys, rows, isReversed: true } }
}

/**
 * The expression with each column's own expression in place of the column's name. The same expression gives the same
 * result object.
 */
function inScope(expression: Expression, scope: Scope, replaced?: Map<Expression, Expression>): Expression {
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
