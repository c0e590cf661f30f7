/** Handlers of the rows: the load that replaces the rows, older rows, and newer rows. */
import { MAX_EXPLORED_ROWS } from '../../../common/limits.js'
import type { Failure } from '../../api/api.js'
import { cursorOf, type LogRow } from '../../api/explore.js'
import { boundsOf } from '../../shared/range.js'
import { conditionProblem, isOfConditions, isSameQuery, queryOf } from './explore-request.js'
import { startLive } from './live.js'
import type { Effect, Handler, Handlers, Step } from './message.js'
import { isFull, MAX_ROWS, type Model, withoutRows } from './model.js'
import { addRows, appendRows } from './row-store.js'

/** Rows of the first page, which has to appear soon, and of further pages, which must not delay a frame by parsing. */
export const [FIRST_ROWS, MORE_ROWS] = [100, 200]

/** Loads rows, histogram and fields of what is asked. Cancels a load that is still running. */
export function load(model: Model, nowUs: number): Step {
  const bounds = boundsOf(model.asked.range, nowUs)
  const [query, loadId] = [queryOf(model.asked, bounds), model.loadId + 1]
  const next: Model = {
    ...model,
    ...{ bounds, query, loadId, isLoading: true, isLoadingOlder: false, unseen: 0 },
    histogram: { ...model.histogram, isLoading: true },
    fields: { ...model.fields, isLoading: true },
  }
  return [next, { kind: 'loadRows', loadId, query }]
}

/** Repeats the failed load. */
export const retry = (model: Model, nowUs: number): Step =>
  model.failure?.of === 'live' ? startLive(model) : load(model, nowUs)

/** Loads the next older rows, if there are older rows and room. */
export function loadOlder(model: Model): Step {
  const { query, loadId, rows, isLoading, isLoadingOlder, isComplete } = model
  const oldest = rows.at(-1)
  if (query === undefined || oldest === undefined) return [model]
  if (isLoading || isLoadingOlder || isComplete || isFull(model)) return [model]
  return [
    { ...model, isLoadingOlder: true },
    { kind: 'loadOlder', loadId, query, before: cursorOf(oldest) },
  ]
}

/** Loads the rows that are newer than the rows of the list. */
export function loadNewer(model: Model, nowUs: number): Step {
  const { query, loadId, rows } = model
  const newest = rows[0]
  if (newest === undefined || query === undefined) return load(model, nowUs)
  return [model, { kind: 'loadNewer', loadId, query, after: cursorOf(newest) }]
}

/** Adds rows of any time that belong to the query. */
export function withRows(model: Model, given: readonly LogRow[]): Model {
  const { bounds, isComplete, isAtTop, unseen } = model
  const oldest = model.rows.at(-1)
  const isWanted = ({ timestampUs }: LogRow) =>
    timestampUs >= bounds.fromUs && (isComplete || oldest === undefined || timestampUs >= oldest.timestampUs)
  const { rows, newer, isChanged } = addRows(model.rows, given.filter(isWanted), MAX_ROWS)
  if (!isChanged) return model
  return {
    ...model,
    rows,
    fresh: newer,
    failure: undefined,
    unseen: isAtTop ? 0 : unseen + newer,
    // The oldest rows may have been removed.
    isComplete: isComplete && !isFull({ rows }),
    fields: { ...model.fields, isOutdated: true },
  }
}

/** Ignores the messages of loads that a later load has replaced. */
const ofLoad =
  <Message extends { loadId: number }>(handler: (model: Model, message: Message, nowUs: number) => Step) =>
  (model: Model, message: Message, nowUs: number): Step =>
    message.loadId === model.loadId ? handler(model, message, nowUs) : [model]

const rowsLoaded: Handler<'rowsLoaded'> = (model, { loadId, rows, cost }) => {
  const next: Model = {
    ...model,
    ...{ isLoading: false, failure: undefined, problem: '', stale: '', costs: { list: cost } },
    ...{ rows, rowsId: loadId, fresh: 0, loaded: model.asked, isComplete: rows.length < FIRST_ROWS },
  }
  return [next, { kind: 'loadHistogram', loadId, query: model.query!, isFieldsNext: true }]
}

/** Shows a failure in the right place, and tries again if a retry may help. */
const rowsFailed: Handler<'rowsFailed'> = (model, { loadId, failure }) => {
  if (failure.kind === 'unauthorized') return [model, { kind: 'signOut', failure }]
  const { retryS, message } = failure
  const again: Effect[] =
    retryS === undefined ? [] : [{ kind: 'wait', ms: retryS * 1_000, message: { kind: 'retryDue', loadId } }]
  const [next, ...following] = endLoad(
    keepsRows(model, failure) ? withStaleRows(model, message) : failed(model, failure),
  )
  return [next, ...again, ...following]
}

/** Whether the rows of an earlier load are still rows of the query. */
const keepsRows = ({ loaded, asked, rows }: Model, { retryS }: Failure) =>
  retryS !== undefined && loaded !== undefined && isSameQuery(loaded, asked) && rows.length > 0

const withStaleRows = (model: Model, message: string): Model => ({
  ...model,
  isLoading: false,
  failure: undefined,
  stale: `${message} These rows were loaded before. Trying again by itself.`,
  histogram: { ...model.histogram, isLoading: false },
  fields: { ...model.fields, isLoading: false },
})

function failed(model: Model, failure: Failure): Model {
  const problem = isOfConditions(failure) ? conditionProblem(failure.message) : model.problem
  return withoutRows({ ...model, isLoading: false, failure: { of: 'rows', failure }, problem, rowsId: model.loadId })
}

/** Starts following, if following waits for the end of the load. */
export function endLoad(model: Model): Step {
  const { isLiveNext, bounds } = model
  const next = { ...model, isLiveNext: false }
  return isLiveNext && bounds.toUs === undefined ? startLive(next) : [next]
}

/** Handlers of answers with rows. */
export const fromRows = {
  rowsLoaded: ofLoad(rowsLoaded),
  rowsFailed: ofLoad(rowsFailed),
  retryDue: ofLoad((model, _, nowUs) => load(model, nowUs)),
  olderLoaded: ofLoad((model, { rows: older }) => {
    const rows = appendRows(model.rows, older, MAX_ROWS)
    return [{ ...model, rows, isComplete: older.length < MORE_ROWS, isLoadingOlder: false }]
  }),
  // The next movement near the end tries again.
  olderFailed: ofLoad((model, { failure }) => {
    const signOut: Effect[] = failure.kind === 'unauthorized' ? [{ kind: 'signOut', failure }] : []
    return [{ ...model, isLoadingOlder: false }, ...signOut]
  }),
  // Too many: there may be rows between these and the rows of the list.
  newerLoaded: ofLoad((model, { rows }, nowUs) =>
    rows.length === MAX_EXPLORED_ROWS ? load(model, nowUs) : [withRows(model, rows)],
  ),
  newerFailed: ofLoad((model, { failure }) => [
    model.live === undefined ? model : { ...model, live: { ...model.live, text: failure.message } },
  ]),
} satisfies Partial<Handlers>
