/** Loads the rows of the view's state, then their histogram, then their fields. */
import { type Failure, sessionSignal } from '../api/api.js'
import {
  cursorOf,
  type FilterEntry,
  failureOf,
  fetchFields,
  fetchHistogram,
  fetchRows,
  type LogRow,
} from '../api/explore.js'
import { boundsOf } from '../shared/range.js'
import { conditionsIn } from './filters.js'
import { showEmpty, showFailure, showListState, showStatus } from './messages.js'
import type { Parts } from './parts.js'
import { isSameQuery, queryOf } from './query.js'
import { sourceNamed } from './sources.js'
import type { State } from './state.js'

/** Rows of the first page, which has to appear soon, and of further pages, which must not delay a frame by parsing. */
const [FIRST_ROWS, MORE_ROWS] = [100, 200]
/** Maximum of rows in the list. */
export const MAX_ROWS = 50_000

/** Newer rows that are added to the list at once. */
const MAX_NEWER = 1_000

const nowUs = () => Date.now() * 1_000

/** Loads rows, histogram and fields of the state. Cancels a load that is still running. */
export async function load(parts: Parts): Promise<void> {
  clearTimeout(parts.retry)
  parts.loading.abort()
  parts.loading = new AbortController()
  const { signal } = parts.loading
  parts.bounds = boundsOf(parts.state.range, nowUs())
  parts.query = queryOf(parts.state, parts.bounds)
  parts.isLoadingOlder = false
  parts.unseen = 0
  showListState(parts, 'loading')
  parts.histogram.loading()
  parts.fields.loading()
  try {
    await loadFirst(parts, signal)
    await loadCounts(parts)
  } catch (error) {
    if (!signal.aborted) failed(parts, failureOf(error))
  }
}

async function loadFirst(parts: Parts, signal: AbortSignal): Promise<void> {
  const { rows, cost } = await fetchRows(parts.query!, { limit: FIRST_ROWS }, signal)
  parts.conditions.problem('')
  parts.costs = new Map([['list', cost]])
  parts.store.replace(rows)
  parts.loaded = parts.state
  parts.stale = ''
  parts.isComplete = rows.length < FIRST_ROWS
  showRows(parts)
  parts.list.toTop()
}

/** Shows the rows of the store. `newer`: the number of rows that were added on top. */
export function showRows(parts: Parts, newer = 0): void {
  const { store, list, state } = parts
  list.show(sourceNamed(state.source), state.search, newer)
  if (store.rows.length === 0) showEmpty(parts)
  else showListState(parts, parts.stale === '' ? 'rows' : 'stale')
}

/** Shows a failure in the right place, and tries again if a retry may help. */
function failed(parts: Parts, failure: Failure): void {
  const { host, state, loaded, store, histogram, fields } = parts
  if (host.isHandled(failure)) return
  const again = () => void load(parts)
  if (failure.retryS !== undefined) parts.retry = setTimeout(again, failure.retryS * 1_000)
  if (failure.retryS !== undefined && loaded !== undefined && isSameQuery(loaded, state) && store.rows.length > 0) {
    histogram.keep()
    fields.keep()
    parts.stale = `${failure.message} These rows were loaded before. Trying again by itself.`
    showRows(parts)
    return
  }
  store.replace([])
  parts.loaded = undefined
  parts.stale = ''
  showRows(parts)
  histogram.showText('')
  fields.showText('')
  if (isOfConditions(failure)) parts.conditions.problem(conditionProblem(failure.message))
  showFailure(parts, failure, again)
}

const isOfConditions = ({ code = '' }: Failure) => ['invalid_pattern', 'invalid_parameter'].includes(code)

