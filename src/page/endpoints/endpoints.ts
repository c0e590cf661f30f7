/** The view of the API: a form for each endpoint, its rows, and a reference of the other paths. */
import { QUERY_PATH } from '../../common/query-path.js'
import { createAnswerView } from '../answer/answer-view.js'
import type { Failure } from '../api/api.js'
import { fetchDescription } from '../api/description.js'
import { type Endpoint, endpointsIn } from '../api/endpoints.js'
import { failureOf } from '../api/explore.js'
import { createExportButton } from '../export/export-button.js'
import { buttonOf, element } from '../shared/dom.js'
import { createCopyLine } from './copy-line.js'
import { curlLine, urlOf } from './curl.js'
import {
  type ApiState,
  cancel,
  contextOf,
  type EndpointsElements,
  type EndpointsHost,
  type Opened,
} from './endpoints-elements.js'
import { usesRange } from './fields.js'
import { createForm, type ParameterForm } from './form.js'
import { createList } from './list.js'
import { referenceOf } from './paths.js'
import { extentsOf, run, runKey } from './run.js'

/** The interface of the view to the page. */
export interface EndpointsView {
  show(state: ApiState): void
  /** Loads the same again, without the cache. */
  refresh(): void
  /** Ends all requests, and forgets the answer. */
  stop(): void
  /** Shows times and colours again, with the current zone and theme. */
  redraw(): void
}

/** Creates the view in an element. */
export function createEndpoints(root: HTMLElement, host: EndpointsHost, state: ApiState): EndpointsView {
  const list = createList((endpoint) => host.change({ endpoint, params: {} }, true))
  const place = element('div', { class: 'api-place' })
  root.replaceChildren(list.root, place)
  const view: EndpointsElements = {
    ...{ host, root, list, place, state },
    ...{ description: undefined, opened: undefined, ran: '', retry: undefined },
    nowUs: Date.now() * 1_000,
    loading: new AbortController(),
  }
  return {
    show(next) {
      view.state = next
      void showState(view)
    },
    refresh() {
      view.description = undefined
      view.ran = ''
      void showState(view, true)
    },
    stop() {
      cancel(view)
      view.ran = ''
      // Another user may sign in, and endpoints change.
      view.description = undefined
      view.opened?.answer.message('')
    },
    redraw() {
      if (root.hidden || view.opened === undefined) return
      view.opened.form.show(view.state.params, contextOf(view))
      view.opened.answer.redraw()
    },
  }
}

async function showState(view: EndpointsElements, isFresh = false): Promise<void> {
  const { list, state, root } = view
  if (view.description === undefined && !(await loadDescription(view))) return
  // Another state may have been shown while the description was loading.
  if (state !== view.state) return
  const endpoints = endpointsIn(view.description!)
  list.mark(state.endpoint)
  root.classList.toggle('is-open', state.endpoint !== '')
  if (state.endpoint === '') {
    showReference(view)
    return
  }
  const endpoint = endpoints.find(({ name }) => name === state.endpoint)
  if (endpoint === undefined) showNone(view)
  else showEndpoint(view, endpoint, isFresh)
}

/** Loads the description, and shows the list of endpoints. Returns whether that worked. */
async function loadDescription(view: EndpointsElements): Promise<boolean> {
  cancel(view)
  view.loading = new AbortController()
  const { signal } = view.loading
  try {
    view.description = await fetchDescription(signal)
  } catch (error) {
    if (!signal.aborted) failedToLoad(view, failureOf(error))
    return false
  }
  if (signal.aborted) return false
  view.list.show(endpointsIn(view.description))
  return true
}

function failedToLoad(view: EndpointsElements, failure: Failure): void {
  if (view.host.isHandled(failure)) return
  showText(view, failure.message, 'error')
  if (failure.retryS !== undefined) view.retry = setTimeout(() => void showState(view), failure.retryS * 1_000)
}

function showText(view: EndpointsElements, text: string, kind = ''): void {
  view.opened = undefined
  view.place.replaceChildren(element('p', { class: `state ${kind}`, role: 'status' }, text))
}

function showReference(view: EndpointsElements): void {
  cancel(view)
  view.opened = undefined
  view.place.replaceChildren(referenceOf(view.description!))
}

function showNone(view: EndpointsElements): void {
  cancel(view)
  showText(view, `The service has no endpoint ${view.state.endpoint}. Choose one from the list.`)
  view.place.prepend(backButton(view))
}

/** On a narrow window the list makes room for the endpoint that is open. */
const backButton = ({ host }: EndpointsElements) =>
  buttonOf('← All endpoints', () => host.change({ endpoint: '', params: {} }, true), { class: 'link api-back' })

function showEndpoint(view: EndpointsElements, endpoint: Endpoint, isFresh: boolean): void {
  const isSame = JSON.stringify(view.opened?.endpoint) === JSON.stringify(endpoint)
  if (!isSame) {
    cancel(view)
    open(view, endpoint)
  }
  const { form, updateLine } = view.opened!
  form.show(view.state.params, contextOf(view))
  updateLine()
  const wanted = runKey(view.state)
  if (wanted === view.ran) return
  if (!isFresh && !mayRun(view.state, form)) {
    cancel(view)
    view.ran = ''
    view.opened!.answer.message(
      form.missing().length === 0 ? 'Press Run.' : 'Fill in what is required, then press Run.',
    )
    return
  }
  void run(view, { isFresh })
}

/** A link must not run SQL that the reader has not seen. */
const mayRun = ({ params }: ApiState, form: ParameterForm) => form.missing().length === 0 && params.sql === undefined

/** Shows the empty form of an endpoint. */
function open(view: EndpointsElements, endpoint: Endpoint): void {
  const { name, summary, description } = endpoint
  view.nowUs = Date.now() * 1_000
  const answer = createAnswerView(`Rows of ${name}`)
  const form = createForm(endpoint, {
    run: () => void run(view, { isAsked: true }),
    cancel() {
      cancel(view)
      answer.message('Cancelled.')
    },
    edited: () => line.update(),
  })
  const line = createCopyLine('curl', () => lineOf(view, endpoint, form))
  const range = usesRange(form.fields) ? '' : ' It does not use the time range of the page.'
  const limits = element('p', { class: 'fine' }, `${description}${range}`)
  const title = element('header', {}, element('h2', {}, name), element('p', {}, summary), limits)
  const request = element('div', { class: 'card api-request' })
  request.append(title, form.root, line.root)
  view.place.replaceChildren(backButton(view), request, answer.root)
  const opened: Opened = { endpoint, form, answer, updateLine: line.update, shown: undefined }
  view.opened = opened
  answer.tools.append(createExportButton(() => ({ extents: () => extentsOf(view, opened) })))
}

function lineOf(view: EndpointsElements, { name }: Endpoint, form: ParameterForm): string {
  const reading = form.read(contextOf(view))
  const params = 'sent' in reading ? reading.sent : {}
  return curlLine(urlOf(`${QUERY_PATH}${name}`, params, document.baseURI))
}
