import type { AnswerView } from '../answer/answer-view.js'
import type { Failure } from '../api/api.js'
import type { Bounds, Range } from '../shared/range.js'
import type { Editor } from './editor.js'
import type { Layout } from './layout.js'
import type { SqlAnswer } from './sql-request.js'

/** Project, range and query that the view shows. */
export interface SqlShown {
  project: string
  range: Range
  /** Empty for none. */
  sql: string
}

/** Callbacks of the view to the page. */
export interface SqlHost {
  /** Puts a query into the URL. */
  change(next: { sql: string }): void
  /** Returns the names of the nine sources, and of the others that have rows of a project. */
  sourcesOf(project: string): readonly string[]
  /** Returns the address of the page that shows the same query over a range. */
  linkOf(range: Bounds): string
  /** Returns true if the page handled the failure by signing out. */
  isHandled(failure: Failure): boolean
}

/** The purpose of a run: the rows or the plan of the query. */
export type RunKind = 'rows' | 'plan'

/** The elements and the state of the view. */
export interface SqlViewElements {
  readonly host: SqlHost
  readonly layout: Layout
  readonly editor: Editor
  readonly answer: AnswerView
  shown: SqlShown
  /** The query that was run last, if any. */
  last: { sql: string; kind: RunKind } | undefined
  /** The shown answer, with a range that has an end. Undefined if no answer is shown, also for a plan. */
  answered: { answer: SqlAnswer; bounds: Bounds } | undefined
  /** Cancels the running query, if any. */
  running: AbortController | undefined
}
