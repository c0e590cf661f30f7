import { hotColumns } from '../../../common/columns.js'
import type { SourceName } from '../../../common/sources.js'
import type { Expression } from '../../../plan/expression.js'
import type { SortKey } from '../../../plan/plan.js'
import type { TopSink } from '../ordering/sink.js'
import { type Draft, inScope, type Scope } from './draft.js'
import { columnNames, type Input, isUnlimited, type Stage, type Step } from './stage.js'

/**
 * The input of a stage that keeps the first rows of an order. Each part of a union needs to return only as many rows
 * that pass the filters, so that the part reads no other columns of the rest. Each part returns the rows in reverse: of
 * rows with equal keys, the stage prefers later rows.
 */
export function withLimitedParts({ input, steps, order }: Draft, rows: number): Input {
  if (input.op !== 'union' || order.length === 0 || rows === Number.POSITIVE_INFINITY) return input
  const filters = steps.flatMap((step) => (step.op === 'filter' ? [step.where] : []))
  if (filters.length < steps.length) return input
  const names = input.inputs.slice(0, 1).flatMap(columnNames)
  return { op: 'union', inputs: input.inputs.map((stage) => firstRowsOf(stage, names, { filters, order, rows })) }
}

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
 * Whether a sink has a stored column of areas. A column of areas has no values, and is read in the stored batch alone.
 */
const hasAreas = ({ columns }: TopSink, sources: readonly SourceName[]): boolean =>
  columns.some(({ value }) => value.kind === 'column' && sources.some((source) => isOfAreas(source, value.name)))

const isOfAreas = (source: SourceName, column: string) =>
  hotColumns(source).some(({ name, kind }) => kind === 'areas' && name === column)
