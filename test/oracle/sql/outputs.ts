import { column, type Expression } from '../../../src/plan/expression.js'
import type { NamedExpression } from '../../../src/plan/plan.js'
import type { Scope } from './names.js'
import { type Item, type Syntax, wrong } from './syntax.js'

/** The columns of a SELECT, in order. */
export function compileOutputs(
  items: readonly Item[],
  scope: Scope,
  compile: (syntax: Syntax) => Expression,
): NamedExpression[] {
  let unnamed = 0
  const wanted = items.flatMap((item): NamedExpression[] => {
    if (item.kind === 'all') return columnsOf(item.table, scope).map((name) => ({ name, value: column(name) }))
    const { value, alias } = item
    const name = alias ?? (value.kind === 'name' ? value.steps.at(-1)! : `f${unnamed++}_`)
    return [{ name, value: compile(value) }]
  })
  return withDistinctNames(wanted)
}

function columnsOf(name: string | undefined, { table }: Scope): string[] {
  if (table === undefined || (name !== undefined && name.toLowerCase() !== table.alias)) return wrong()
  return [...table.columns.values()]
}

/** A repeated name gets `_1`, `_2`, …. Names ignore case. */
function withDistinctNames(columns: readonly NamedExpression[]): NamedExpression[] {
  const taken = new Set<string>()
  return columns.map(({ name, value }) => {
    let distinct = name
    for (let i = 1; taken.has(distinct.toLowerCase()); i++) distinct = `${name}_${i}`
    taken.add(distinct.toLowerCase())
    return { name: distinct, value }
  })
}
