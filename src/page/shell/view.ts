import type { State } from '../explore/model/state.js'

/** A view of the page below the header. A single view is shown at a time. */
export interface View {
  /** Shows a state, which has a project. Loads missing data. */
  show(state: State): void
  /** Loads the same again, without the cache. */
  refresh(): void
  /** Ends all requests, for example when another view is shown. */
  stop(): void
  /** Shows times and colours again, with the current zone and theme. */
  redraw(): void
  /** Moves the focus to where the user writes. Undefined if the view has no place to write. */
  focus?(): void
  /** Starts or stops following new rows. Undefined if the view has no new rows. */
  toggleLive?(): void
}