/** Returns the message of the service without the place in the parameter, which the user did not write. */
export function conditionProblem(message: string): string {
  const text = message.replace(/^The parameter "filter" is invalid at [^:]*: /, '')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/**
 * Asks the service, for a range without rows, whether the patterns of filters are valid. Resolves to the problem, or to
 * undefined for no problem. Returns undefined if no filter has a pattern.
 */
export function checkPatterns(state: State, filters: readonly FilterEntry[]): Promise<string | undefined> | undefined {
  if (!filters.flatMap(conditionsIn).some(({ op }) => op === 'matches')) return undefined
  const query = queryOf({ ...state, filters, search: '' }, { fromUs: 0, toUs: 0 })
  return fetchRows(query, { limit: 1 }, sessionSignal()).then(
    () => undefined,
    // All other failures also occur in the next load.
    (error) => (isOfConditions(failureOf(error)) ? conditionProblem(failureOf(error).message) : undefined),
  )
}

/** Loads the histogram, then the fields: the user waits for the rows. */
export async function loadCounts(parts: Parts): Promise<void> {
  const { signal } = parts.loading
  await loadHistogram(parts)
  if (!signal.aborted) await loadFields(parts)
}

/** Loads the histogram. The histogram shows the failure. */
export async function loadHistogram(parts: Parts): Promise<void> {
  const { signal } = parts.loading
  try {
    const { rows, cost } = await fetchHistogram(parts.query!, signal)
    parts.costs.set('histogram', cost)
    parts.histogram.show(rows, parts.bounds, nowUs())
    showStatus(parts)
  } catch (error) {
    if (!signal.aborted) parts.histogram.showText(failureOf(error).message)
  }
}

/** Loads the fields. The list of fields shows the failure. */
export async function loadFields(parts: Parts): Promise<void> {
  const { signal } = parts.loading
  try {
    const { rows, cost } = await fetchFields(parts.query!, undefined, signal)
    parts.costs.set('fields', cost)
    if (rows.length > 0) parts.fields.show(rows, sourceNamed(parts.state.source))
    else parts.fields.showText(parts.store.rows.length === 0 ? 'No rows, so no fields.' : 'These rows have no fields.')
    showStatus(parts)
  } catch (error) {
    if (!signal.aborted) parts.fields.failed(failureOf(error))
  }
}

/** Adds the next older rows to the list, if there are older rows and room. */
export async function loadOlder(parts: Parts): Promise<void> {
  const { store, query, loading } = parts
  const oldest = store.rows.at(-1)
  if (parts.isLoadingOlder || parts.isComplete || oldest === undefined || store.isFull) return
  parts.isLoadingOlder = true
  showStatus(parts)
  try {
    const { rows } = await fetchRows(query!, { limit: MORE_ROWS, before: cursorOf(oldest) }, loading.signal)
    store.append(rows)
    parts.isComplete = rows.length < MORE_ROWS
    parts.isLoadingOlder = false
    parts.list.grow()
    showStatus(parts)
  } catch (error) {
    if (loading.signal.aborted) return
    // The next movement near the end tries again.
    parts.isLoadingOlder = false
    if (!parts.host.isHandled(failureOf(error))) showStatus(parts)
  }
}

/** Adds rows of any time that belong to the query, and keeps the rows in view in place. */
export function addRows(parts: Parts, rows: readonly LogRow[]): void {
  const { store, bounds, list, isComplete } = parts
  const oldest = store.rows.at(-1)
  const isWanted = ({ timestampUs }: LogRow) =>
    timestampUs >= bounds.fromUs && (isComplete || oldest === undefined || timestampUs >= oldest.timestampUs)
  const { newer, isChanged } = store.add(rows.filter(isWanted))
  if (!isChanged) return
  parts.fields.outdated()
  // The oldest rows may have been removed.
  if (store.isFull) parts.isComplete = false
  const isAtTop = list.isAtTop()
  parts.unseen = isAtTop ? 0 : parts.unseen + newer
  showRows(parts, newer)
}

/** Adds the rows that are newer than the rows of the list. Loads all again if there are too many. */
export async function loadNewer(parts: Parts): Promise<void> {
  const { store, query, loading } = parts
  const newest = store.rows[0]
  if (newest === undefined || query === undefined) return load(parts)
  const { rows } = await fetchRows(query, { limit: MAX_NEWER, after: cursorOf(newest) }, loading.signal)
  if (rows.length === MAX_NEWER) return load(parts)
  addRows(parts, rows)
}
