import { didYouMean } from '../../base/text/nearest.js'
import { call, column, type Expression, literal } from '../../plan/expression.js'
import { MAX_STEPS } from '../../plan/functions/json-path.js'
import type { Schema } from '../../plan/schema.js'
import { invalid, unsupported } from '../parse/fault.js'
import { nameText } from '../parse/name-text.js'
import type { NodeOf } from '../parse/tree.js'

/** Values of columns by name. */
export type Constants = ReadonlyMap<string, Expression>

/** The columns and aliases in sight of a part of a query. */
export interface Scope {
  /** The columns of the rows, by their names in lower case. */
  columns: ReadonlyMap<string, string>
  /** The values of columns that are the same in all rows. */
  constants: Constants
  /** Aliases of the table, in lower case. The name of a source is an alias too. */
  tableAliases: ReadonlySet<string>
  /** Names of the table that the alias hides, in lower case, each with the alias. */
  hiddenNames: ReadonlyMap<string, string>
  /** The columns of unnested elements by alias, in lower case. */
  unnestAliases: ReadonlyMap<string, string>
  /**
   * The column in which names are looked up that are neither columns nor aliases, if SQL does not see that column. A
   * name in backticks behind the table is a field then, also if a column has the name. By default `metadata`.
   */
  record?: string | undefined
  /** The columns of all unnested elements, the innermost first. */
  unnests: readonly string[]
  /** Aliases of the outer queries, in lower case. The query cannot refer to outer aliases. */
  outerAliases: ReadonlySet<string>
  /** The types of all columns, including columns that SQL does not see. */
  schema: Schema
  /** Counts the expressions that a name adds to the expressions of the text. Throws an SqlFault over the limit. */
  count(expressions: number, at: number): void
}

/** The node of a name. */
type Name = Pick<NodeOf<'name'>, 'steps' | 'isQuoted' | 'at'>

/** Whether a field is read for a function of texts, which reads the digits of a number as sent by the client. */
type Reading = 'field' | 'field_text'

/**
 * Resolves a name to a column, an element of a list or a field. Throws `invalid_sql` for an unknown name, and
 * `unsupported_sql` for a table of an outer query.
 */
export function resolveName(name: Name, scope: Scope, reading: Reading): Expression {
  const { steps, at } = name
  const first = steps[0].toLowerCase()
  if (steps.length > MAX_STEPS) throw tooDeep(at)
  const element = scope.unnestAliases.get(first)
  if (element !== undefined) return fieldOf(column(element), steps.slice(1), reading)
  if (scope.tableAliases.has(first)) return columnOfTable(name, scope, reading)
  const own = scope.columns.get(first)
  if (own !== undefined) return fieldOfColumn(own, steps.slice(1), at, scope, reading)
  if (scope.outerAliases.has(first)) throw correlated(steps, at, scope)
  refuseHidden(steps, at, scope)
  const places = placesOfFields(scope)
  if (places.length === 0) throw unknownColumn(steps[0], at, scope)
  return places.length === 1 ? fieldOf(column(places[0]), steps, reading) : choiceOf(places, steps, at, scope, reading)
}

const tooDeep = (at: number) =>
  unsupported(`A path has at most ${MAX_STEPS} steps: no stored value is nested deeper.`, at)

/** The choices between places that the names of a scope have become. */
const choices = new WeakMap<Scope, Map<string, Expression>>()

/**
 * A name that is looked up in several places, the same expression each time. The name counts once for each place:
 * otherwise a text of names and lists would become as many expressions as names multiplied by lists.
 */
function choiceOf(
  places: readonly string[],
  steps: readonly string[],
  at: number,
  scope: Scope,
  reading: Reading,
): Expression {
  const known = choices.get(scope) ?? new Map<string, Expression>()
  choices.set(scope, known)
  const key = `${reading} ${JSON.stringify(steps)}`
  const found = known.get(key)
  if (found !== undefined) return found
  scope.count(places.length, at)
  const made = firstOf(places, steps, reading)
  known.set(key, made)
  return made
}

