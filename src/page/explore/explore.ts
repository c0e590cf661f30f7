/** The view of the rows of a source: histogram, fields, list, and the record that is open. */
import type { Failure } from '../api/api.js'
import type { ProjectRow } from '../api/explore.js'
import { createExportButton } from '../export/export-button.js'
import { byId } from '../shared/dom.js'
import type { Bounds } from '../shared/range.js'
import { createClock } from './effects/clock.js'
import { createTail } from './effects/live-tail.js'
import { createRequests } from './effects/requests.js'
import { createScopes } from './effects/scopes.js'
import { closedBounds } from './model/explore-request.js'
import type { Effect, EffectHandlers, Message, Send } from './model/message.js'
import { initialModel, type Model } from './model/model.js'
import type { Change, State } from './model/state.js'
import { update } from './model/update.js'
import { createConditions } from './view/conditions.js'
import { createFields } from './view/fields.js'
import { startFieldsPane } from './view/fields-pane.js'
import { createHistogram } from './view/histogram.js'
import { createList } from './view/list.js'
import { createRecordPane } from './view/record-pane.js'
import { createStatus } from './view/status.js'

/** Callbacks of the view to the page. */
export interface ExploreHost {
  change: Change
  /** Returns true if the page handled the failure by signing out. */
  isHandled(failure: Failure): boolean
  /** The projects that the token may see, with their sources, or undefined while unknown. */
  projects(): readonly ProjectRow[] | undefined
  /** Returns the names of the nine sources, and of the others that have rows of a project. */
  sourcesOf(project: string): readonly string[]
  /** Returns the address of the page with its state and a range, without the token. */
  linkOf(range: Bounds): string
  /** Called when following new rows starts or stops. */
  onLive(isLive: boolean): void
}

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
  /** Moves the focus to where the user writes the name of a field. On a narrow window, shows or hides the fields. */
  findField(): void
  /** Moves to the next (1) or the previous (-1) row. */
  step(by: 1 | -1): void
  /** Closes the record that is open. */
  closeRecord(): void
  /** Shows times and colours again, with the current zone and theme. */
  redraw(): void
}

const nowUs = () => Date.now() * 1_000

/** Creates the view in the page's elements. */
export function createExplore(host: ExploreHost, initial: State): Explore {
  let model = initialModel(initial)
  const waiting: Message[] = []

  function handle(message: Message): void {
    const before = model
    const [next, ...effects] = update(model, message, nowUs())
    model = next
    if (next !== before) draw(next)
    for (const effect of effects) start(effect)
  }

  /** Messages that are sent while a message is handled wait until the model is drawn. */
  function send(message: Message): void {
    if (waiting.push(message) > 1) return
    try {
      for (; waiting.length > 0; waiting.shift()) handle(waiting[0])
    } finally {
      waiting.length = 0
    }
  }

  const start = createEffects(host, send)
  const { draw, list, closeRecord, redraw } = createViews(host, send, () => model)
  const exportSource = async () => (await import('./export-rows.js')).exportSourceOf(host, () => model)
  byId('export').replaceWith(createExportButton(exportSource))
  const fieldsPane = startFieldsPane()
  return {
    show: (state) => send({ kind: 'asked', state, projects: host.projects() }),
    showProjects: () => send({ kind: 'projectsKnown', projects: host.projects() }),
    refresh: () => send({ kind: 'refreshed' }),
    stop: () => send({ kind: 'stopped' }),
    toggleLive: () => send({ kind: 'liveToggled' }),
    toggleErrors: () => send({ kind: 'errorsToggled' }),
    findField: fieldsPane.find,
    step(by) {
      // So that the other keys of the list work too.
      list.focus()
      list.step(by)
    },
    closeRecord,
    redraw,
  }
}

/** Returns the function that starts an effect. An effect of a kind without a handler does not compile. */
function createEffects(host: ExploreHost, send: Send): (effect: Effect) => void {
  const scopes = createScopes()
  const handlers: EffectHandlers = {
    ...createRequests(send, scopes),
    ...createTail(send, scopes),
    ...createClock(send),
    change: ({ next, isStep }) => host.change(next, isStep),
    signOut: ({ failure }) => void host.isHandled(failure),
  }
  return (effect) => (handlers[effect.kind] as (effect: Effect) => void)(effect)
}

function createViews(host: ExploreHost, send: Send, modelNow: () => Model) {
  const record = createRecordPane({
    send,
    onClose: closeRecord,
    link: () => host.linkOf(closedBounds(modelNow(), nowUs())),
    sourcesOf: host.sourcesOf,
  })
  const histogram = createHistogram(byId('histogram'), send)
  const list = createList(byId('list'), modelNow(), send, () => {
    // There the record covers the list.
    if (!matchMedia('(min-width: 64rem)').matches) record.focus()
  })
  byId('unseen').addEventListener('click', () => {
    list.toTop()
    send({ kind: 'newRowsSeen' })
  })
  const drawStatus = createStatus(send)
  const all = [createConditions(send), histogram.draw, createFields(send), list.draw, drawStatus, record.draw]
  let drawn: Model | undefined

  function closeRecord(): void {
    if (modelNow().asked.record === '') return
    send({ kind: 'recordClosed' })
    list.focus()
  }

  function draw(model: Model): void {
    const before = drawn
    drawn = model
    for (const drawPart of all) drawPart(model, before)
    if ((model.live === undefined) !== (before?.live === undefined)) host.onLive(model.live !== undefined)
  }

  function redraw(): void {
    if (drawn?.query === undefined) return
    histogram.redraw()
    list.redraw()
    drawStatus(drawn, undefined)
    record.draw(drawn, undefined)
  }
  return { draw, list, closeRecord, redraw }
}
