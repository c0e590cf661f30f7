/** Runs the query in the editor, and shows the rows, the plan, or the error. */
import type { Failure } from '../api/api.js'
import { failureOf } from '../api/explore.js'
import { element } from '../shared/dom.js'
import { boundsOf, closedAt } from '../shared/range.js'
import { offsetOf, placeText, readFault } from './fault-place.js'
import { keepRun } from './history.js'
import type { Parts, RunKind } from './parts.js'
import { planOf } from './plan-table.js'
import { problemText } from './problem.js'
import { MOST_ROWS, runQuery, type SqlAnswer } from './query.js'
import { isToken, tokensOf } from './tokens.js'

/** A query to send. For a plan, EXPLAIN is in a line before the query. */
interface Sent {
  sql: string
  linesBefore: number
}

/** Runs the query in the editor, instead of the running query. The query becomes part of the URL. */
export async function run(parts: Parts, kind: RunKind): Promise<void> {
  const sql = parts.editor.text()
  parts.running?.abort()
  showProblem(parts, '')
  if (sql.trim() === '') {
    showProblem(parts, 'Write a query, or choose a template.')
    return
  }
  const running = new AbortController()
  parts.running = running
  parts.last = { sql, kind }
  if (sql !== parts.shown.sql) {
    parts.shown = { ...parts.shown, sql }
    parts.host.change({ sql })
  }
  showRunning(parts, true)
  const sent = sentOf(sql, kind)
  try {
    const { project, range } = parts.shown
    const nowUs = Date.now() * 1_000
    const bounds = boundsOf(range, nowUs)
    const answer = await runQuery({ project, sql: sent.sql, bounds }, running.signal)
    keepRun({ sql, atMs: Date.now() })
    parts.answered = kind === 'rows' ? { answer, bounds: closedAt(bounds, nowUs) } : undefined
    showAnswer(parts, answer, kind)
  } catch (error) {
    if (!running.signal.aborted) failed(parts, failureOf(error), { ...sent, sql })
  } finally {
    if (parts.running === running) showRunning(parts, false)
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
export function rerun(parts: Parts): void {
  if (parts.last !== undefined && parts.last.sql === parts.editor.text()) void run(parts, parts.last.kind)
}

/** Cancels the running query, if any. */
export function cancel(parts: Parts): void {
  if (parts.running === undefined) return
  parts.running.abort()
  showRunning(parts, false)
  showNoRows(parts, 'Cancelled. Run the query to see its rows.')
}

function showRunning(parts: Parts, isRunning: boolean): void {
  const { run: button } = parts.layout
  button.textContent = isRunning ? 'Cancel' : 'Run'
  button.title = isRunning ? 'Cancel the query' : 'Run the query (Ctrl+Enter)'
  if (!isRunning) parts.running = undefined
  else if (parts.layout.plan.hidden) parts.answer.loading()
  else parts.layout.plan.setAttribute('aria-busy', 'true')
}

function showAnswer(parts: Parts, { rows, cost, warnings }: SqlAnswer, kind: RunKind): void {
  const { plan } = parts.layout
  showWarnings(parts, warnings)
  showPlan(parts, kind === 'plan')
  if (kind === 'plan') plan.replaceChildren(...planOf(rows, cost))
  else parts.answer.show({ rows, maxRows: MOST_ROWS, cost })
}

function showPlan({ layout, answer }: Parts, isPlan: boolean): void {
  layout.plan.hidden = !isPlan
  layout.plan.setAttribute('aria-busy', 'false')
  answer.root.hidden = isPlan
}

/** Shows a text in place of rows or a plan. */
export function showNoRows(parts: Parts, text: string): void {
  parts.answered = undefined
  showPlan(parts, false)
  parts.answer.message(text)
}

function failed(parts: Parts, failure: Failure, { sql, linesBefore }: Sent): void {
  if (parts.host.isHandled(failure)) return
  const { message, place } = readFault(failure.message, linesBefore)
  showNoRows(parts, 'No rows, because the query failed.')
  const text = problemText(failure, message)
  // The text may have been changed while the query ran.
  if (place === undefined || parts.editor.text() !== sql) {
    showProblem(parts, text)
    return
  }
  const offset = offsetOf(sql, place)
  const go = element('button', { type: 'button', class: 'link' }, placeText(place))
  go.addEventListener('click', () => parts.editor.moveTo(offset))
  showProblem(parts, `${text} `, go)
  parts.editor.mark(offset)
}

function showWarnings({ layout }: Parts, warnings: readonly string[]): void {
  layout.warnings.replaceChildren(...warnings.map((text) => element('li', {}, text)))
  layout.warnings.hidden = warnings.length === 0
}

/** Shows a problem below the editor, in place of warnings. An empty text removes the problem. */
export function showProblem({ layout, editor }: Parts, text: string, ...more: Node[]): void {
  layout.warnings.hidden = true
  layout.problem.replaceChildren(...(text === '' ? [] : [text, ...more]))
  if (text === '') editor.unmark()
}
