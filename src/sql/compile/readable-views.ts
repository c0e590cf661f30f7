import type { Operator, ViewSource } from '../../plan/plan.js'

/** A view that SQL reads as a table. */
export interface ReadableView {
  source: ViewSource
  /**
   * Returns the operators behind the groups, at a time in microseconds since the epoch. Their rows have the columns of
   * the view, and `project`.
   */
  operators(nowUs: number): readonly Operator[]
}

/** The views that SQL can read, by their names. Names ignore case. Each call is answered by the views of the moment. */
export interface ReadableViews {
  find(name: string): ReadableView | undefined
  names(): readonly string[]
}

/** For texts that can read no view. */
export const NO_VIEWS: ReadableViews = { find: () => undefined, names: () => [] }
