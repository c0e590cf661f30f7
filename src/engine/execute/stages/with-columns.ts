import type { Expression } from '../../../plan/expression.js'
import type { GroupSink } from '../grouping/sink.js'
import { inScope, type Scope } from './draft.js'
import { columnNames, type Stage } from './stage.js'

/**
 * Returns a stage with `columns`, which are computed of the stage's own columns, in place of the own columns. Undefined
 * if another stage has to compute the columns.
 */
export function withColumns(stage: Stage, columns: Scope): Stage | undefined {
  const { sink } = stage
  const isInOrder = hasOrderOf(stage, columns)
  const names = columnNames(stage)
  if (isInOrder && [...columns.keys()].every((name, i) => name === names[i])) return stage
  if (sink.op === 'group') return isInOrder ? withNames(stage, sink, [...columns.keys()]) : undefined
  if (sink.rank !== undefined) return undefined
  const own: Scope = new Map(sink.columns.map(({ name, value }) => [name, value]))
  const replaced = new Map<Expression, Expression>()
  const computed = [...columns].map(([name, value]) => ({ name, value: inScope(value, own, replaced) }))
  return { ...stage, sink: { ...sink, columns: computed } }
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
