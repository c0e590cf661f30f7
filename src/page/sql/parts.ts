import type { AnswerView } from '../answer/answer-view.js'
import type { Failure } from '../api/api.js'
import type { Bounds, Range } from '../shared/range.js'
import type { Editor } from './editor.js'
import type { Layout } from './layout.js'
import type { SqlAnswer } from './query.js'

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
  /** Returns the address of the page that shows the same query over a range. */
  linkOf(range: Bounds): string
  /** Returns true if the page handled the failure: it signed out. */
  isHandled(failure: Failure): boolean
}

/** The purpose of a run: the rows of the query, or its plan. */
export type RunKind = 'rows' | 'plan'

/** The parts of the view, and its state. */
export interface Parts {
  readonly host: SqlHost
  readonly layout: Layout
  readonly editor: Editor
  readonly answer: AnswerView
  shown: SqlShown
  /** The query that was run last; undefined if none was. */
  last: { sql: string; kind: RunKind } | undefined
  /** The answer that is shown, with its range, which has an end; undefined if none is, also for a plan. */
  answered: { answer: SqlAnswer; bounds: Bounds } | undefined
  /** Cancels the query that is running; undefined if none is. */
  running: AbortController | undefined
}
