import type { Expression } from './expression.js'
import { TEXT_FUNCTIONS } from './functions/table.js'

type Call = Expression & { kind: 'call' }

/**
 * Returns the arguments of a call as its function reads arguments: a field that is written in a function of texts is
 * read as text, so that a number has the digits that were sent.
 */
export function callArguments({ fn, args }: Call): readonly Expression[] {
  if (!TEXT_FUNCTIONS.has(fn) || !args.some(isField)) return args
  return args.map((arg) => (isField(arg) ? { ...arg, fn: 'field_text' as const } : arg))
}

const isField = (arg: Expression): arg is Call => arg.kind === 'call' && arg.fn === 'field'
