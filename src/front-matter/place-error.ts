import type { LogweirError } from '../base/errors.js'
import { usageError } from '../base/failures.js'

/** A place in a file. Line and column are counted from 1. */
export interface FilePlace {
  line: number
  column: number
}

/** Returns the `usage` error about a line of a file, counted from 1. */
export const lineError = (problem: string, line: number): LogweirError<'usage'> =>
  usageError(`${problem} (line ${line})`)

/** Returns the `usage` error about a place in a file. */
export const placeError = (problem: string, { line, column }: FilePlace): LogweirError<'usage'> =>
  usageError(`${problem} (line ${line}, column ${column})`)
