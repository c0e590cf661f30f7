/** Runs the query in the editor, and shows the rows, the plan, or the error. */
import { MAX_SQL_ROWS } from '../../common/limits.js'
import type { Failure } from '../api/api.js'
import { failureOf } from '../api/explore.js'
import { buttonOf, element } from '../shared/dom.js'
import { boundsOf, closedAt } from '../shared/range.js'
import { offsetOf, placeText, readFault } from './fault-place.js'
import { keepRun } from './history.js'
import { planOf } from './plan-table.js'
import { problemText } from './problem.js'
import { runQuery, type SqlAnswer } from './sql-request.js'
import type { RunKind, SqlViewElements } from './sql-view-elements.js'
import { isToken, tokensOf } from './tokens.js'

/** A query to send. For a plan, EXPLAIN is in a line before the query. */
interface Sent {
  sql: string
  linesBefore: number
}

/** Runs the query in the editor, instead of the running query. The query becomes part of the URL. */
export async function run(view: SqlViewElements, kind: RunKind): Promise<void> {
  const sql = view.editor.text()
  view.running?.abort()
  showProblem(view, '')
  if (sql.trim() === '') {
    showProblem(view, 'Write a query, or choose a template.')
    return
  }
  const running = new AbortController()
  view.running = running
  view.last = { sql, kind }
  if (sql !== view.shown.sql) {
    view.shown = { ...view.shown, sql }
    view.host.change({ sql })
  }
  showRunning(view, true)
  const sent = sentOf(sql, kind)
  try {
    const { project, range } = view.shown
    const nowUs = Date.now() * 1_000
    const bounds = boundsOf(range, nowUs)
    const answer = await runQuery({ project, sql: sent.sql, bounds }, running.signal)
    keepRun({ sql, atMs: Date.now() })
    view.answered = kind === 'rows' ? { answer, bounds: closedAt(bounds, nowUs) } : undefined
    showAnswer(view, answer, kind)
  } catch (error) {
    if (!running.signal.aborted) failed(view, failureOf(error), { ...sent, sql })
  } finally {
    if (view.running === running) showRunning(view, false)
  }
}

function sentOf(sql: string, kind: RunKind): Sent {
  const isExplained = isToken(
    tokensOf(sql).find((token) => token.kind !== 'comment'),
    'explain',
  )
  return kind === 'plan' && !isExplained ? { sql: `EXPLAIN\n${sql}`, linesBefore: 1 } : { sql, linesBefore: 0 }
}

/** Runs the last query again, if the query is still in the editor. */
export function rerun(view: SqlViewElements): void {
  if (view.last !== undefined && view.last.sql === view.editor.text()) void run(view, view.last.kind)
}

/** Cancels the running query, if any. */
export function cancel(view: SqlViewElements): void {
  if (view.running === undefined) return
  view.running.abort()
  showRunning(view, false)
  showNoRows(view, 'Cancelled. Run the query to see its rows.')
}

function showRunning(view: SqlViewElements, isRunning: boolean): void {
  const { run: button } = view.layout
  button.textContent = isRunning ? 'Cancel' : 'Run'
  button.title = isRunning ? 'Cancel the query' : 'Run the query (Ctrl+Enter)'
  if (!isRunning) view.running = undefined
  else if (view.layout.plan.hidden) view.answer.loading()
  else view.layout.plan.setAttribute('aria-busy', 'true')
}

function showAnswer(view: SqlViewElements, { rows, cost, warnings }: SqlAnswer, kind: RunKind): void {
  const { plan } = view.layout
  showWarnings(view, warnings)
  showPlan(view, kind === 'plan')
  if (kind === 'plan') plan.replaceChildren(...planOf(rows, cost))
  else view.answer.show({ rows, maxRows: MAX_SQL_ROWS, cost })
}

function showPlan({ layout, answer }: SqlViewElements, isPlan: boolean): void {
  layout.plan.hidden = !isPlan
  layout.plan.setAttribute('aria-busy', 'false')
  answer.root.hidden = isPlan
}

/** Shows a text in place of rows or a plan. */
export function showNoRows(view: SqlViewElements, text: string): void {
  view.answered = undefined
  showPlan(view, false)
  view.answer.message(text)
}

function failed(view: SqlViewElements, failure: Failure, { sql, linesBefore }: Sent): void {
  if (view.host.isHandled(failure)) return
  const { message, place } = readFault(failure.message, linesBefore)
  showNoRows(view, 'No rows, because the query failed.')
  const text = problemText(failure, message)
  // The text may have been changed while the query ran.
  if (place === undefined || view.editor.text() !== sql) {
    showProblem(view, text)
    return
  }
  const offset = offsetOf(sql, place)
  showProblem(
    view,
    `${text} `,
    buttonOf(placeText(place), () => view.editor.moveTo(offset), { class: 'link' }),
  )
  view.editor.mark(offset)
}

function showWarnings({ layout }: SqlViewElements, warnings: readonly string[]): void {
  layout.warnings.replaceChildren(...warnings.map((text) => element('li', {}, text)))
  layout.warnings.hidden = warnings.length === 0
}

/** Shows a problem below the editor, in place of warnings. An empty text removes the problem. */
export function showProblem({ layout, editor }: SqlViewElements, text: string, ...more: Node[]): void {
  layout.warnings.hidden = true
  layout.problem.replaceChildren(...(text === '' ? [] : [text, ...more]))
  if (text === '') editor.unmark()
}
