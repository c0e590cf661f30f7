import { column, type Expression } from '../../plan/expression.js'
import type { NamedExpression, Operator, Plan, ViewSource } from '../../plan/plan.js'
import { inScope, type Scope } from './branches.js'
import { createNames } from './project.js'

/**
 * Returns the operators behind a grouping over the columns of the groups of a view. `names` has the columns of the
 * text's grouping, each with the column of a group.
 */
export const behindGroups = (behind: Plan, names: ReadonlyMap<string, string>): Plan => [
  { op: 'select', columns: [...names].map(([name, of]) => ({ name, value: column(of) })) },
  ...behind,
]

/** The column by which a table in SQL is restricted to a project. */
const PROJECT = 'project'

/**
 * Returns the operators behind the groups of a view that is read as a table: with the stored project as a column, and
 * without the form that JSON has in answers. Fails if another column has the name `project`.
 */
export function inTables(behind: Plan, view: ViewSource, fail: (problem: string) => never): Plan {
  const last = behind.findLastIndex(({ op }) => op === 'select')
  const plain = behind.map((operator, i) => (i === last ? unwrapped(operator) : operator))
  const named = columnsOf(behind).find((name) => name.toLowerCase() === PROJECT)
  if (named !== undefined) {
    if (isProject(plain, named, view)) return plain
    fail('the column project of a view is the stored project: give this one another name with AS')
  }
  const kept = createNames(behind)('project')
  return plain.map((operator, i) => {
    if (operator.op !== 'select') return operator
    const value = column(i === 0 ? PROJECT : kept)
    return { ...operator, columns: [...operator.columns, { name: i === last ? PROJECT : kept, value }] }
  })
}

const columnsOf = (behind: Plan): string[] => {
  const last = behind.findLast((operator) => operator.op === 'select')
  return last?.op === 'select' ? last.columns.map(({ name }) => name) : []
}

/** Whether a column behind the groups is the project of the group. */
function isProject(behind: Plan, name: string, { columns }: ViewSource): boolean {
  const groups: Scope = new Map(columns.map((one) => [one.name, column(one.name)]))
  const scope = behind.reduce<Scope>((before, operator) => {
    if (operator.op !== 'select' && operator.op !== 'extend') return before
    const made = operator.columns.map((one) => [one.name, inScope(one.value, before)] as const)
    return new Map([...(operator.op === 'extend' ? before : []), ...made])
  }, groups)
  const value = scope.get(name)
  return value?.kind === 'column' && value.name === PROJECT
}

/** The columns of an answer without the form that JSON has there. */
function unwrapped(operator: Operator): Operator {
  if (operator.op !== 'select') return operator
  const columns = operator.columns.map(({ name, value }): NamedExpression => ({ name, value: unwrappedValue(value) }))
  return { ...operator, columns }
}

const unwrappedValue = (value: Expression) =>
  value.kind === 'call' && value.fn === 'repeated' ? value.args[0]! : value
