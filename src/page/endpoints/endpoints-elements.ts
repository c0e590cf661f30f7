/** The state and the elements of the view. */
import type { AnswerView } from '../answer/answer-view.js'
import type { Answer, Failure } from '../api/api.js'
import type { Description } from '../api/description.js'
import type { Endpoint } from '../api/endpoints.js'
import type { Range } from '../shared/range.js'
import { currentZone } from '../shared/times.js'
import type { FormContext } from './fields.js'
import type { ParameterForm } from './form.js'
import type { List } from './list.js'

/** The part of the page's state that the view shows. */
export interface ApiState {
  project: string
  range: Range
  /** Empty: the other paths. */
  endpoint: string
  /** Values of the form that differ from the page's project and range. */
  params: Readonly<Record<string, string>>
}

/** Callbacks of the view to the page. */
export interface EndpointsHost {
  /** Changes the state of the page. `isStep`: the back button returns to the previous state. */
  change(next: Partial<ApiState>, isStep: boolean): void
  /** Returns true if the page handled the failure by signing out. */
  isHandled(failure: Failure): boolean
}

/** The form and the answer of the open endpoint. */
export interface Opened {
  readonly endpoint: Endpoint
  readonly form: ParameterForm
  readonly answer: AnswerView
  updateLine(): void
  /** The shown answer, or undefined for no answer. */
  shown: Answer | undefined
}

/** The elements of the view, and what they show. */
export interface EndpointsElements {
  readonly host: EndpointsHost
  readonly root: HTMLElement
  readonly list: List
  readonly place: HTMLElement
  state: ApiState
  description: Description | undefined
  opened: Opened | undefined
  /** The state that was run last, as JSON. Empty if the state must run again when shown. */
  ran: string
  /** The present of the last run, which relative times depend on. */
  nowUs: number
  loading: AbortController
  retry: ReturnType<typeof setTimeout> | undefined
}

/** The project, the range and the present of a form. */
export const contextOf = ({ state: { project, range }, nowUs }: EndpointsElements): FormContext => ({
  project,
  range,
  zone: currentZone(),
  nowUs,
})

/** Ends the request that is running. */
export function cancel(view: EndpointsElements): void {
  clearTimeout(view.retry)
  view.loading.abort()
  view.opened?.form.setRunning(false)
}
