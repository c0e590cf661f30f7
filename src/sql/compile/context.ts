import type { Scalar } from '../../plan/values/values.js'
import { unsupported } from '../parse/fault.js'
import type { SqlLimits } from '../parse/limits.js'

/** What is the same for all parts of a text that is compiled: parameters, time, and how much it has made so far. */
export interface Context {
  args: Readonly<Record<string, Scalar>>
  nowUs: number
  limits: SqlLimits
  made: Amounts
}

/** How much a text reads and computes; common table expressions count at each use. */
export interface Amounts {
  scans: number
  expressions: number
}

/** Adds to what a text has made. Throws `unsupported_sql` beyond a limit. */
export function addAmounts({ made, limits }: Context, { scans, expressions }: Amounts, at: number): void {
  made.scans += scans
  made.expressions += expressions
  if (made.scans > limits.scans) throw unsupported(`The query reads more than ${limits.scans} tables.`, at)
  if (made.expressions > limits.expressions)
    throw unsupported(`The query has more than ${limits.expressions} expressions.`, at)
}
