import { type Expression, literal } from '../plan/expression.js'
import type { FunctionName } from '../plan/functions/table.js'
import { rewrittenCall } from '../plan/place.js'

/** LIKE with no wildcards but `%` at its ends, as the function of texts that is true in the same rows. */
const FUNCTIONS: ReadonlyMap<string, FunctionName> = new Map([
  ['%%', 'contains'],
  ['-%', 'starts_with'],
  ['%-', 'ends_with'],
])

/**
 * Returns an expression with each LIKE of `'%text%'`, `'text%'` or `'%text'` as a search for the text. A search cannot
 * fail, while a pattern may take too long in a long message. Visits each distinct object once.
 */
export function withPlainLike(expression: Expression, known = new Map<Expression, Expression>()): Expression {
  if (expression.kind !== 'call') return expression
  const found = known.get(expression)
  if (found !== undefined) return found
  const args = expression.args.map((arg) => withPlainLike(arg, known))
  const search = expression.fn === 'like' ? searchOf(args[1]) : undefined
  const isSame = search === undefined && args.every((arg, i) => arg === expression.args[i])
  const changes = search === undefined ? { args } : { fn: search.fn, args: [args[0], literal(search.text)] }
  const made = isSame ? expression : rewrittenCall(expression, changes)
  known.set(expression, made)
  return made
}

/** Returns the search that a pattern is. Undefined if the pattern has other wildcards, or is no literal. */
function searchOf(pattern: Expression | undefined): { fn: FunctionName; text: string } | undefined {
  const value = pattern?.kind === 'literal' ? pattern.value : undefined
  if (typeof value !== 'string') return undefined
  const [, start, middle, end] = /^(%*)((?:[^%_\\]|\\.)*)(%*)$/su.exec(value) ?? []
  if (middle === undefined) return undefined
  const fn = FUNCTIONS.get(`${start === '' ? '-' : '%'}${end === '' ? '-' : '%'}`)
  return fn && { fn, text: middle.replace(/\\(.)/gsu, '$1') }
}
