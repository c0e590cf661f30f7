import type { Place } from '../../plan/place.js'
import type { Scalar } from '../../plan/values/values.js'
import { invalid, unsupported } from '../parse/fault.js'
import type { SqlLimits } from '../parse/limits.js'
import type { NodeOf } from '../parse/tree.js'
import type { ReadableTables } from './readable-tables.js'

/** State that all parts of a text share during compilation: parameters, time, and the amounts made so far. */
export interface Context {
  args: Readonly<Record<string, Scalar>>
  nowUs: number
  /** Returns the place of an offset in the text. */
  placeOf(at: number): Place
  /** Whether the plan depends on the time, and on the views that there are. */
  uses: { time: boolean; views: boolean }
  limits: SqlLimits
  /** The tables that the text may name. */
  tables: ReadableTables
  made: Amounts
  /** Counts a pattern. Throws `invalid_pattern` beyond the limit for all patterns of a query. */
  countPattern(pattern: string): void
}

/** How much a text reads and computes. Common table expressions count at each use. */
export type Amounts = Record<Amount, number>
type Amount = 'scans' | 'unnests' | 'expressions'

const NOUNS: Readonly<Record<Amount, string>> = { scans: 'tables', unnests: 'lists', expressions: 'expressions' }

/** Returns the amounts of an empty text. */
export const noAmounts = (): Amounts => ({ scans: 0, unnests: 0, expressions: 0 })

/** Adds to an amount of a text. Throws `unsupported_sql` beyond the limit of that amount. */
export function addAmount({ made, limits }: Context, amount: Amount, count: number, at: number): void {
  made[amount] += count
  if (made[amount] > limits[amount])
    throw unsupported(`The query has more than ${limits[amount]} ${NOUNS[amount]}.`, at)
}

/** Adds all amounts of another text. */
export function addAmounts(context: Context, amounts: Amounts, at: number): void {
  for (const amount of Object.keys(NOUNS) as Amount[]) addAmount(context, amount, amounts[amount], at)
}

/** Returns the value of a parameter. Throws `invalid_sql` if the parameter has no value. */
export function valueOfParameter({ name, at }: NodeOf<'parameter'>, { args }: Context): Scalar {
  if (Object.hasOwn(args, name)) return args[name]
  throw invalid(`The parameter @${name} has no value. Parameters are declared in the files of stored queries.`, at)
}
