import { call, column, type Expression, literal } from '../../../src/plan/expression.js'
import type { Plan } from '../../../src/plan/plan.js'
import { type Schema, schemaOf } from '../../../src/plan/schema.js'
import type { Scalar } from '../../../src/plan/values/values.js'
import type { Environment, Rows } from './environment.js'
import { compileSelect } from './select.js'
import { type Body, type Order, type Query, type Select, type Syntax, wrong } from './syntax.js'

/** The row limit of a query. */
interface Window {
  rows: number
  offset: number
}

type Options = Pick<Environment, 'parameters' | 'nowUs'>

/** Compiles a text's query to a plan of at most `maxRows` rows. Throws `invalid_sql` or `unsupported_sql`. */
export function compileQuery(query: Query, maxRows: number, options: Options): Plan {
  let names = 0
  const environment: Environment = {
    ...options,
    ctes: new Map(),
    hidden: new Set(),
    freshName: () => `#${names++}`,
    compile: (inner, { ctes, hidden }) => compileInner(inner, { ...environment, ctes, hidden }),
  }
  const { plan } = compileUnlimited(query, environment)
  const { rows, offset } = windowOf(query, options) ?? { rows: maxRows, offset: 0 }
  return [...asReturned(plan), { op: 'limit', rows: Math.min(rows, maxRows), offset }]
}

/** Returns JSON of the answer in the form of BigQuery. */
function asReturned(plan: Plan): Plan {
  const schema = [...checkedSchema(plan)]
  const isJson = (type: string) => type === 'json' || type === 'any' || type === 'list'
  if (!schema.some(([, type]) => isJson(type))) return plan
  const chosen = plan.findLast((operator) => operator.op === 'select')
  // An object that the query itself makes stays an object.
  const made = chosen?.columns.filter(({ value }) => value.kind === 'call' && value.fn === 'json_object')
  const isMade = (name: string) => made?.some((one) => one.name === name) === true
  const taken = takenFromLists(plan)
  const returned = (name: string) => call('repeated', column(name), ...(taken.has(name) ? [literal(true)] : []))
  const columns = schema.map(([name, type]) => ({
    name,
    value: isJson(type) && !isMade(name) ? returned(name) : column(name),
  }))
  return [...plan, { op: 'select', columns }]
}

/** The columns of a plan with values that an unnest took from a list. */
function takenFromLists(plan: Plan): ReadonlySet<string> {
  let taken = new Set<string>()
  for (const operator of plan) {
    const isTaken = (value: Expression): boolean => {
      if (value.kind !== 'call') return value.kind === 'column' && taken.has(value.name)
      const { fn, args } = value
      if (fn === 'nullif') return isTaken(args[0]!)
      const isCondition = (i: number) => (fn === 'if' ? i === 0 : fn === 'case' && i % 2 === 0 && i + 1 < args.length)
      const isNull = (arg: Expression) => arg.kind === 'literal' && arg.value === null
      const values = args.filter((arg, i) => !isCondition(i) && !isNull(arg))
      return ['coalesce', 'if', 'case'].includes(fn) && values.length > 0 && values.every(isTaken)
    }
    const among = (columns: readonly { name: string; value: Expression }[]) =>
      columns.filter(({ value }) => isTaken(value)).map(({ name }) => name)
    if (operator.op === 'unnest') taken.add(operator.name)
    else if (operator.op === 'select') taken = new Set(among(operator.columns))
    else if (operator.op === 'group') {
      const chosen = operator.aggregates.filter(({ value }) => ['any_value', 'min', 'max'].includes(value.fn))
      const ofGroups = chosen.map(({ name, value }) => ({ name, value: value.args[0]! }))
      taken = new Set([...among(operator.keys), ...among(ofGroups)])
    } else if (operator.op === 'union') {
      const parts = operator.plans.map((part) => {
        const names = takenFromLists(part)
        return [...schemaOf(part).keys()].map((name) => names.has(name))
      })
      const names = [...schemaOf(operator.plans[0]!).keys()]
      taken = new Set(names.filter((_, i) => parts.every((part) => part[i])))
    }
  }
  return taken
}

/** A plan that no engine runs comes from a wrong text: a function with a wrong number of arguments. */
function checkedSchema(plan: Plan): Schema {
  try {
    return schemaOf(plan)
  } catch (error) {
    const isOfText = error instanceof TypeError || (error as { code?: string }).code === 'invalid_sql'
    if (isOfText) return wrong()
    throw error
  }
}

/** A query within another query. The order of the rows only decides which rows the limit keeps. */
function compileInner(query: Query, environment: Environment): Rows {
  const rows = compileUnlimited(query, environment)
  checkedSchema(rows.plan)
  const window = windowOf(query, environment)
  if (window === undefined && query.orderBy.length === 0) return rows
  const plan: Plan = window === undefined ? rows.plan : [...rows.plan, { op: 'limit', ...window }]
  return { ...rows, plan: [{ op: 'union', plans: [plan] }] }
}

function windowOf({ limit, offset }: Query, options: Options): Window | undefined {
  if (limit === undefined) return undefined
  return { rows: countOf(limit, options), offset: offset === undefined ? 0 : countOf(offset, options) }
}

function countOf(syntax: Syntax, { parameters }: Options): number {
  const given: Scalar | undefined =
    syntax.kind === 'literal' ? syntax.value : syntax.kind === 'parameter' ? parameters[syntax.name] : wrong()
  return Number.isSafeInteger(given) && Number(given) >= 0 ? Number(given) : wrong()
}

/** The rows of a query without the limit, in order. */
function compileUnlimited({ ctes, body, orderBy }: Query, environment: Environment): Rows {
  const known = new Map(environment.ctes)
  for (const { name, query } of ctes)
    known.set(name.toLowerCase(), environment.compile(query, { ...environment, ctes: new Map(known) }))
  const inner = { ...environment, ctes: known }
  if (body.kind === 'select') return compileSelect(body.select, orderBy, inner)
  const rows = compileBody(body, inner)
  return orderBy.length === 0 ? rows : sorted(rows, orderBy, inner)
}

function compileBody(body: Body, environment: Environment): Rows {
  if (body.kind === 'select') return compileSelect(body.select, [], environment)
  if (body.kind === 'query') return environment.compile(body.query, environment)
  const [left, right] = [compileBody(body.left, environment), compileBody(body.right, environment)]
  if (left.columns.length !== right.columns.length) return wrong()
  return { columns: left.columns, plan: [{ op: 'union', plans: [left.plan, right.plan] }] }
}

/** Sorts the rows of a union, as SELECT * from a table of the rows does. */
function sorted(rows: Rows, orderBy: readonly Order[], environment: Environment): Rows {
  const name = environment.freshName()
  const all: Select = {
    isDistinct: false,
    items: [{ kind: 'all' }],
    table: { kind: 'named', name },
    unnests: [],
    groupBy: [],
  }
  return compileSelect(all, orderBy, { ...environment, ctes: new Map([[name, rows]]) })
}
