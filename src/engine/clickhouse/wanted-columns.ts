import { type Expression, pathOfField } from '../../plan/expression.js'
import type { SourceName } from '../../sources.js'
import { groupExpressions } from '../arrow/operators/group.js'
import type { Stage } from '../arrow/query/stages.js'
import { COLD_COLUMNS, type ColdColumn, hotColumns } from '../columns.js'
import { placeOfField } from './operands.js'
import type { WantedColumns } from './read-rows.js'

/** The columns that a stage reads of a source, and the fields among them that have no column. */
export interface StageColumns extends WantedColumns {
  /** The paths of fields, with dots between their keys, that are read from the metadata. */
  undeclared: readonly string[]
}

/** Returns the columns that a stage reads of a source. */
export function columnsOfStage({ steps, sink }: Pick<Stage, 'steps' | 'sink'>, source: SourceName): StageColumns {
  const names = new Set<string>()
  const undeclared = new Set<string>()
  const seen = new Set<Expression>()
  let mask = 0

  function addField(expression: Expression & { kind: 'call' }): boolean {
    const path = pathOfField(expression)
    if (path === undefined) return false
    const place = placeOfField(expression, source)
    const column = place === undefined ? undefined : hotColumns(source)[place]!
    if (column === undefined) undeclared.add(path.keys.join('.'))
    // The digits of a number as they were sent are in the metadata alone.
    if (column === undefined || (column.kind === 'number' && path.isText)) names.add('metadata')
    else {
      names.add(column.name)
      mask |= 1 << place!
    }
    return true
  }

  function visit(expression: Expression): void {
    if (expression.kind === 'column') names.add(expression.name)
    if (expression.kind !== 'call' || seen.has(expression)) return
    seen.add(expression)
    if (!addField(expression)) expression.args.forEach(visit)
  }

  const sinkExpressions =
    sink.op === 'group'
      ? groupExpressions(sink)
      : [...sink.keys.map(({ by }) => by), ...sink.columns.map(({ value }) => value)]
  for (const step of steps) visit(step.op === 'filter' ? step.where : step.list)
  for (const expression of sinkExpressions) visit(expression)
  return {
    hot: new Set(hotColumns(source).flatMap(({ name }) => (names.has(name) ? [name] : []))),
    project: names.has('project'),
    cold: new Set(COLD_COLUMNS.filter((name): name is ColdColumn => names.has(name))),
    mask: mask >>> 0,
    undeclared: [...undeclared],
  }
}
