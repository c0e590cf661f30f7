/** The state of the explorer: what is asked, under way, loaded and open. Only `update` makes the next model. */
import type { Failure } from '../../api/api.js'
import type { Cost } from '../../api/cost.js'
import type { FieldRow, HistogramRow, LogRow, Place, ProjectRow, Query } from '../../api/explore.js'
import { type Bounds, boundsOf } from '../../shared/range.js'
import { boxText } from './search-text.js'
import type { State } from './state.js'

/** The histogram, or a text in place of the histogram. */
export interface HistogramModel {
  readonly isLoading: boolean
  /** Undefined: there is no histogram. */
  readonly shown:
    | { readonly rows: readonly HistogramRow[]; readonly bounds: Bounds; readonly nowUs: number }
    | undefined
  readonly text: string
}

/** The values of a field over the whole range. Without `row`, the values are loading, or `failure` says why not. */
export interface WholeField {
  readonly row?: FieldRow
  readonly failure?: Failure
}

/** The fields of the rows. */
export interface FieldsModel {
  readonly isLoading: boolean
  /** Empty for no fields. */
  readonly rows: readonly FieldRow[]
  /** The source of the fields. */
  readonly source: string
  /** Whether rows have arrived since the fields were counted. */
  readonly isOutdated: boolean
  /** The fields that were requested over the whole range, by name. */
  readonly whole: ReadonlyMap<string, WholeField>
  readonly failure: Failure | undefined
  /** A text if there are no fields. */
  readonly text: string
}

/** Following of new rows. */
interface LiveModel {
  /** About the connection. */
  readonly text: string
  /** Whether rows have arrived since the histogram was requested. */
  readonly isCountDue: boolean
}

/** The record that is open. Without `line`, the record is loading, or `problem` says why not. */
export interface OpenRecord {
  readonly cursor: string
  /** The query that found the record. */
  readonly query: Query
  /** JSON of the row. */
  readonly line: string | undefined
  readonly problem: string
  /** Whether the rows around the record are shown instead. */
  readonly isAround: boolean
}

/** The explorer. */
export interface Model {
  /** The state in the URL. */
  readonly asked: State
  /** The text in the search box, some of which may not be searched yet. */
  readonly box: string
  /** The fault in the conditions, or empty. */
  readonly problem: string
  /** The projects that the token may see, with their sources, or undefined while unknown. */
  readonly projects: readonly ProjectRow[] | undefined

  /** Number of the newest load. Answers to the requests of earlier loads are ignored. */
  readonly loadId: number
  /** The query of the newest load, or undefined while another view is shown. */
  readonly query: Query | undefined
  readonly bounds: Bounds
  readonly isLoading: boolean
  readonly isLoadingOlder: boolean
  /** Why the list has no rows, and the failed part. */
  readonly failure: { readonly of: 'rows' | 'live'; readonly failure: Failure } | undefined
  readonly live: LiveModel | undefined
  /** Number of the newest tail. Rows of earlier tails are ignored. */
  readonly liveId: number
  /** Whether following starts when the load has ended. */
  readonly isLiveNext: boolean

  /** Newest first. */
  readonly rows: readonly LogRow[]
  /** The load that replaced the rows. */
  readonly rowsId: number
  /** The state that the rows are of, or undefined if no rows are loaded. */
  readonly loaded: State | undefined
  /** Why the rows could not be loaded again, or empty if the rows were loaded. */
  readonly stale: string
  /** Whether the list has all rows of the query, down to the oldest row. */
  readonly isComplete: boolean
  /** Rows on top of the list that arrived last. */
  readonly fresh: number
  /** Rows on top of the list that the user has not seen. */
  readonly unseen: number
  readonly histogram: HistogramModel
  readonly fields: FieldsModel
  readonly costs: Readonly<Partial<Record<'list' | 'histogram' | 'fields', Cost>>>

  /** Whether the newest row is in view. */
  readonly isAtTop: boolean
  /** The row that the keyboard is at. */
  readonly active: Place | undefined
  readonly record: OpenRecord | undefined
}

/** Maximum of rows in the list. */
export const MAX_ROWS = 50_000

const NO_HISTOGRAM: HistogramModel = { isLoading: false, shown: undefined, text: '' }
const NO_FIELDS: Omit<FieldsModel, 'source'> = {
  ...{ isLoading: false, rows: [], isOutdated: false },
  ...{ whole: new Map(), failure: undefined, text: '' },
}

/** Returns a model without rows, histogram and fields. `model`: the remaining members. */
export const withoutRows = (model: Omit<Model, keyof typeof NO_ROWS | 'fields'>): Model => ({
  ...model,
  ...NO_ROWS,
  fields: { ...NO_FIELDS, source: model.asked.source },
})

const NO_ROWS = { rows: [], loaded: undefined, stale: '', fresh: 0, histogram: NO_HISTOGRAM } as const

/** Returns the model before the view is shown. */
export function initialModel(asked: State): Model {
  return withoutRows({
    ...{ asked, box: boxText(asked.search), problem: '', projects: undefined },
    ...{ loadId: 0, query: undefined, bounds: boundsOf(asked.range, 0), isLoading: false, isLoadingOlder: false },
    ...{ failure: undefined, live: undefined, liveId: 0, isLiveNext: false },
    ...{ rowsId: 0, isComplete: false, unseen: 0, costs: {} },
    ...{ isAtTop: true, active: undefined, record: undefined },
  })
}

/** Content of the list: rows, or a text about a load that is running, has found nothing, or failed. */
export type ListKind = 'rows' | 'loading' | 'stale' | 'empty' | 'failed'

/** Returns the kind of content that the list shows. `stale`: rows of an earlier load. */
export function listKindOf({ query, isLoading, failure, rows, stale }: Model): ListKind {
  if (query === undefined || isLoading) return 'loading'
  if (failure !== undefined) return 'failed'
  if (rows.length === 0) return 'empty'
  return stale === '' ? 'rows' : 'stale'
}

/** Whether the list has no room for older rows. */
export const isFull = ({ rows }: Pick<Model, 'rows'>): boolean => rows.length >= MAX_ROWS

/** Draws a model. `before`: the model that was drawn last, if any. */
export type Draw = (model: Model, before: Model | undefined) => void
