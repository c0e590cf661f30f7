import { call, column, type Expression, literal } from './expression.js'
import { rewrittenCall } from './place.js'
import type { NamedExpression, Operator, Plan } from './plan.js'
import { type Schema, schemaOf } from './schema.js'

/** The last key of a path with dots: the default name of its column. */
export type LastKey<Path extends string> = Path extends `${string}.${infer Rest}` ? LastKey<Rest> : Path

/** A field of the record: the value at a path of keys in its metadata. `level` and `metadata.level` are the same. */
export function field(path: string | readonly [string, ...string[]]): Expression {
  const keys = typeof path === 'string' ? path.replace(/^metadata\./, '').split('.') : path
  return call('field', column('metadata'), ...keys.map(literal))
}

/** Returns the plan with another operator, in which every name is a column of the rows. */
export function append(plan: Plan, operator: Operator): Plan {
  let columns: Schema | undefined
  const resolve = resolver(() => (columns ??= columnsFor(operator, plan)))
  return [...plan, mapExpressions(operator, resolve)]
}

/** Returns the name of the column in the result if a query selects or groups by `text`. */
export function nameOf(text: string, plan: Plan): string {
  if (!text.includes('.') || schemaOf(plan).has(text)) return text
  return text.slice(text.lastIndexOf('.') + 1)
}

/** The columns that an operator may name. An order behind `select` may also name the columns before `select`. */
function columnsFor({ op }: Operator, plan: Plan): Schema {
  const columns = schemaOf(plan)
  if (op !== 'orderBy' || plan.at(-1)?.op !== 'select') return columns
  return new Map([...schemaOf(plan.slice(0, -1)), ...columns])
}

/** Returns a function that replaces names in expressions. A repeated expression remains a single object. */
function resolver(columns: () => Schema): (expression: Expression) => Expression {
  const known = new Map<Expression, Expression>()
  const resolve = (expression: Expression): Expression => {
    if (expression.kind === 'literal') return expression
    const resolved =
      known.get(expression) ??
      (expression.kind === 'column' ? resolveName(expression, columns) : mapArguments(expression, resolve))
    known.set(expression, resolved)
    return resolved
  }
  return resolve
}

function mapArguments(expression: Expression & { kind: 'call' }, map: (arg: Expression) => Expression): Expression {
  const args = expression.args.map(map)
  return args.every((arg, i) => arg === expression.args[i]) ? expression : rewrittenCall(expression, { args })
}

/**
 * Returns the expression that a name means. A column wins. Else `url_path` is the path in the URL, and a path with
 * dots starts in a column that may hold JSON, or else in the metadata. Any other name is left for the check of the
 * plan.
 */
function resolveName(named: Expression & { kind: 'column' }, columns: () => Schema): Expression {
  const { name } = named
  const isPath = name.includes('.')
  if ((!isPath && name !== 'url_path') || columns().has(name)) return named
  if (!isPath) return columns().has('url') ? call('url_path', column('url')) : named
  const [first = '', ...others] = name.split('.')
  if (mayHoldJson(columns(), first)) return call('field', column(first), ...others.map(literal))
  return mayHoldJson(columns(), 'metadata') ? field([first, ...others]) : named
}

function mayHoldJson(columns: Schema, name: string): boolean {
  const type = columns.get(name)
  return type === 'json' || type === 'any'
}

/** Returns an operator with each of its expressions replaced. */
function mapExpressions(operator: Operator, map: (expression: Expression) => Expression): Operator {
  const mapNamed = (columns: readonly NamedExpression[]) =>
    columns.map(({ name, value }) => ({ name, value: map(value) }))
  switch (operator.op) {
    case 'filter':
      return { ...operator, where: map(operator.where) }
    case 'unnest':
      return { ...operator, list: map(operator.list) }
    case 'isIn':
      return { ...operator, value: map(operator.value) }
    case 'extend':
    case 'select':
      return { ...operator, columns: mapNamed(operator.columns) }
    case 'group': {
      const aggregates = operator.aggregates.map(({ name, value: { fn, args } }) => ({
        name,
        value: { fn, args: args.map(map) },
      }))
      return { ...operator, keys: mapNamed(operator.keys), aggregates }
    }
    case 'orderBy':
      return { ...operator, keys: operator.keys.map((key) => ({ ...key, by: map(key.by) })) }
    default:
      return operator
  }
}
