/** The query of a state. */
import type { Query } from '../api/explore.js'
import { type Bounds, isoBounds } from '../shared/range.js'
import { withFilter } from './filters.js'
import { sourceNamed } from './sources.js'
import type { State } from './state.js'

/** Returns the query of the rows that a state shows. */
export function queryOf({ project, source, filters, isErrors, search }: State, bounds: Bounds): Query {
  return {
    project,
    source,
    ...isoBounds(bounds),
    filters: isErrors ? withFilter(filters, sourceNamed(source).errors.filter) : filters,
    search,
  }
}

/** Returns whether two states show the same rows. */
export function isSameQuery(a: State, b: State): boolean {
  const keyOf = ({ project, source, range, filters, isErrors, search }: State) =>
    JSON.stringify([project, source, range, filters, isErrors, search])
  return keyOf(a) === keyOf(b)
}
