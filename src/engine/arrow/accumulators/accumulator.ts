/**
 * Folds what it is given of one bucket into a state. The state is plain data, so that the partial result of a sealed
 * segment can be kept and merged as often as it is asked for. An accumulator itself has no state.
 */
export interface Accumulator<Input, State> {
  create(): State
  /** Folds one stretch of rows of the bucket into `state`. */
  update(state: State, input: Input): void
  /** Folds `from`, which stays as it is, into `into`. */
  merge(into: State, from: State): void
  /** Brings a state that is to be kept into a form that is small and quick to merge. It may still be added to. */
  shrink?(state: State): void
  /** Bytes of memory that a state takes, about. */
  bytes(state: State): number
}
