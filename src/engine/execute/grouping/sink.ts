import type { Expression } from '../../../plan/expression.js'
import { expressionKey } from '../../../plan/expression-key.js'
import type { NamedAggregate, NamedExpression } from '../../../plan/plan.js'

/** The keys of groups, and the aggregates that are computed of each group. */
export interface GroupSink {
  op: 'group'
  keys: readonly NamedExpression[]
  aggregates: readonly NamedAggregate[]
}

/** Returns the expressions that a group evaluates in the input: keys, and arguments of aggregates. */
export const groupExpressions = ({ keys, aggregates }: Pick<GroupSink, 'keys' | 'aggregates'>): Expression[] => [
  ...keys.map(({ value }) => value),
  ...aggregates.flatMap(({ value }) => value.args),
]

/** Identifies the keys and the aggregates. The groups of a part have their results in this order. */
export function sinkKey({ keys, aggregates }: GroupSink): readonly string[] {
  const calls = aggregates.map(({ value: { fn, args } }) => `${fn}(${args.map(expressionKey).join(',')})`)
  return ['group', ...keys.map(({ value }) => expressionKey(value)), 'aggregate', ...calls]
}
