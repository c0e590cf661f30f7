import { cutPlan } from '../../engine/execute/run/cut-plan.js'
import { shareStages } from '../../engine/execute/stages/shared-stages.js'
import type { ScanStage, Stage } from '../../engine/execute/stages/stage.js'
import { innerPlansOf, type Plan } from '../../plan/plan.js'
import { refuseSeveralReads } from '../../sql/compile/several-reads.js'
import { readLinesSql } from '../../sql/read-sql.js'
import { lineStagesOf, streamedStagesOf } from './stages.js'

/** A query over lines. */
export interface CompiledLines {
  plan: Plan
  /** The only stage that reads lines. Undefined if several stages do, none, or stages of plans behind IN. */
  stage: ScanStage | undefined
  /** The last stage of the plan. Undefined if the plan has no stage, or plans behind IN. */
  last: Stage | undefined
  /** Whether rows need no other row, so that each is printed as it is read. */
  isStreamed: boolean
  /** Throws `unsupported_sql` if the text may read the lines several times: at UNION ALL, WITH and IN (select …). */
  refuseSeveralReads(): void
}

/** Compiles SQL at a time in microseconds since the epoch. Throws `invalid_sql` and `unsupported_sql`. */
export function compileLines(sql: string, nowUs: number): CompiledLines {
  const query = readLinesSql(sql)
  query.refuseParameters()
  const plan = query.plan({}, nowUs)
  const refuse = () => refuseSeveralReads(sql, query.tree)
  const compiled = { plan, stage: undefined, last: undefined, isStreamed: false, refuseSeveralReads: refuse }
  const cut = hasTests(plan) ? undefined : cutPlan(plan)
  if (cut === undefined) return compiled
  const last = shareStages(cut)
  const [stage, ...others] = lineStagesOf(last)
  return {
    ...compiled,
    last,
    stage: others.length === 0 ? stage : undefined,
    isStreamed: streamedStagesOf(last) !== undefined,
  }
}

const hasTests = (plan: Plan): boolean =>
  plan.some((operator) => operator.op === 'isIn' || innerPlansOf(operator).some(hasTests))
