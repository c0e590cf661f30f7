/** The requests of the explorer, and the texts about requests that the service refuses. */
import type { Failure } from '../../api/api.js'
import type { Query } from '../../api/explore.js'
import { type Bounds, closedAt, isoBounds } from '../../shared/range.js'
import { withFilter } from './filters.js'
import type { Model } from './model.js'
import { sourceNamed } from './sources.js'
import type { State } from './state.js'

/** Returns the query of the rows that a state shows. */
export function queryOf({ project, source, filters, isErrors, search }: State, bounds: Bounds): Query {
  return {
    project,
    source,
    ...isoBounds(bounds),
    filters: isErrors ? sourceNamed(source).errors.filters.reduce(withFilter, filters) : filters,
    search,
  }
}

/**
 * Returns the bounds of the rows in the list. A range without an end ends now, so that the range always has the same
 * rows: after the newest row that is shown, if the newest row is ahead of this machine's clock.
 */
export function closedBounds({ bounds, rows }: Pick<Model, 'bounds' | 'rows'>, nowUs: number): Bounds {
  return closedAt(bounds, Math.max(nowUs, (rows[0]?.timestampUs ?? 0) + 1))
}

/** Returns whether two states show the same rows. */
export function isSameQuery(a: State, b: State): boolean {
  const keyOf = ({ project, source, range, filters, isErrors, search }: State) =>
    JSON.stringify([project, source, range, filters, isErrors, search])
  return keyOf(a) === keyOf(b)
}

/** Whether a failure is about the conditions that the user wrote. */
export const isOfConditions = ({ code = '' }: Failure): boolean =>
  ['invalid_pattern', 'invalid_parameter'].includes(code)

/** Returns the message of the service without the place in the parameter, which the user did not write. */
export function conditionProblem(message: string): string {
  const text = message.replace(/^The parameter "filter" is invalid at [^:]*: /, '')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
