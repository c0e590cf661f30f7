import { invalid, unsupported } from '../parse/fault.js'
import type { Item, Node } from '../parse/tree.js'

/** An output column before compilation: an expression, or a column of the table that `*` named. */
export type Output = { name: string; at: number } & ({ node: Node; column?: never } | { column: string; node?: never })

/** The table that `*` and `t.*` mean. */
interface Table {
  names: readonly string[]
  aliases: ReadonlySet<string>
  hiddenNames: ReadonlyMap<string, string>
  hasTable: boolean
}

/**
 * Returns the output columns of SELECT, `*` expanded, with their names. Throws `unsupported_sql` at the first column
 * beyond `mostColumns`: a text of some bytes may name a million columns.
 */
export function outputsOf(items: readonly Item[], table: Table, mostColumns: number): Output[] {
  const outputs: Output[] = []
  const outputOf = namer()
  for (const item of items) {
    for (const output of item.kind === 'all' ? columnsOf(item, table) : [outputOf(item)]) {
      if (outputs.length === mostColumns) throw unsupported(`A SELECT has more than ${mostColumns} columns.`, output.at)
      outputs.push(output)
    }
  }
  return withDistinctNames(outputs)
}

/** Returns a function that names the values of a SELECT: values without a name are numbered. */
function namer(): (item: Item & { kind: 'value' }) => Output {
  let anonymous = 0
  return ({ value, name }) => {
    const given = name ?? (value.kind === 'name' ? value.steps.at(-1)! : `f${anonymous++}_`)
    // The engine names columns of its own with a line break.
    if (given.startsWith('\n'))
      throw invalid('The name of a column starts with a line break: name it with AS.', value.at)
    return { name: given, at: value.at, node: value }
  }
}

function columnsOf({ table, at }: Item & { kind: 'all' }, { names, aliases, hiddenNames, hasTable }: Table): Output[] {
  if (!hasTable) throw invalid('* needs a table: write FROM and a source.', at)
  if (table !== undefined && !aliases.has(table.toLowerCase())) {
    const alias = hiddenNames.get(table.toLowerCase())
    const instead = alias === undefined ? `only the table's columns can be selected as ${table}.*` : `write ${alias}.*`
    throw invalid(`There is no table ${table}: ${instead}`, at)
  }
  return names.map((name) => ({ name, at, column: name }))
}

/** Adds `_1`, `_2`, … to a name that is taken, whatever the case of letters. */
function withDistinctNames(outputs: readonly Output[]): Output[] {
  const taken = new Set<string>()
  const counts = new Map<string, number>()
  return outputs.map((output) => {
    const base = output.name.toLowerCase()
    let { name } = output
    let count = counts.get(base) ?? 0
    while (taken.has(name.toLowerCase())) name = `${output.name}_${++count}`
    counts.set(base, count)
    taken.add(name.toLowerCase())
    return { ...output, name }
  })
}
