import { LogweirError } from '../../base/errors.js'

/** The code of an error in a text: wrong SQL, SQL outside the subset, or a pattern that is no RE2. */
export type FaultCode = 'invalid_sql' | 'unsupported_sql' | 'invalid_pattern' | 'too_much_memory'

/** An error at a place of an SQL text, as an offset in UTF-16 units. {@link located} adds line and column. */
export class SqlFault extends Error {
  readonly code: FaultCode
  readonly at: number
  constructor(code: FaultCode, message: string, at: number) {
    super(message)
    this.code = code
    this.at = at
  }
}

/** Wrong SQL. */
export const invalid = (message: string, at: number): SqlFault => new SqlFault('invalid_sql', message, at)

/** SQL outside of the subset. The message names the replacement, if any. */
export const unsupported = (message: string, at: number): SqlFault => new SqlFault('unsupported_sql', message, at)

/** Runs `work`. Converts an {@link SqlFault} to an error with ` (line L, column C)`, from 1, after the message. */
export function located<T>(text: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    // The limit of levels prevents a stack overflow, but the depth of the stack depends on the caller too.
    const fault = error instanceof RangeError ? unsupported('The text is nested too deeply.', 0) : error
    if (!(fault instanceof SqlFault)) throw error
    throw new LogweirError(fault.code, fault.message + placeText(text, fault.at))
  }
}

/** Returns line and column of an offset, both from 1. */
export function placeAt(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at)
  return { line: before.split('\n').length, column: at - before.lastIndexOf('\n') }
}

/** Returns ` (line L, column C)` of an offset. */
export function placeText(text: string, at: number): string {
  const { line, column } = placeAt(text, at)
  return ` (line ${line}, column ${column})`
}
