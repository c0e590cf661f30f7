import type { AggregateName } from '../../../src/plan/aggregates.js'
import { type Syntax, unsupported, wrong } from './syntax.js'

/** An aggregate with arguments that are not compiled yet. */
export interface AggregateSyntax {
  fn: AggregateName
  args: readonly Syntax[]
}

/** The aggregates of SQL, and the least and the greatest number of their arguments. */
const ARITIES: Readonly<Record<string, readonly [least: number, most: number]>> = {
  count: [1, 1],
  countif: [1, 1],
  sum: [1, 1],
  avg: [1, 1],
  min: [1, 1],
  max: [1, 1],
  any_value: [1, 1],
  approx_quantiles: [2, 2],
  approx_count_distinct: [1, 1],
  array_agg: [1, 1],
  string_agg: [1, 2],
}

/** The aggregate of a call, or undefined if the call has another function. */
export function aggregateOf({ fn, args, isDistinct, limit }: Syntax & { kind: 'call' }): AggregateSyntax | undefined {
  if (!Object.hasOwn(ARITIES, fn)) return undefined
  const [least, most] = ARITIES[fn]!
  if (args.length < least || args.length > most) return wrong()
  if (limit !== undefined && fn !== 'array_agg') return unsupported()
  if (isDistinct) return fn === 'count' ? { fn: 'count_distinct', args } : unsupported()
  if (args[0]!.kind === 'star') return fn === 'count' ? { fn: 'count', args: [] } : wrong()
  return { fn: fn as AggregateName, args: limit === undefined ? args : [...args, limit] }
}
