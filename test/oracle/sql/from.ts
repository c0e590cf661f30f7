import { allSources, type Source } from '../../../src/common/sources.js'
import type { Operator } from '../../../src/plan/plan.js'
import type { Environment, Rows } from './environment.js'
import { compileExpression } from './expression.js'
import type { Scope } from './names.js'
import { type Select, type Table, unsupported, wrong } from './syntax.js'

/** All times: the time range of a query is applied to the records. */
const ALWAYS = { fromUs: Number.NEGATIVE_INFINITY, throughUs: Number.POSITIVE_INFINITY }

/** A single row without columns. */
const ONE_ROW: readonly Operator[] = [
  { op: 'scan', sources: ['edge_logs'], fromUs: 1, throughUs: 0 },
  { op: 'group', keys: [], aggregates: [] },
]

const SOURCE_COLUMNS = ['id', 'timestamp', 'event_message', 'project', 'metadata']

/** Compiles FROM: the rows of the table, multiplied by the unnests, and the scope of names. */
export function compileFrom(
  { table, unnests }: Select,
  environment: Environment,
): { plan: readonly Operator[]; scope: Scope } {
  const { hidden } = environment
  if (table === undefined) return { plan: ONE_ROW, scope: { unnests: [], hidden } }
  const { plan, columns } = rowsOf(table, environment)
  const alias = table.alias ?? (table.kind === 'named' ? table.name : undefined)
  const names = new Map(columns.map((column) => [column.toLowerCase(), column]))
  const named = {
    columns: names,
    ownNames: ownNamesOf(table),
    ...(alias !== undefined && { alias: alias.toLowerCase() }),
  }
  return unnests.reduce<{ plan: readonly Operator[]; scope: Scope }>(
    (before, { path, alias: name, isOuter }) => {
      const list = compileExpression(path, { ...environment, scope: before.scope, isIn: unsupported })
      const column = environment.freshName()
      const unnest = { column, ...(name !== undefined && { alias: name.toLowerCase() }) }
      return {
        plan: [...before.plan, { op: 'unnest', list, name: column, isOuter }],
        scope: { ...before.scope, unnests: [...before.scope.unnests, unnest] },
      }
    },
    { plan, scope: { table: named, unnests: [], hidden } },
  )
}

/** The names of a source in lower case. An own source has no alias. */
const namesOf = ({ name, alias = name }: Source): string[] => [name, alias.toLowerCase()]

const sourceNamed = (name: string): Source | undefined => allSources().find((source) => namesOf(source).includes(name))

/** The names of a table that an alias hides: the name as spelled, and the names of the source. */
function ownNamesOf(table: Table): string[] {
  if (table.kind === 'derived' || table.alias === undefined) return []
  const own = table.name.toLowerCase()
  const names = [own, ...(sourceNamed(own) === undefined ? [] : namesOf(sourceNamed(own)!))]
  return names.filter((name) => name !== table.alias!.toLowerCase())
}

/** A common table expression hides a source of the same name. */
function rowsOf(table: Table, environment: Environment): Rows {
  if (table.kind === 'derived') return environment.compile(table.query, environment)
  const name = table.name.toLowerCase()
  const cte = environment.ctes.get(name)
  if (cte !== undefined) return cte
  const source = sourceNamed(name) ?? wrong()
  return { plan: [{ op: 'scan', sources: [source.name], ...ALWAYS }], columns: SOURCE_COLUMNS }
}
