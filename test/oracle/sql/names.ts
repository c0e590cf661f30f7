import { call, column, type Expression, literal } from '../../../src/plan/expression.js'
import { unsupported, wrong } from './syntax.js'

/** The scope of names: the table of FROM, and the unnests. */
export interface Scope {
  /** Undefined without FROM. */
  table?: {
    /** In lower case. */
    alias?: string
    /** The names of the table that the alias hides, in lower case. */
    ownNames: readonly string[]
    /** The columns of the rows, by name in lower case, in order. */
    columns: ReadonlyMap<string, string>
  }
  /** The outermost first. The alias is in lower case. */
  unnests: readonly { alias?: string; column: string }[]
  /** The aliases of the queries around, in lower case. */
  hidden: ReadonlySet<string>
}

const fieldOf = (json: Expression, keys: readonly string[]): Expression =>
  keys.length === 0 ? json : call('field', json, ...keys.map(literal))

/**
 * Returns the expression that a name means. Throws `invalid_sql` if the name means nothing, `unsupported_sql` if the
 * name means a table around the query.
 */
export function resolveName([first = '', ...keys]: readonly string[], { table, unnests, hidden }: Scope): Expression {
  const name = first.toLowerCase()
  const metadata = table?.columns.get('metadata')
  const unnest = unnests.findLast(({ alias }) => alias === name)
  if (unnest !== undefined) return fieldOf(column(unnest.column), keys)
  if (table !== undefined && table.alias === name) {
    const [second, ...others] = keys
    const own = second === undefined ? wrong() : table.columns.get(second.toLowerCase())
    if (own !== undefined) return fieldOf(column(own), others)
    return metadata === undefined ? wrong() : fieldOf(column(metadata), keys)
  }
  const own = table?.columns.get(name)
  if (own !== undefined) return fieldOf(column(own), keys)
  if (hidden.has(name)) return unsupported()
  const path = [first, ...keys].map((step) => step.toLowerCase())
  if (table?.ownNames.some((one) => path.some((_, i) => path.slice(0, i + 1).join('.') === one))) return wrong()
  const places = [...unnests.toReversed().map((one) => one.column), ...(metadata === undefined ? [] : [metadata])]
  if (places.length === 0) return wrong()
  if (places.length === 1) return fieldOf(column(places[0]!), [first, ...keys])
  return fieldOf(call('coalesce', ...places.map((place) => fieldOf(column(place), [first]))), keys)
}

/** The expression of a name. A number becomes the text of its digits. */
export function textOfName(expression: Expression): Expression {
  if (expression.kind !== 'call') return expression
  if (expression.fn === 'coalesce') return { ...expression, args: expression.args.map(textOfName) }
  return expression.fn === 'field' ? { ...expression, fn: 'field_text' } : expression
}
