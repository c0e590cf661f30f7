import { LogweirError } from '../../base/errors.js'
import { overloaded } from '../query/slots.js'

/** Returns the error of a stream with a query that is served no longer as before. */
export const replaced = (): LogweirError =>
  new LogweirError('stopping', 'The file of this query was changed or removed. Connect again to follow the new one.')

/** Returns the error of a stream that may have sent rows which were deleted since. */
export const rowsDeleted = (): LogweirError =>
  new LogweirError('stopping', 'Rows that this query reads were deleted. Connect again for an answer without them.')

/** Returns the error `overloaded` if there are as many subscribers as there may be. */
export const tooManySubscribers = (count: number): LogweirError =>
  overloaded(`There are ${count} subscribers already. Poll this query, or close a stream.`)

/** Returns the error `overloaded` if as many different queries are followed as may be. */
export const tooManyQueries = (count: number): LogweirError =>
  overloaded(`There are ${count} different queries that are followed already. Poll this query, or close a stream.`)

/** Returns the error `overloaded` of a query with rows that cannot be held. */
export const tooMuchMemory = (): LogweirError =>
  overloaded('The rows of all queries that are followed take too much memory.')
