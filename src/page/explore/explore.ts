/** The view of the rows of a source: histogram, fields, list, and the record that is open. */
import { cursorOf, type Filter, fetchFields, type LogRow, type Place, placeOf } from '../api/explore.js'
import { createExportButton } from '../export/export-button.js'
import { byId } from '../shared/dom.js'
import { boundsOf } from '../shared/range.js'
import { createConditions } from './conditions.js'
import { createDetail } from './detail.js'
import { createFields } from './fields.js'
import { excludeValue, keepValue, withFilter } from './filters.js'
import { startLive, stopLive } from './follow-rows.js'
import { createHistogram } from './histogram.js'
import { createList } from './list.js'
import { checkPatterns, load, loadCounts, loadFields, loadOlder, MAX_ROWS, showRows } from './load.js'
import { showEmpty, showStatus } from './messages.js'
import type { Host, Parts } from './parts.js'
import { closedBounds, isSameQuery, queryOf } from './query.js'
import { createRowStore } from './row-store.js'
import type { State } from './state.js'

/** The view. */
export interface Explore {
  /** Shows a state. Loads the rows if the query has changed. */
  show(state: State): void
  /** Says again why there are no rows, when the projects are known. */
  showProjects(): void
  /** Loads the same rows again. */
  refresh(): void
  /** Ends all requests, for example when another view is shown. */
  stop(): void
  /** Starts or stops following new rows. */
  toggleLive(): void
  toggleErrors(): void
  /** Moves to the next (1) or the previous (-1) row. */
  step(by: 1 | -1): void
  /** Closes the record that is open. */
  closeRecord(): void
  /** Shows times and colours again, with the current zone and theme. */
  redraw(): void
}

/** Creates the view in the page's elements. */
export function createExplore(host: Host, initial: State): Explore {
  const parts = createParts(host, initial)
  byId('unseen').addEventListener('click', () => {
    parts.unseen = 0
    parts.list.toTop()
    showStatus(parts)
  })
  const exportSource = async () => (await import('./export-rows.js')).exportSourceOf(parts)
  byId('export').replaceWith(createExportButton(exportSource))
  return {
    show: (state) => show(parts, state),
    showProjects() {
      if (byId('list').dataset.state === 'empty') showEmpty(parts)
    },
    refresh: () => void load(parts).then(() => parts.live && startLive(parts)),
    stop() {
      stopLive(parts)
      clearTimeout(parts.retry)
      parts.loading.abort()
      parts.query = undefined
      // Another user may sign in.
      parts.loaded = undefined
    },
    toggleLive: () => toggleLive(parts),
    toggleErrors: parts.conditions.toggleErrors,
    step(by) {
      // So that the other keys of the list work too.
      parts.list.focus()
      parts.list.step(by)
    },
    closeRecord: () => closeRecord(parts),
    redraw() {
      if (parts.query === undefined) return
      parts.histogram.redraw()
      showRows(parts)
      parts.detail.close()
      showRecordOf(parts)
    },
  }
}

function createParts(host: Host, state: State): Parts {
  const store = createRowStore(MAX_ROWS)
  const filter = (change: (filters: State['filters']) => State['filters']) =>
    host.change({ filters: change(parts.state.filters), record: '' }, true)
  const parts: Parts = {
    host,
    store,
    list: createList(byId('list'), store, {
      onNearEnd: () => void loadOlder(parts),
      onOpen: (row) => openRow(parts, row, true),
      onMove: (row) => parts.state.record !== '' && openRow(parts, row, false),
    }),
    histogram: createHistogram(byId('histogram'), (range) => host.change({ range, record: '' }, true)),
    fields: createFields({
      onKeep: (field, value) => filter((filters) => keepValue(filters, field, value)),
      onExclude: (field, value) => filter((filters) => excludeValue(filters, field, value)),
      onRetry() {
        parts.fields.loading()
        void loadFields(parts)
      },
      moreOf: async (field) => (await fetchFields(parts.query!, field, parts.loading.signal)).rows[0],
    }),
    conditions: createConditions(
      (next, isStep) => host.change({ ...next, record: '' }, isStep),
      (filters) => checkPatterns(parts.state, filters),
    ),
    detail: createDetail({
      onFilter: (field, op, value) => filter((filters) => filtersAfter(filters, { field, op, value })),
      onClose: () => closeRecord(parts),
      link: () => host.linkOf(closedBounds(parts)),
      onChoose: (place, source) => chooseRow(parts, place, source),
    }),
    state,
    query: undefined,
    bounds: boundsOf(state.range, 0),
    loading: new AbortController(),
    loaded: undefined,
    stale: '',
    isComplete: false,
    isLoadingOlder: false,
    retry: undefined,
    live: undefined,
    unseen: 0,
    costs: new Map(),
  }
  return parts
}

function filtersAfter(filters: State['filters'], added: Filter): State['filters'] {
  if (added.op === '=') return keepValue(filters, added.field, added.value)
  if (added.op === '!=') return excludeValue(filters, added.field, added.value)
  return withFilter(filters, { field: added.field, op: added.op })
}

function show(parts: Parts, state: State): void {
  const isOther = parts.query === undefined || !isSameQuery(parts.state, state)
  parts.state = state
  parts.conditions.show(state)
  if (isOther) {
    const wasLive = parts.live !== undefined
    stopLive(parts)
    void load(parts).then(() => {
      if (wasLive && parts.state === state && parts.bounds.toUs === undefined) startLive(parts)
    })
  }
  showRecordOf(parts)
}

/** Opens the record of the state, or closes the pane. */
function showRecordOf({ state, store, list, detail, query }: Parts): void {
  if (state.record === '') {
    list.markOpen(undefined)
    detail.close()
    return
  }
  const place = placeOf(state.record)
  list.markOpen(place)
  detail.open(query ?? queryOf(state, boundsOf(state.range, 0)), state.record, store.rows[store.indexOf(place)]?.line)
}

function openRow(parts: Parts, row: LogRow, isStep: boolean): void {
  const record = cursorOf(row)
  // A move between records is no step, so that the back button returns to the list.
  parts.host.change({ record }, isStep && parts.state.record === '')
  // There the record covers the list.
  if (isStep && !matchMedia('(min-width: 64rem)').matches) parts.detail.focus()
}

function closeRecord(parts: Parts): void {
  if (parts.state.record === '') return
  parts.host.change({ record: '' }, true)
  parts.list.focus()
}

/** Opens a row of any source, without filters: the rank counts all rows of the same time. */
function chooseRow({ host, state }: Parts, { timestampUs, rank }: Place, source: string): void {
  const bounds = boundsOf(state.range, Date.now() * 1_000)
  const isInRange = timestampUs >= bounds.fromUs && timestampUs < (bounds.toUs ?? Infinity)
  const range = isInRange ? state.range : { fromUs: timestampUs - 60e6, toUs: timestampUs + 60e6 }
  host.change({ source, range, filters: [], isErrors: false, search: '', record: `${timestampUs}.${rank}` }, true)
}

function toggleLive(parts: Parts): void {
  const { live, state, host } = parts
  if (live !== undefined) {
    stopLive(parts)
    void loadCounts(parts)
  } else {
    // New rows have no place in a range that has an end.
    if (!('preset' in state.range) && state.range.toUs !== undefined)
      host.change({ range: { fromUs: state.range.fromUs, toUs: undefined } }, true)
    startLive(parts)
  }
}
