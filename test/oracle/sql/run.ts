import type { Plan } from '../../../src/plan/plan.js'
import type { Scalar } from '../../../src/plan/values/values.js'
import type { TestRecord } from '../../support/records.js'
import { type Outcome, runPlan } from '../plan/run.js'
import { compileQuery } from './query.js'
import { readQuery } from './read-query.js'

/** The time, bounds and parameters of a query. */
export interface SqlOptions {
  /** The time of the query, microseconds since the epoch. */
  nowUs: number
  /** Only the records of this project. */
  project?: string
  /** Only records after this time, microseconds since the epoch. */
  fromUs?: number
  /** Only records up to this time, microseconds since the epoch. */
  throughUs?: number
  /** The limit of a text without LIMIT. A LIMIT above `maxRows` is lowered to `maxRows`. */
  maxRows: number
  /** The values of parameters. A parameter that is absent is null. */
  parameters?: Readonly<Record<string, Scalar>>
}

/**
 * Compiles a query the obvious way and runs the query over records in order of arrival. Shares no code with the
 * compiler of the program. Throws an OracleError, `invalid_sql` or `unsupported_sql`, if the text is wrong. Errors of
 * rows are part of the outcome. EXPLAIN is not covered.
 */
export function runSql(
  text: string,
  records: readonly TestRecord[],
  { project, fromUs = Number.NEGATIVE_INFINITY, throughUs = Number.POSITIVE_INFINITY, ...options }: SqlOptions,
): { plan: Plan; outcome: Outcome } {
  const { nowUs, maxRows, parameters = {} } = options
  const plan = compileQuery(readQuery(text), maxRows, { nowUs, parameters })
  const visible = records.filter(
    (record) =>
      (project === undefined || record.project === project) &&
      record.timestampUs > fromUs &&
      record.timestampUs <= throughUs,
  )
  return { plan, outcome: outcomeOf(plan, visible) }
}

/** A limit that more rows would not reach spares no row: the errors are the errors of the plan without the limit. */
function outcomeOf(plan: Plan, records: readonly TestRecord[]): Outcome {
  const outcome = runPlan(plan, records)
  if (outcome.offset > 0 || outcome.rows.length >= outcome.limit) return outcome
  const { must, may, isOpen } = runPlan(plan.slice(0, -1), records)
  return { ...outcome, must, may, isOpen }
}
