import { call, type Expression, literal } from '../../../plan/expression.js'
import { giveOwnKey } from '../../../plan/expression-key.js'
import { Membership } from '../../../plan/values/membership.js'
import { blocksOf } from '../batches/blocks.js'
import type { LazyBatch, RunContext } from '../batches/lazy-batch.js'
import { bytesOfValue } from '../columns/value-bytes.js'
import { type Draft, type InnerPlans, inScope, withScope } from '../stages/draft.js'
import type { IsIn } from '../stages/stage.js'

/** Adds the column to the scope. `testOf` returns the expression of the column, see {@link isIn}. */
export function cutIsIn(operator: IsIn, draft: Draft, { testOf }: InnerPlans): Draft {
  const test = inScope(testOf(operator), draft.scope)
  return withScope(draft, new Map([...draft.scope, [operator.name, test]]))
}

/** Bytes of a value in the tables of a {@link Membership}, about. */
const MEMBER_BYTES = 96

/**
 * Reads the only column of the rows of the operator's plan. Returns the expression that tests whether the operator's
 * value is among the column's values. `addBytes` counts the memory of the values.
 */
export async function isIn(
  { value }: IsIn,
  input: readonly LazyBatch[],
  column: string,
  { yieldIfDue }: RunContext,
  addBytes: (more: number) => void,
): Promise<Expression> {
  const members = new Membership()
  members.expectTimes()
  for (const batch of input) {
    await batch.read(async (frame) => {
      const vector = frame.column(column)!
      for await (const { from, to } of blocksOf(frame, [vector], yieldIfDue)) {
        for (let position = from; position < to; position++) {
          const member = vector.at(position)
          if (members.add(member)) addBytes(MEMBER_BYTES + bytesOfValue(member))
        }
      }
    })
  }
  const list = literal(members.values)
  giveOwnKey(list)
  return call('in_list', value, list)
}
