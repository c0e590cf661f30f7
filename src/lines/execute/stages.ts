import type { TopSink } from '../../engine/execute/ordering/sink.js'
import { stageExpressions } from '../../engine/execute/stages/read-columns.js'
import { columnNames, isUnlimited, type ScanStage, type Stage } from '../../engine/execute/stages/stage.js'
import { column, columnsOf } from '../../plan/expression.js'
import { LINES } from '../../sql/compile/lines.js'

/** Returns the stages that read lines, each once, in the order in which a plan names them. */
export function lineStagesOf(last: Stage): ScanStage[] {
  const found = new Set<ScanStage>()
  const visit = (stage: Stage): void => {
    const { input } = stage
    if (input.op === 'stage') visit(input.stage)
    else if (input.op === 'union') input.inputs.forEach(visit)
    else if (input.op === 'scan' && input.sources.includes(LINES)) found.add(stage as ScanStage)
  }
  visit(last)
  return [...found]
}

/**
 * The rows that a stage keeps: groups, the first rows of an order, the first rows in the order of the lines, or none,
 * since each row that passes can be printed at once.
 */
export type StageKind = 'groups' | 'sorted' | 'first' | 'rows'

/** Returns the kind of a stage. */
export function kindOf({ sink }: Stage): StageKind {
  if (sink.op === 'group') return 'groups'
  if (sink.keys.length > 0) return 'sorted'
  return isUnlimited(sink) ? 'rows' : 'first'
}

/**
 * Returns the stages of which a plan prints each row as it is found, one stage after the other: the last, or the parts
 * of a union. Undefined if the last stage needs all rows of others.
 */
export function streamedStagesOf(last: Stage): ScanStage[] | undefined {
  const { input, sink, steps } = last
  if (input.op === 'scan') return kindOf(last) === 'rows' || kindOf(last) === 'first' ? lineStagesOf(last) : undefined
  if (input.op !== 'union' || sink.op !== 'top' || steps.length > 0 || kindOf(last) !== 'rows') return undefined
  const names = input.inputs.slice(0, 1).flatMap(columnNames)
  const isSame =
    sink.columns.length === names.length &&
    sink.columns.every(({ value }, i) => value.kind === 'column' && value.name === names[i])
  if (!isSame || !input.inputs.every((part) => lineStagesOf(part)[0] === part && kindOf(part) === 'rows'))
    return undefined
  return input.inputs.map((part) => withNames(part as ScanStage & { sink: TopSink }, columnNames(last)))
}

const withNames = (stage: ScanStage & { sink: TopSink }, names: readonly string[]): ScanStage => ({
  ...stage,
  sink: { ...stage.sink, columns: stage.sink.columns.map((column, i) => ({ ...column, name: names[i] })) },
})

/**
 * Returns the last stage of a plan, or if that is the stage that reads lines, a stage that returns its rows: the rows
 * of a last stage that sorts are not asked for elsewhere.
 */
export function afterStage(last: Stage, reading: Stage | undefined): Stage {
  if (last !== reading || last.sink.op === 'group') return last
  const columns = columnNames(last).map((name) => ({ name, value: column(name) }))
  const all = { keys: [], rows: Number.POSITIVE_INFINITY, offset: 0, isReversed: false, rank: undefined }
  return { input: { op: 'stage', stage: last }, steps: [], sink: { op: 'top', columns, ...all }, isShared: false }
}

/** Whether a stage reads the times of lines. */
export const readsTimes = (stage: ScanStage): boolean =>
  stageExpressions(stage).some((expression) => columnsOf(expression).has('timestamp'))
