import type { Operator, Plan } from '../../../plan/plan.js'
import { schemaOf } from '../../../plan/schema.js'
import { cutExtend } from '../operators/extend.js'
import { cutFilter } from '../operators/filter.js'
import { cutGroup } from '../operators/group.js'
import { cutIsIn } from '../operators/is-in.js'
import { cutLimit, endWithFirst } from '../operators/limit.js'
import { cutOrderBy } from '../operators/order-by.js'
import { cutScan } from '../operators/scan.js'
import { cutSelect } from '../operators/select.js'
import { cutUnion } from '../operators/union.js'
import { cutUnnest } from '../operators/unnest.js'
import { cutView } from '../operators/view.js'
import { type Draft, draftOf, type InnerPlans } from '../stages/draft.js'
import type { OperatorOf, Stage } from '../stages/stage.js'
import { withColumns } from '../stages/with-columns.js'

type Cut<Name extends Operator['op']> = (operator: OperatorOf<Name>, draft: Draft, inner: InnerPlans) => Draft

/**
 * Cuts of the operators. A cut begins a stage, adds to the draft of a stage, or ends the stage and begins the next
 * stage.
 */
const CUTS: { readonly [Name in Operator['op']]: Cut<Name> } = {
  scan: cutScan,
  view: cutView,
  union: cutUnion,
  unnest: cutUnnest,
  isIn: cutIsIn,
  filter: cutFilter,
  extend: cutExtend,
  group: cutGroup,
  select: cutSelect,
  orderBy: cutOrderBy,
  limit: cutLimit,
}

const NOTHING: Draft = draftOf({ op: 'union', inputs: [] }, new Map())

/**
 * Cuts a plan into stages. The last stage returns the plan's rows. Returns undefined for the empty plan. Expressions of
 * several uses are shared, never copied. Throws as {@link schemaOf} does. `testOf` returns the expression of the column
 * of an `isIn`.
 */
export function cutPlan(plan: Plan, testOf: InnerPlans['testOf'] = notRead): Stage | undefined {
  schemaOf(plan)
  if (plan.length === 0) return undefined
  const inner: InnerPlans = { cut: (one) => cutPlan(one, testOf), testOf }
  let draft = NOTHING
  for (const operator of plan) draft = (CUTS[operator.op] as Cut<Operator['op']>)(operator, draft, inner)
  const { input, steps, order, scope } = draft
  const isEnded = input.op === 'stage' && steps.length === 0 && order.length === 0
  const ended = isEnded ? withColumns(input.stage, scope) : undefined
  return ended ?? endWithFirst(draft, Number.POSITIVE_INFINITY, 0)
}

function notRead(): never {
  throw new TypeError('The values of isIn are read before a plan is cut into stages.')
}
