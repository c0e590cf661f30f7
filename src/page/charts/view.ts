import type { Query } from '../api/explore.js'
import { type Bounds, closedAt, isoBounds, type Range } from '../shared/range.js'

/** The charts of a project over a range, with the bounds of the range at the time of the request. */
export interface ChartsView {
  project: string
  range: Range
  bounds: Bounds
  /** In microseconds since 1970. */
  nowUs: number
}

/** Returns the bounds of the rows: a range without an end ended when the rows were requested. */
export const closedBounds = ({ bounds, nowUs }: ChartsView): Bounds => closedAt(bounds, nowUs)

/** Called with a part of the range that the user chose in a chart. */
export type OnSelect = (bounds: Bounds) => void

/** Returns the query of the rows of a source in the range of a view. */
export const queryOf = ({ project, bounds }: ChartsView, source: string, filters: Query['filters'] = []): Query => ({
  project,
  source,
  ...isoBounds(bounds),
  filters,
  search: '',
})
