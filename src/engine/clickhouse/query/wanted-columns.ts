import { COLD_COLUMNS, type ColdColumn, hotColumns } from '../../../common/columns.js'
import type { SourceName } from '../../../common/sources.js'
import { columnsOf, type Expression } from '../../../plan/expression.js'
import { fieldUseOf } from '../../execute/expressions/loaded-fields.js'
import { splitColumns } from '../../execute/ordering/output-columns.js'
import { elementPaths, stageExpressions } from '../../execute/stages/read-columns.js'
import { declaredColumns } from '../../execute/stages/source-kinds.js'
import { isUnlimited, type Stage } from '../../execute/stages/stage.js'
import type { WantedColumns } from './read-rows.js'

/** The columns that a stage reads of a source, and the fields to read that have no column. */
export interface StageColumns extends WantedColumns {
  /** The paths of fields, with dots between their keys, that are read from the metadata. */
  undeclared: readonly string[]
}

/**
 * Returns the columns that a stage reads of a source. `isPart`: the stage is a part of a union, and evaluates all
 * columns where the rows are read, unless the stage has a limit.
 */
export function columnsOfStage(
  stage: Pick<Stage, 'steps' | 'sink'>,
  source: SourceName,
  { isPart = false } = {},
): StageColumns {
  const declared = declaredColumns(source)
  const elements = elementPaths(stage.steps)
  const names = new Set<string>()
  const undeclared = new Set<string>()
  const seen = new Set<Expression>()
  let mask = 0

  function addField(expression: Expression & { kind: 'call' }): boolean {
    const path = fieldUseOf(expression, elements)
    if (path === undefined) return false
    const own = declared.get(JSON.stringify(path.keys))
    if (own === undefined) undeclared.add(path.keys.join('.'))
    // The digits of a number as sent are in the metadata alone.
    if (own === undefined || (own.isNumber && path.isText)) names.add('metadata')
    else {
      names.add(own.name)
      mask |= 1 << own.place
    }
    return true
  }

  function visit(expression: Expression): void {
    if (expression.kind === 'column') names.add(expression.name)
    if (expression.kind !== 'call' || seen.has(expression)) return
    seen.add(expression)
    if (!addField(expression)) expression.args.forEach(visit)
  }

  stageExpressions(stage).forEach(visit)
  // Fields in the columns of the rows found are read from the rows' metadata, also fields that have a column.
  if (!(isPart && isUnlimited(stage.sink))) for (const name of lateColumns(stage.sink)) names.add(name)
  return {
    hot: new Set(hotColumns(source).flatMap(({ name }) => (names.has(name) ? [name] : []))),
    project: names.has('project'),
    cold: new Set(COLD_COLUMNS.filter((name): name is ColdColumn => names.has(name))),
    mask: mask >>> 0,
    undeclared: [...undeclared],
  }
}

/** The columns that are read of the rows found alone. */
function lateColumns(sink: Stage['sink']): string[] {
  if (sink.op !== 'top') return []
  return splitColumns(sink.columns, true).late.flatMap(({ value }) => [...columnsOf(value)])
}