/** The columns in which a name is looked up that is neither an alias nor a column. */
function placesOfFields(scope: Scope): string[] {
  const { unnests } = scope
  const record = recordOf(scope)
  return record === undefined ? [...unnests] : [...unnests, record]
}

const recordOf = ({ record, columns }: Scope) => record ?? columns.get('metadata')

/** Reads the first step, row by row, from the first place where the field is not null. */
function firstOf(places: readonly string[], steps: readonly string[], reading: Reading): Expression {
  const read = steps.length === 1 ? reading : 'field'
  const found = call('coalesce', ...places.map((place) => fieldOf(column(place), steps.slice(0, 1), read)))
  return fieldOf(found, steps.slice(1), reading)
}

function fieldOf(json: Expression, keys: readonly string[], reading: Reading): Expression {
  return keys.length === 0 ? json : call(reading, json, ...keys.map(literal))
}

/** `t.timestamp`, or a field of the records of `t`. */
function columnOfTable({ steps, at, isQuoted = false }: Name, scope: Scope, reading: Reading): Expression {
  const [alias, step, ...keys] = steps
  if (step === undefined) throw invalid(`${alias} is a table: name one of its columns, as ${alias}.timestamp.`, at)
  const isField = isQuoted && scope.record !== undefined
  const name = isField ? undefined : scope.columns.get(step.toLowerCase())
  if (name !== undefined) return fieldOfColumn(name, keys, at, scope, reading)
  const record = recordOf(scope)
  if (record === undefined) throw unknownColumn(step, at, scope)
  return fieldOf(column(record), [step, ...keys], reading)
}

function fieldOfColumn(name: string, keys: readonly string[], at: number, scope: Scope, reading: Reading): Expression {
  const type = scope.schema.get(name)
  if (keys.length > 0 && type !== 'json' && type !== 'any' && type !== 'null')
    throw invalid(`${name} is a ${type} and has no fields: there is no ${name}.${keys.join('.')}.`, at)
  return fieldOf(scope.constants.get(name) ?? column(name), keys, reading)
}

function unknownColumn(name: string, at: number, { columns }: Scope): Error {
  if (columns.size === 0) return invalid(`There is no column ${name}, since this SELECT has no FROM.`, at)
  return invalid(`There is no column ${name}. ${didYouMean(name, [...columns.values()])}`, at)
}

/** The most steps of a source's name, as `storage.logs.prod.2`. */
const MAX_NAME_STEPS = 4

/** Refuses the name of a table that has an alias, as BigQuery does: as a field the name would be null in every row. */
function refuseHidden(steps: readonly string[], at: number, { hiddenNames, columns }: Scope): void {
  if (hiddenNames.size === 0) return
  for (let count = 1; count <= Math.min(steps.length, MAX_NAME_STEPS); count++) {
    const name = steps.slice(0, count).join('.')
    const alias = hiddenNames.get(name.toLowerCase())
    if (alias !== undefined) throw hidden(name, [alias, ...steps.slice(count)], steps, at, columns.has('metadata'))
  }
}

function hidden(
  name: string,
  path: readonly string[],
  steps: readonly string[],
  at: number,
  hasFields: boolean,
): Error {
  const alias = nameText(path.slice(0, 1))
  const instead = path.length === 1 ? '' : `: write ${nameText(path)}`
  const field = hasFields ? ` A field of that name is written metadata.${nameText(steps)}.` : ''
  return invalid(`The table ${name} has the alias ${alias} here, which hides its own name${instead}.${field}`, at)
}

function correlated(steps: readonly string[], at: number, { columns }: Scope): Error {
  const field = columns.has('metadata') ? ` A field of that name is written metadata.${steps.join('.')}.` : ''
  return unsupported(
    `${steps[0]} is a table of the outer query, and correlated subqueries are not covered: ` +
      `compare with value IN (select …).${field}`,
    at,
  )
}
