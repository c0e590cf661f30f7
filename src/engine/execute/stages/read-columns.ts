import { hotColumns } from '../../../common/columns.js'
import type { SourceName } from '../../../common/sources.js'
import type { Expression } from '../../../plan/expression.js'
import { type ElementPaths, fieldUseOf, pathOfList } from '../expressions/loaded-fields.js'
import { groupExpressions } from '../grouping/sink.js'
import { declaredColumns } from './source-kinds.js'
import type { Sink, Stage, Step, Unnest } from './stage.js'

const NONE: ReadonlySet<string> = new Set()

/**
 * Returns the names of the own hot columns of a source that a stage reads in the source's batches. The names are
 * collected again for each run, since a built-in plan is new for each request: that takes microseconds.
 */
export function columnsReadBy({ steps, sink }: Pick<Stage, 'steps' | 'sink'>, source: SourceName): ReadonlySet<string> {
  const stored = hotColumns(source)
  if (stored.length === 0) return NONE
  const names = new Set<string>()
  const seen = new Set<Expression>()
  const fields = declaredColumns(source)
  const elements = elementPaths(steps)
  for (const expression of stageExpressions({ steps, sink }))
    addColumns(expression, names, seen, (one) => {
      const field = fieldUseOf(one, elements)
      return field && fields.get(JSON.stringify(field.keys))?.name
    })
  return new Set(stored.flatMap(({ name }) => (names.has(name) ? [name] : [])))
}

/** Returns the expressions that a stage evaluates in the input rows. */
export function stageExpressions({ steps, sink }: Pick<Stage, 'steps' | 'sink'>): Expression[] {
  return [...steps.map(expressionOf), ...expressionsOf(sink)]
}

/**
 * Returns the paths of columns of unnest with fields that are fields of the record if each list has a single element.
 */
export function elementPaths(steps: readonly Step[]): ElementPaths {
  const elements = new Map<string, { keys: readonly string[] }>()
  for (const step of steps) {
    const keys = step.op === 'unnest' ? pathOfList(step.list, elements) : undefined
    if (keys !== undefined) elements.set((step as Unnest).name, { keys })
  }
  return elements
}

const expressionOf = (step: Step): Expression => (step.op === 'filter' ? step.where : step.list)

function expressionsOf(sink: Sink): Expression[] {
  if (sink.op === 'group') return groupExpressions(sink)
  return [...sink.keys.map(({ by }) => by), ...sink.columns.map(({ value }) => value)]
}

/** Adds the columns that have to be open where an expression is evaluated. An expression object is visited once. */
function addColumns(
  expression: Expression,
  names: Set<string>,
  seen: Set<Expression>,
  declaredName: (expression: Expression) => string | undefined,
): void {
  if (expression.kind === 'column') names.add(expression.name)
  if (expression.kind !== 'call' || seen.has(expression)) return
  seen.add(expression)
  const declared = declaredName(expression)
  if (declared !== undefined) names.add(declared)
  for (const arg of expression.args) addColumns(arg, names, seen, declaredName)
}
