import type { State } from '../explore/state.js'

/** A view of the page below the header. One of them is shown at a time. */
export interface View {
  /** Shows a state, which has a project. Loads missing data. */
  show(state: State): void
  /** Loads the same again, without the cache. */
  refresh(): void
  /** Ends all requests, for example when another view is shown. */
  stop(): void
  /** Shows times and colours again, as they are chosen now. */
  redraw(): void
  /** Moves the focus to where the user writes; undefined if that is nowhere. */
  focus?(): void
  /** Starts or stops following new rows; undefined if the view has none. */
  toggleLive?(): void
}
