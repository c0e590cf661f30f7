import type { Expression } from '../../plan/expression.js'
import type { NamedAggregate, Operator, Plan } from '../../plan/plan.js'

/** The columns of some rows that are elements of lists, by name. */
type Elements = ReadonlySet<string>

const NONE: Elements = new Set()

/** Returns the columns of a plan's rows that `unnest` took from lists, also through nested queries. */
export function elementColumns(plan: Plan): Elements {
  return plan.reduce(elementsAfter, NONE)
}

function elementsAfter(before: Elements, operator: Operator): Elements {
  switch (operator.op) {
    case 'scan':
    case 'view':
      return NONE
    case 'union':
      return elementsOfUnion(operator.plans)
    case 'unnest':
      return new Set([...before, operator.name])
    case 'extend': {
      const replaced = new Set(operator.columns.map(({ name }) => name))
      return new Set([...[...before].filter((name) => !replaced.has(name)), ...elementsAmong(operator.columns, before)])
    }
    case 'select':
      return elementsAmong(operator.columns, before)
    case 'group':
      return new Set([...elementsAmong(operator.keys, before), ...chosenElements(operator.aggregates, before)])
    default:
      return before
  }
}

/** A column of a union consists of elements if the columns at its place do so in all parts. */
function elementsOfUnion(plans: readonly Plan[]): Elements {
  const parts = plans.map((plan) => {
    const elements = elementColumns(plan)
    return namesOf(plan).map((name) => elements.has(name))
  })
  return new Set(namesOf(plans[0]).filter((_, i) => parts.every((part) => part[i])))
}

/** The columns of a query in order. Each plan of a union is a query and has a `select`. */
const namesOf = (plan: Plan): string[] =>
  plan.findLast((operator) => operator.op === 'select')?.columns.map(({ name }) => name) ?? []

function elementsAmong(columns: readonly { name: string; value: Expression }[], before: Elements): Elements {
  const isElement = elementTest(before)
  return new Set(columns.filter(({ value }) => isElement(value)).map(({ name }) => name))
}

/** Aggregates that return one of their input values. */
const CHOOSING: ReadonlySet<string> = new Set(['any_value', 'min', 'max'])

function chosenElements(aggregates: readonly NamedAggregate[], before: Elements): string[] {
  const isElement = elementTest(before)
  return aggregates.flatMap(({ name, value: { fn, args } }) => (CHOOSING.has(fn) && isElement(args[0]) ? [name] : []))
}

/** Whether the values of an expression are elements: of a choice, all that may be chosen. */
export function elementTest(elements: Elements): (expression: Expression) => boolean {
  if (elements.size === 0) return () => false
  const known = new Map<Expression, boolean>()
  const isElement = (expression: Expression): boolean => {
    if (expression.kind === 'column') return elements.has(expression.name)
    if (expression.kind === 'literal') return false
    const found = known.get(expression) ?? isChoice(expression)
    known.set(expression, found)
    return found
  }
  function isChoice(choice: Expression & { kind: 'call' }): boolean {
    const chosen = choicesOf(choice).filter((one) => one.kind !== 'literal' || one.value !== null)
    return chosen.length > 0 && chosen.every(isElement)
  }
  return isElement
}

/** The arguments that a function chooses its result from. */
function choicesOf({ fn, args }: Expression & { kind: 'call' }): readonly Expression[] {
  switch (fn) {
    case 'coalesce':
      return args
    case 'if':
      return args.slice(1)
    case 'case':
      return args.filter((_, i) => i % 2 === 1 || i === args.length - 1)
    case 'nullif':
      return args.slice(0, 1)
    default:
      return []
  }
}
