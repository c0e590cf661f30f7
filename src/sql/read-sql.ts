import { createPatternCount } from '../base/pattern/pattern.js'
import type { Plan } from '../plan/plan.js'
import type { Scalar } from '../plan/values/values.js'
import { compileQuery } from './compile/compile-query.js'
import { noAmounts } from './compile/context.js'
import { explained } from './compile/explain.js'
import { LINES_ALONE, type ReadableTables } from './compile/readable-tables.js'
import { NO_VIEWS } from './compile/readable-views.js'
import { readsTimeAsBound } from './compile/time-bounds.js'
import { withTimeRanges } from './compile/time-range.js'
import { located, placeText, unsupported } from './parse/fault.js'
import { SQL_LIMITS, type SqlLimits } from './parse/limits.js'
import { parseStatement } from './parse/parse-statement.js'
import type { Query } from './parse/tree.js'

/** A text of SQL that was parsed. */
export interface SqlQuery {
  /** The names of the @parameters in the text. */
  readonly parameters: ReadonlySet<string>
  /** Throws `unsupported_sql`, with the place of the first parameter, if any: only stored queries have parameters. */
  refuseParameters(): void
  /** Whether the text starts with EXPLAIN. */
  readonly isExplain: boolean
  /** See {@link readsTimeAsBound}. */
  readonly readsTimeAsBound: boolean
  /**
   * Returns the plan with the values of parameters (null if absent), at a time in microseconds since the epoch. The
   * plan has a limit only if the text has LIMIT. Throws `invalid_sql`, `unsupported_sql`, `invalid_pattern` or
   * `too_much_memory`.
   */
  plan(args: Readonly<Record<string, Scalar>>, nowUs: number): Plan
}

/** A text of SQL, for callers that read its tree. */
export interface SqlText extends SqlQuery {
  /** The syntax tree. Places are offsets in the text. */
  readonly tree: Query
  /**
   * Returns the plan of a text without parameters as {@link SqlQuery.plan} does, but with scans over all time:
   * conditions on the timestamp are filters. Also returns whether the plan depends on the time.
   */
  wholePlan(nowUs: number): { plan: Plan; readsTime: boolean }
}

/**
 * Parses a text of the SQL that docs/sql.md describes. Throws `invalid_sql` for wrong SQL, `unsupported_sql` for SQL
 * outside of the subset or beyond a limit. The message ends with the place of the error, ` (line 3, column 14)`.
 * `views` are the views that the text may read: those that there are when a plan is made.
 */
export const readSql = (text: string, limits = SQL_LIMITS, views = NO_VIEWS): SqlText =>
  readText(text, limits, { kind: 'stored', views })

/** Parses a text over the table of a stream of lines, see docs/lines.md. Throws as {@link readSql} does. */
export const readLinesSql = (text: string): SqlText => readText(text, SQL_LIMITS, LINES_ALONE)

function readText(text: string, limits: SqlLimits, tables: ReadableTables): SqlText {
  const { query, isExplain, parameters } = located(text, () => parseStatement(text, limits))
  let constant: Plan | undefined

  function wholePlan(args: Readonly<Record<string, Scalar>>, nowUs: number) {
    const placeOf = (at: number) => () => placeText(text, at)
    const state = { made: noAmounts(), uses: { time: false, views: false }, countPattern: createPatternCount() }
    const context = { args, nowUs, placeOf, limits, tables, ...state }
    return { plan: compileQuery(query, context), uses: context.uses }
  }

  function compile(args: Readonly<Record<string, Scalar>>, nowUs: number): Plan {
    const { plan: whole, uses } = wholePlan(args, nowUs)
    const plan = withTimeRanges(whole)
    const made = isExplain ? explained(plan) : plan
    if (parameters.size === 0 && !uses.time && !uses.views) constant = made
    return made
  }

  return {
    parameters: new Set(parameters.keys()),
    refuseParameters: () => located(text, () => refuse(parameters)),
    isExplain,
    get readsTimeAsBound() {
      return readsTimeAsBound(query)
    },
    tree: query,
    wholePlan(nowUs) {
      const { plan, uses } = located(text, () => wholePlan({}, nowUs))
      return { plan, readsTime: uses.time }
    },
    // A constant plan is used again: the engine then knows the expressions of the plan.
    plan: (args, nowUs) => constant ?? located(text, () => compile(args, nowUs)),
  }
}

function refuse(parameters: ReadonlyMap<string, number>): void {
  for (const [name, at] of parameters)
    throw unsupported(
      `The query has the parameter @${name}, but only stored queries have parameters. Write its value.`,
      at,
    )
}
