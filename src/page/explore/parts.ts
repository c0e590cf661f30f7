/** The parts of the view of rows, and the state of its requests. */
import type { Failure } from '../api/api.js'
import type { Cost } from '../api/cost.js'
import type { ProjectRow, Query } from '../api/explore.js'
import type { Bounds } from '../shared/range.js'
import type { Change, Conditions } from './conditions.js'
import type { Detail } from './detail.js'
import type { Fields } from './fields.js'
import type { Histogram } from './histogram.js'
import type { List } from './list.js'
import type { RowStore } from './row-store.js'
import type { State } from './state.js'

/** Callbacks of the view to the page. */
export interface Host {
  change: Change
  /** Returns true if the page handled the failure by signing out. */
  isHandled(failure: Failure): boolean
  /** The projects that the token may see, with their sources, or undefined while unknown. */
  projects(): readonly ProjectRow[] | undefined
  /** Returns the address of the page with its state and a range, without the token. */
  linkOf(range: Bounds): string
  /** Called when following new rows starts or stops. */
  onLive(isLive: boolean): void
}

/** The parts of the view. */
export interface Parts {
  readonly host: Host
  readonly store: RowStore
  readonly list: List
  readonly histogram: Histogram
  readonly fields: Fields
  readonly conditions: Conditions
  readonly detail: Detail
  state: State
  /** The query of the rows in the list, or undefined before the first query. */
  query: Query | undefined
  bounds: Bounds
  /** Ends all requests of the query. */
  loading: AbortController
  /** The state that the rows of the store are of, or undefined if no rows are loaded. */
  loaded: State | undefined
  /** Why the rows could not be loaded again, or empty if the rows were loaded. */
  stale: string
  /** Whether the list has all rows of the query, down to the oldest row. */
  isComplete: boolean
  isLoadingOlder: boolean
  retry: ReturnType<typeof setTimeout> | undefined
  /** Following of new rows. */
  live: { abort: AbortController; text: string } | undefined
  /** Rows on top of the list that the user has not seen. */
  unseen: number
  costs: Map<'list' | 'histogram' | 'fields', Cost>
}
