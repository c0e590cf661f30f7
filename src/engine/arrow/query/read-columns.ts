import { type Expression, pathOfField } from '../../../plan/expression.js'
import type { SourceName } from '../../../sources.js'
import { hotColumns } from '../../columns.js'
import type { DeclaredColumn } from '../expressions/frame.js'
import { groupExpressions } from '../operators/group.js'
import type { Sink, Stage, Step } from './stages.js'

const NONE: ReadonlySet<string> = new Set()

/**
 * Returns the names of the own hot columns of a source that a stage reads in its batches. They are collected again for
 * each run, since a built-in plan is new for each request: that takes microseconds.
 */
export function columnsReadBy({ steps, sink }: Pick<Stage, 'steps' | 'sink'>, source: SourceName): ReadonlySet<string> {
  const stored = hotColumns(source)
  if (stored.length === 0) return NONE
  const names = new Set<string>()
  const seen = new Set<Expression>()
  const fields = declaredColumns(source)
  for (const expression of stageExpressions({ steps, sink })) addColumns(expression, names, seen, fields)
  return new Set(stored.flatMap(({ name }) => (names.has(name) ? [name] : [])))
}

/** Returns the expressions that a stage evaluates in the rows that it reads. */
export function stageExpressions({ steps, sink }: Pick<Stage, 'steps' | 'sink'>): Expression[] {
  return [...steps.map(expressionOf), ...expressionsOf(sink)]
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
  fields: ReadonlyMap<string, DeclaredColumn>,
): void {
  if (expression.kind === 'column') names.add(expression.name)
  if (expression.kind !== 'call' || seen.has(expression)) return
  seen.add(expression)
  const field = pathOfField(expression)
  const declared = field && fields.get(JSON.stringify(field.keys))
  if (declared !== undefined) names.add(declared.name)
  for (const arg of expression.args) addColumns(arg, names, seen, fields)
}

const declaredBySource = new Map<SourceName, ReadonlyMap<string, DeclaredColumn>>()

/** Returns the hot columns of a source that hold fields, by the JSON of their paths. */
export function declaredColumns(source: SourceName): ReadonlyMap<string, DeclaredColumn> {
  const known = declaredBySource.get(source)
  if (known !== undefined) return known
  const columns = hotColumns(source).flatMap(({ name, kind, path }, place) => {
    // A column of areas does not have the path itself.
    if (kind === 'areas') return []
    return [[JSON.stringify(path), { name, place, isNumber: kind === 'number' }] as const]
  })
  const made = new Map(columns)
  declaredBySource.set(source, made)
  return made
}
