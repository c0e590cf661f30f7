/** The only function that changes the model of the explorer. Pure: requests and clocks are effects. */
import { cursorOf, type Filter, placeOf } from '../../api/explore.js'
import { boundsOf } from '../../shared/range.js'
import { isSameQuery, queryOf } from './explore-request.js'
import { excludeValue, keepValue, withFilter } from './filters.js'
import { startLive, stopLive } from './live.js'
import type { Effect, Handler, Handlers, Message, Step } from './message.js'
import type { Model, OpenRecord } from './model.js'
import { indexOfRow } from './row-store.js'
import type { State } from './state.js'
import { fromCounts, loadFields } from './update-counts.js'
import { fromLive } from './update-live.js'
import { fromRows, load, loadOlder, retry } from './update-rows.js'
import { boxAfter, fromBox } from './update-search.js'

/** Returns the model after a message, and the effects to start. The model is the same if nothing changes. */
export function update(model: Model, message: Message, nowUs: number): Step {
  return (HANDLERS[message.kind] as Handler)(model, message, nowUs)
}

const change = (next: Partial<State>, isStep: boolean): Effect => ({ kind: 'change', next, isStep })

function asked(model: Model, { state, projects }: { state: State } & Pick<Model, 'projects'>, nowUs: number): Step {
  const isOther = model.query === undefined || !isSameQuery(model.asked, state)
  const next = { ...model, asked: state, projects, box: boxAfter(model, state) }
  if (!isOther) return withRecord(next)
  const [stopped, ...ended] = stopLive({ ...next, isLiveNext: model.isLiveNext || model.live !== undefined })
  const [loading, ...started] = load(stopped, nowUs)
  const active = model.asked.source === state.source ? model.active : undefined
  const [shown, ...found] = withRecord({ ...loading, active })
  return [shown, ...ended, ...started, ...found]
}

/** Opens the record that is asked for, or closes the record. */
function withRecord(model: Model): Step {
  const { asked, record, loaded, rows } = model
  if (asked.record === '')
    return record === undefined
      ? [model]
      : [
          { ...model, record: undefined },
          { kind: 'cancel', scope: 'record' },
        ]
  const place = placeOf(asked.record)
  const row = loaded !== undefined && isSameQuery(loaded, asked) ? rows[indexOfRow(rows, place)] : undefined
  const active = row === undefined ? model.active : place
  if (record?.cursor === asked.record) return [{ ...model, active }]
  const query = model.query ?? queryOf(asked, boundsOf(asked.range, 0))
  const opened = { cursor: asked.record, query, line: row?.line, problem: '', isAround: false }
  const find: Effect[] = row === undefined ? [{ kind: 'findRecord', query, cursor: asked.record }] : []
  return [{ ...model, active, record: opened }, { kind: 'cancel', scope: 'record' }, ...find]
}

function filtersAfter(filters: State['filters'], { field, op, value }: Filter): State['filters'] {
  if (op === '=') return keepValue(filters, field, value)
  if (op === '!=') return excludeValue(filters, field, value)
  return withFilter(filters, { field, op })
}

function toggleLive(model: Model, nowUs: number): Step {
  const { asked, live } = model
  if (live !== undefined) return stoppedByUser(model)
  // New rows have no place in a range that has an end.
  if ('preset' in asked.range || asked.range.toUs === undefined) return startLive({ ...model, isLiveNext: false })
  const range = { fromUs: asked.range.fromUs, toUs: undefined }
  const [loading, ...started] = load({ ...model, asked: { ...asked, range } }, nowUs)
  const [followed, ...following] = startLive(loading)
  return [followed, ...started, ...following, change({ range }, true)]
}

function stoppedByUser(model: Model): Step {
  const [stopped, ...effects] = stopLive({ ...model, isLiveNext: false })
  const { loadId, query } = model
  return [stopped, ...effects, { kind: 'loadHistogram', loadId, query: query!, isFieldsNext: true }]
}

function stop(model: Model): Step {
  if (model.query === undefined) return [model]
  const [stopped, ...effects] = stopLive({ ...model, isLiveNext: false })
  // Another user may sign in.
  const next = { ...stopped, loadId: model.loadId + 1, query: undefined, isLoading: false, loaded: undefined }
  return [next, ...effects, { kind: 'cancel', scope: 'load' }]
}

/** Opens a row of any source, without filters: the rank counts all rows of the same time. */
const chooseAround: Handler<'aroundRowChosen'> = (model, { place: { timestampUs, rank }, source }, nowUs) => {
  const { range: before } = model.asked
  const bounds = boundsOf(before, nowUs)
  const isInRange = timestampUs >= bounds.fromUs && timestampUs < (bounds.toUs ?? Infinity)
  const range = isInRange ? before : { fromUs: timestampUs - 60e6, toUs: timestampUs + 60e6 }
  const record = `${timestampUs}.${rank}`
  return [model, change({ source, range, filters: [], isErrors: false, search: '', record }, true)]
}

/** Returns the model with a change of the open record, if the record is still open. */
const inRecord = (model: Model, cursor: string, next: Partial<OpenRecord>): Model =>
  model.record?.cursor === cursor ? { ...model, record: { ...model.record, ...next } } : model

const GONE = 'This record is no longer stored, or the filters exclude it.'

/** A message of a kind without a handler does not compile. */
const HANDLERS: Handlers = {
  ...fromRows,
  ...fromCounts,
  ...fromLive,
  ...fromBox,
  asked,
  projectsKnown: (model, { projects }) => [{ ...model, projects }],
  refreshed: (model, _, nowUs) => load({ ...model, isLiveNext: model.live !== undefined }, nowUs),
  stopped: stop,
  liveToggled: (model, _, nowUs) => toggleLive(model, nowUs),
  changed: (model, { next, isStep }) => [model, change(next, isStep)],
  filtered: (model, { filter }) => [
    model,
    change({ filters: filtersAfter(model.asked.filters, filter), record: '' }, true),
  ],
  errorsToggled: (model) => [model, change({ isErrors: !model.asked.isErrors, record: '' }, true)],
  scrolled(model, { isAtTop, isNearEnd }) {
    const next = isAtTop === model.isAtTop ? model : { ...model, isAtTop }
    return isNearEnd ? loadOlder(next) : [next]
  },
  newRowsSeen: (model) => [{ ...model, unseen: 0 }],
  movedTo(model, { row }) {
    const next = { ...model, active: row }
    // A move between records is no step, so that the back button returns to the list.
    return model.asked.record === '' ? [next] : [next, change({ record: cursorOf(row) }, false)]
  },
  rowOpened: (model, { row }) => [
    { ...model, active: row },
    change({ record: cursorOf(row) }, model.asked.record === ''),
  ],
  loadRetried: (model, _, nowUs) => retry(model, nowUs),
  fieldsRetried: (model) => loadFields({ ...model, fields: { ...model.fields, isLoading: true } }),
  recordClosed: (model) => (model.asked.record === '' ? [model] : [model, change({ record: '' }, true)]),
  recordFound: (model, { cursor, line }) => [
    inRecord(model, cursor, line === undefined ? { problem: GONE } : { line }),
  ],
  recordFailed: (model, { cursor, failure }) => [inRecord(model, cursor, { problem: failure.message })],
  aroundOpened: (model) => [inRecord(model, model.asked.record, { isAround: true })],
  aroundClosed: (model) => [inRecord(model, model.asked.record, { isAround: false })],
  aroundRowChosen: chooseAround,
}
