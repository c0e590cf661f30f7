/**
 * Folds the rows of a bucket into a state. The state is plain data, so that the partial result of a sealed segment can
 * be cached and merged many times. The accumulator itself is stateless.
 */
export interface Accumulator<Input, State> {
  /** Returns the state of no rows. */
  create(): State
  /** Folds a stretch of rows of the bucket into `state`. */
  update(state: State, input: Input): void
  /** Folds `from`, which is not changed, into `into`. */
  merge(into: State, from: State): void
  /** Merges in short steps, for states that may take long to merge. */
  mergeInSteps?(into: State, from: State): Iterable<void>
  /**
   * Converts a state to a form that is small and quick to merge, before the state is cached. The state can still be
   * updated.
   */
  shrink?(state: State): void
  /** Returns the approximate memory of a state. */
  bytes(state: State): number
}
