/** The view of the API: a form for each endpoint, its rows, and a reference of the other paths. */
import { createAnswerView } from '../answer/answer-view.js'
import type { Failure } from '../api/api.js'
import { fetchDescription } from '../api/description.js'
import { ENDPOINT_PATH, type Endpoint, endpointsIn } from '../api/endpoints.js'
import { failureOf } from '../api/explore.js'
import { createExportButton } from '../export/export-button.js'
import { element } from '../shared/dom.js'
import { createCopyLine } from './copy-line.js'
import { curlLine, urlOf } from './curl.js'
import { usesRange } from './fields.js'
import { createForm, type ParameterForm } from './form.js'
import { createList } from './list.js'
import { type ApiState, cancel, contextOf, type EndpointsHost, type Opened, type Parts } from './parts.js'
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
  const parts: Parts = {
    ...{ host, root, list, place, state },
    ...{ description: undefined, opened: undefined, ran: '', retry: undefined },
    nowUs: Date.now() * 1_000,
    loading: new AbortController(),
  }
  return {
    show(next) {
      parts.state = next
      void showState(parts)
    },
    refresh() {
      parts.description = undefined
      parts.ran = ''
      void showState(parts, true)
    },
    stop() {
      cancel(parts)
      parts.ran = ''
      // Another user may sign in, and endpoints change.
      parts.description = undefined
      parts.opened?.answer.message('')
    },
    redraw() {
      if (root.hidden || parts.opened === undefined) return
      parts.opened.form.show(parts.state.params, contextOf(parts))
      parts.opened.answer.redraw()
    },
  }
}

async function showState(parts: Parts, isFresh = false): Promise<void> {
  const { list, state, root } = parts
  if (parts.description === undefined && !(await loadDescription(parts))) return
  // Another state may have been shown while the description was loading.
  if (state !== parts.state) return
  const endpoints = endpointsIn(parts.description!)
  list.mark(state.endpoint)
  root.classList.toggle('is-open', state.endpoint !== '')
  if (state.endpoint === '') {
    showReference(parts)
    return
  }
  const endpoint = endpoints.find(({ name }) => name === state.endpoint)
  if (endpoint === undefined) showNone(parts)
  else showEndpoint(parts, endpoint, isFresh)
}

/** Loads the description, and shows the list of endpoints. Returns whether that worked. */
async function loadDescription(parts: Parts): Promise<boolean> {
  cancel(parts)
  parts.loading = new AbortController()
  const { signal } = parts.loading
  try {
    parts.description = await fetchDescription(signal)
  } catch (error) {
    if (!signal.aborted) failedToLoad(parts, failureOf(error))
    return false
  }
  if (signal.aborted) return false
  parts.list.show(endpointsIn(parts.description))
  return true
}

function failedToLoad(parts: Parts, failure: Failure): void {
  if (parts.host.isHandled(failure)) return
  showText(parts, failure.message, 'error')
  if (failure.retryS !== undefined) parts.retry = setTimeout(() => void showState(parts), failure.retryS * 1_000)
}

function showText(parts: Parts, text: string, kind = ''): void {
  parts.opened = undefined
  parts.place.replaceChildren(element('p', { class: `state ${kind}`, role: 'status' }, text))
}

function showReference(parts: Parts): void {
  cancel(parts)
  parts.opened = undefined
  parts.place.replaceChildren(referenceOf(parts.description!))
}

function showNone(parts: Parts): void {
  cancel(parts)
  showText(parts, `The service has no endpoint ${parts.state.endpoint}. Choose one from the list.`)
  parts.place.prepend(backButton(parts))
}

/** On a narrow window the list makes room for the endpoint that is open. */
function backButton({ host }: Parts): HTMLElement {
  const back = element('button', { type: 'button', class: 'link api-back' }, '← All endpoints')
  back.addEventListener('click', () => host.change({ endpoint: '', params: {} }, true))
  return back
}

function showEndpoint(parts: Parts, endpoint: Endpoint, isFresh: boolean): void {
  const isSame = JSON.stringify(parts.opened?.endpoint) === JSON.stringify(endpoint)
  if (!isSame) {
    cancel(parts)
    open(parts, endpoint)
  }
  const { form, updateLine } = parts.opened!
  form.show(parts.state.params, contextOf(parts))
  updateLine()
  const wanted = runKey(parts.state)
  if (wanted === parts.ran) return
  if (!isFresh && !mayRun(parts.state, form)) {
    cancel(parts)
    parts.ran = ''
    parts.opened!.answer.message(
      form.missing().length === 0 ? 'Press Run.' : 'Fill in what is required, then press Run.',
    )
    return
  }
  void run(parts, { isFresh })
}

/** A link must not run SQL that the reader has not seen. */
const mayRun = ({ params }: ApiState, form: ParameterForm) => form.missing().length === 0 && params.sql === undefined

/** Shows the empty form of an endpoint. */
function open(parts: Parts, endpoint: Endpoint): void {
  const { name, summary, description } = endpoint
  parts.nowUs = Date.now() * 1_000
  const answer = createAnswerView(`Rows of ${name}`)
  const form = createForm(endpoint, {
    run: () => void run(parts, { isAsked: true }),
    cancel() {
      cancel(parts)
      answer.message('Cancelled.')
    },
    edited: () => line.update(),
  })
  const line = createCopyLine('curl', () => lineOf(parts, endpoint, form))
  const range = usesRange(form.fields) ? '' : ' It does not use the time range of the page.'
  const limits = element('p', { class: 'fine' }, `${description}${range}`)
  const title = element('header', {}, element('h2', {}, name), element('p', {}, summary), limits)
  const request = element('div', { class: 'card api-request' })
  request.append(title, form.root, line.root)
  parts.place.replaceChildren(backButton(parts), request, answer.root)
  const opened: Opened = { endpoint, form, answer, updateLine: line.update, shown: undefined }
  parts.opened = opened
  answer.tools.append(createExportButton(() => ({ extents: () => extentsOf(parts, opened) })))
}

function lineOf(parts: Parts, { name }: Endpoint, form: ParameterForm): string {
  const reading = form.read(contextOf(parts))
  const params = 'sent' in reading ? reading.sent : {}
  return curlLine(urlOf(`${ENDPOINT_PATH}${name}`, params, document.baseURI))
}
