import type { Expression } from './expression.js'
import type { Operator, Plan } from './plan.js'

/** An operator that groups. */
export type Group = Operator & { op: 'group' }

/** Returns the place of the last grouping of a plan, -1 if there is none. */
export const lastGrouping = (plan: Plan): number => plan.findLastIndex(({ op }) => op === 'group')

/** Returns the names of the columns before any operator behind a grouping: each key by its own name. */
export const keysOf = ({ keys }: Group): ReadonlyMap<string, string> => new Map(keys.map(({ name }) => [name, name]))

/** Returns the columns behind an operator that are keys of the grouping before, each with the name of its key. */
export function keysBehind(keys: ReadonlyMap<string, string>, operator: Operator): ReadonlyMap<string, string> {
  if (operator.op !== 'select' && operator.op !== 'extend') return keys
  const made = operator.columns.flatMap(({ name, value }) => {
    const key = keyIn(value, keys)
    return key === undefined ? [] : [[name, key] as const]
  })
  const overwritten = new Set(operator.columns.map(({ name }) => name))
  const others = operator.op === 'select' ? [] : [...keys].filter(([name]) => !overwritten.has(name))
  return new Map([...others, ...made])
}

/** The key that an expression is, also as JSON in the form of answers. */
function keyIn(value: Expression, keys: ReadonlyMap<string, string>): string | undefined {
  if (value.kind === 'column') return keys.get(value.name)
  return value.kind === 'call' && value.fn === 'repeated' ? keyIn(value.args[0], keys) : undefined
}

/**
 * Returns the columns of a plan's answer that together tell its rows apart: one for each key of the last grouping, in
 * the order of the answer. Undefined if there is no such grouping, if a key is not in the answer, if the rows are
 * sorted by anything but keys, or if they are limited to less than `maxRows`, the limit that every answer has.
 */
export function answerKeys(plan: Plan, maxRows: number): readonly string[] | undefined {
  const at = lastGrouping(plan)
  const group = plan[at] as Group | undefined
  if (group === undefined || group.keys.length === 0) return undefined
  let before = keysOf(group)
  let keys = before
  for (const operator of plan.slice(at + 1)) {
    if (!isKept(operator, new Map([...before, ...keys]), maxRows)) return undefined
    before = keys
    keys = keysBehind(keys, operator)
  }
  const columns = [...keys].filter(([, key], i, all) => all.findIndex((other) => other[1] === key) === i)
  return columns.length === group.keys.length ? columns.map(([name]) => name) : undefined
}

/** Whether an operator leaves at most one row of each group, and no other choice of rows than by condition. */
function isKept(operator: Operator, keys: ReadonlyMap<string, string>, maxRows: number): boolean {
  if (operator.op === 'orderBy') return operator.keys.every(({ by }) => keyIn(by, keys) !== undefined)
  if (operator.op === 'limit') return operator.offset === 0 && operator.rows === maxRows
  return operator.op !== 'unnest' && operator.op !== 'union'
}

/** Whether a plan groups rows, so that each row of the answer represents many rows. */
export const hasGrouping = (plan: Plan): boolean =>
  plan.some((operator) => operator.op === 'group' || (operator.op === 'union' && operator.plans.some(hasGrouping)))

/** Whether the order of the rows of an answer is a part of the answer. */
export const isOrdered = (plan: Plan): boolean => plan.slice(lastGrouping(plan) + 1).some(({ op }) => op === 'orderBy')
