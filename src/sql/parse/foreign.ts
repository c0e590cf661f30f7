import { unsupported } from './fault.js'
import type { Tokens } from './tokens.js'

/** Operators of other dialects, and the remedy for each. */
const FOREIGN: ReadonlyMap<string, string> = new Map([
  ['==', 'Write =.'],
  ['~', 'Write regexp_contains(text, pattern).'],
  ['!~', 'Write not regexp_contains(text, pattern).'],
  ['->', "Write a path, as metadata.request.method, or json_query(text, '$.key')."],
  ['->>', "Write a path, as metadata.request.method, or json_value(text, '$.key')."],
  ['@>', 'Compare fields, as metadata.request.method = …'],
  ['%', 'Write mod(a, b).'],
  ['^', 'There are no operators of bits.'],
  ['&', 'Write AND.'],
  ['|', 'Write OR, or || between texts.'],
])

/** Throws `unsupported_sql` if an operator of another dialect is next. */
export function refuseForeign(tokens: Tokens): void {
  const { kind, text, at } = tokens.peek()
  const instead = kind === 'symbol' ? FOREIGN.get(text) : undefined
  if (instead !== undefined) throw unsupported(`The operator ${text} is not covered. ${instead}`, at)
}
