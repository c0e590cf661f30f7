/** Runs the open endpoint, and shows the rows. */
import { type Answer, type Failure, queryRows } from '../api/api.js'
import type { Endpoint } from '../api/endpoints.js'
import { failureOf } from '../api/explore.js'
import { rowsIn } from '../api/raw-rows.js'
import { fileName } from '../export/file-name.js'
import { type Extent, loadedRows } from '../export/source.js'
import { boundsOf, closedAt } from '../shared/range.js'
import { type ApiState, cancel, contextOf, type EndpointsElements, type Opened } from './endpoints-elements.js'
import { fieldOfError } from './fields.js'

/** Returns a text that is equal for states with the same answer. */
export const runKey = ({ project, range, endpoint, params }: ApiState) =>
  JSON.stringify([project, range, endpoint, params])

/** Why an endpoint runs. */
export interface RunOptions {
  /** The user asked for the run: a change of the values is a step that the back button undoes. */
  isAsked?: boolean
  /** Bypasses the cache. */
  isFresh?: boolean
}

/** Runs the endpoint with the values of the form, which become the values of the link. */
export async function run(view: EndpointsElements, options: RunOptions): Promise<void> {
  const { isAsked = false, isFresh = false } = options
  const opened = view.opened!
  const { form, answer, endpoint, updateLine } = opened
  cancel(view)
  opened.shown = undefined
  view.nowUs = Date.now() * 1_000
  const missing = form.missing()
  const reading = form.read(contextOf(view))
  if (missing.length > 0 || 'wrong' in reading) {
    if (missing.length > 0) form.showProblem(missing, 'Enter a value: it is required.', isAsked)
    else if ('wrong' in reading) form.showProblem([reading.wrong], reading.message, isAsked)
    answer.message('')
    return
  }
  form.showProblem([], '', false)
  updateLine()
  const next = { ...view.state, params: reading.linked }
  view.ran = runKey(next)
  if (runKey(view.state) !== view.ran) view.host.change({ params: reading.linked }, isAsked)
  view.loading = new AbortController()
  const { signal } = view.loading
  form.setRunning(true)
  answer.loading()
  if (isAsked) answer.root.scrollIntoView({ block: 'nearest' })
  try {
    const found = await queryRows(endpoint.name, reading.sent, { fresh: isFresh, signal })
    if (signal.aborted) return
    opened.shown = found
    answer.show({ ...found, columns: endpoint.columns, maxRows: maxRowsOf(endpoint, reading.sent, found) })
  } catch (error) {
    if (!signal.aborted) failed(view, failureOf(error), isAsked)
  } finally {
    if (!signal.aborted) form.setRunning(false)
  }
}

/** Returns the rows that can be saved: the shown rows, as sent by the service. */
export function extentsOf(
  { state, nowUs }: EndpointsElements,
  { endpoint: { name, columns }, shown }: Opened,
): readonly Extent[] {
  if (shown === undefined) return []
  const file = fileName(name, state.project, closedAt(boundsOf(state.range, nowUs), nowUs))
  const names = columns.length === 0 ? {} : { columns: columns.map((column) => column.name) }
  return [loadedRows(rowsIn(shown.text), { name: file, ...names })]
}

/** Returns how many rows the call can have at most, or undefined if the service does not state a maximum. */
function maxRowsOf({ rows }: Endpoint, { limit }: Readonly<Record<string, string>>, found: Answer): number | undefined {
  if (limit !== undefined) return Number(limit)
  return found.rows.length === rows?.default ? rows.default : rows?.maximum
}

function failed(view: EndpointsElements, failure: Failure, isAsked: boolean): void {
  if (view.host.isHandled(failure)) return
  const { form, answer } = view.opened!
  const wrong = fieldOfError(form.fields, failure)
  form.showProblem(wrong === undefined ? [] : [wrong], failure.message, isAsked)
  if (wrong === undefined) answer.failed(failure)
  else answer.message('')
  if (failure.retryS !== undefined) view.retry = setTimeout(() => void run(view, {}), failure.retryS * 1_000)
}
