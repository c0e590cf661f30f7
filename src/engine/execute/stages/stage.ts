import type { SourceName } from '../../../common/sources.js'
import type { Expression } from '../../../plan/expression.js'
import type { Operator, TimeRange } from '../../../plan/plan.js'
import type { GroupSink } from '../grouping/sink.js'
import type { TopSink } from '../ordering/sink.js'

/** An operator of a plan, by name. */
export type OperatorOf<Name extends Operator['op']> = Extract<Operator, { op: Name }>

/** Makes a row for each element of a list. See the operator in `plan.ts`. */
export type Unnest = OperatorOf<'unnest'>
/** Adds a column that tells whether a value is among the rows of another plan. See the operator in `plan.ts`. */
export type IsIn = OperatorOf<'isIn'>

/** A step between the rows that a stage reads and the operator that ends the stage. */
export type Step = { op: 'filter'; where: Expression } | Unnest

/**
 * Ends a stage: groups rows, or keeps the first rows of an order. Either needs all input rows before the first row is
 * returned.
 */
export type Sink = GroupSink | TopSink

/** The rows that a stage reads. */
export type Input =
  | ({ op: 'scan'; sources: readonly SourceName[] } & TimeRange)
  | OperatorOf<'view'>
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
  /** Whether the plan has this stage in several places. */
  isShared: boolean
}

/** A stage that reads stored rows. */
export type ScanStage = Stage & { input: Extract<Input, { op: 'scan' }> }

/** A stage that reads the groups of a view. */
export type ViewStage = Stage & { input: Extract<Input, { op: 'view' }> }

/** Whether a sink keeps all given rows, and needs no other row to return a row. */
export const isUnlimited = (sink: Sink): boolean =>
  sink.op === 'top' && sink.rows === Number.POSITIVE_INFINITY && sink.offset === 0 && sink.rank === undefined

/** Whether a stage returns no row, whatever is stored: nothing has to be read then. */
export const isEmpty = ({ sink }: Stage): boolean => sink.op === 'top' && sink.rows === 0

/** Returns the names of a stage's columns, in order. */
export function columnNames({ sink }: Pick<Stage, 'sink'>): string[] {
  const columns = sink.op === 'group' ? [...sink.keys, ...sink.aggregates] : sink.columns
  const names = columns.map(({ name }) => name)
  return sink.op === 'top' && sink.rank !== undefined ? [...names, sink.rank] : names
}

/** Returns the conditions of the leading filter steps, and the other steps. */
export function leadingFilters(steps: readonly Step[]): { conditions: Expression[]; rest: readonly Step[] } {
  const end = steps.findIndex(({ op }) => op !== 'filter')
  const leading = end < 0 ? steps : steps.slice(0, end)
  return {
    conditions: leading.map((step) => (step as Extract<Step, { op: 'filter' }>).where),
    rest: end < 0 ? [] : steps.slice(end),
  }
}
