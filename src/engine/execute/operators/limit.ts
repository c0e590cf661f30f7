import type { TopSink } from '../ordering/sink.js'
import { type Draft, draftAfter } from '../stages/draft.js'
import { withLimitedParts } from '../stages/limit-parts.js'
import type { OperatorOf, Stage } from '../stages/stage.js'

/** Ends a stage with the first rows of its order. The next stage reads these rows. */
export const cutLimit = ({ rows, offset }: OperatorOf<'limit'>, draft: Draft): Draft =>
  draftAfter(endWithFirst(draft, rows, offset))

/**
 * Returns the stage of the first rows of an order, or of any rows without an order. `orderBy` runs the end of the
 * stage. A plan without a limit ends with Infinity rows.
 */
export function endWithFirst(draft: Draft, rows: number, offset: number): Stage {
  const { steps, scope, order, rank } = draft
  const columns = [...scope].map(([name, value]) => ({ name, value }))
  const sink: TopSink = { op: 'top', keys: order, rows, offset, columns, isReversed: false, rank }
  return { input: withLimitedParts(draft, rows + offset), steps, sink, isShared: false }
}
