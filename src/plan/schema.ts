import type { SourceName } from '../common/sources.js'
import { AGGREGATES } from './aggregates.js'
import { wrongCount } from './arity.js'
import { checkRank } from './check-rank.js'
import { columnsOfSource } from './columns.js'
import type { Expression } from './expression.js'
import { queryError } from './functions/function.js'
import { FUNCTIONS } from './functions/table.js'
import type { Operator, Plan, ViewSource } from './plan.js'
import {
  CivilDate,
  Datetime,
  int64,
  isInteger,
  isTimeType,
  momentUs,
  RawJson,
  type Scalar,
  Timestamp,
  type Type,
} from './values/values.js'

/** The columns of some rows, in order, with their static types. */
export type Schema = ReadonlyMap<string, Type>

const NONE: Schema = new Map()

/** Schemas of plans, which never change: the layers above and the engine read the schema of a plan several times. */
const schemas = new WeakMap<Plan, Schema>()

/**
 * Returns the columns of a plan's rows. None for the empty plan. Throws a TypeError on a plan that no engine runs: an
 * unknown column, a wrong number of arguments, an operator in the wrong place.
 */
export function schemaOf(plan: Plan): Schema {
  const schema = schemas.get(plan) ?? checkedSchema(plan)
  schemas.set(plan, schema)
  return schema
}

const FIRST: ReadonlySet<string> = new Set(['scan', 'view', 'union'])

function checkedSchema(plan: Plan): Schema {
  let schema = NONE
  let before = NONE
  plan.forEach((operator, place) => {
    const isFirst = FIRST.has(operator.op)
    if (isFirst !== (place === 0))
      throw new TypeError(`A plan starts with scan, view or union, and only there: ${operator.op}.`)
    const isBehindSelect = operator.op === 'orderBy' && plan[place - 1].op === 'select'
    const after = schemaAfter(operator, isBehindSelect ? new Map([...before, ...schema]) : schema)
    before = schema
    if (operator.op !== 'orderBy') schema = after
    else if (operator.rank !== undefined) {
      checkRank(plan, place)
      schema = distinct([...schema, [operator.rank, 'integer']])
    }
  })
  return schema
}

/** The columns of the rows that an operator returns for rows with the columns `before`. */
function schemaAfter(operator: Operator, before: Schema): Schema {
  switch (operator.op) {
    case 'scan':
      return scanSchema(operator.sources)
    case 'view':
      return viewSchema(operator.view)
    case 'union':
      return unionSchema(operator.plans.map(schemaOf))
    case 'unnest':
      typeOf(operator.list, before)
      return new Map([...before, [operator.name, 'any']])
    case 'isIn':
      typeOf(operator.value, before)
      checkColumn(operator.plan)
      return new Map([...before, [operator.name, 'boolean']])
    case 'filter':
      typeOf(operator.where, before)
      return before
    case 'extend':
      return new Map([...before, ...typesOf(operator.columns, before)])
    case 'group':
      return distinct([...typesOf(operator.keys, before), ...aggregateTypes(operator, before)])
    case 'select':
      return distinct(typesOf(operator.columns, before))
    case 'orderBy':
      for (const { by } of operator.keys) typeOf(by, before)
      return before
    case 'limit':
      return before
  }
}

function scanSchema(sources: readonly SourceName[]): Schema {
  const [first, ...others] = sources.map((source) => columnsOfSource(source))
  if (first === undefined) throw new TypeError('A scan needs a source.')
  if (others.length === 0) return first
  return new Map([...first].filter(([name, type]) => others.every((other) => other.get(name) === type)))
}

const viewSchemas = new WeakMap<ViewSource, Schema>()

/** The schema of a view, the same map each time. */
function viewSchema(view: ViewSource): Schema {
  const schema = viewSchemas.get(view) ?? distinct(view.columns.map(({ name, type }) => [name, type] as const))
  viewSchemas.set(view, schema)
  return schema
}

function unionSchema(schemas: readonly Schema[]): Schema {
  const [first = NONE, ...others] = schemas
  if (others.some(({ size }) => size !== first.size))
    throw new TypeError('The plans of a union differ in their columns.')
  const columns = [...others].map((schema) => [...schema.values()])
  return new Map(
    [...first].map(([name, type], i) => [name, columns.every((types) => types[i] === type) ? type : 'any']),
  )
}

function checkColumn(plan: Plan): void {
  const { size } = schemaOf(plan)
  if (size !== 1) throw new TypeError(`The plan of isIn must have one column, and has ${size}.`)
}

function distinct(columns: readonly (readonly [string, Type])[]): Schema {
  const schema = new Map(columns)
  if (schema.size < columns.length) throw new TypeError('Two columns have the same name.')
  return schema
}

function typesOf(columns: readonly { name: string; value: Expression }[], schema: Schema): [string, Type][] {
  return columns.map(({ name, value }) => [name, typeOf(value, schema)])
}

function aggregateTypes({ aggregates }: Operator & { op: 'group' }, schema: Schema): [string, Type][] {
  return aggregates.map(({ name, value: { fn, args } }) => {
    const { arity, type } = Object.hasOwn(AGGREGATES, fn) ? AGGREGATES[fn] : unknownFunction(fn)
    checkArity(fn, arity, args.length)
    const types = args.map((arg) => typeOf(arg, schema))
    return [name, typeof type === 'function' ? type(types) : type]
  })
}

/**
 * Returns the static type of an expression over rows with the columns of `schema`. Throws a TypeError if the
 * expression is not valid there.
 */
export function typeOf(expression: Expression, schema: Schema): Type {
  if (expression.kind === 'literal') return typeOfValue(expression.value)
  if (expression.kind === 'column') return schema.get(expression.name) ?? unknownColumn(expression.name, schema)
  const known = typesOfCalls.get(schema) ?? new WeakMap<Expression, Type>()
  typesOfCalls.set(schema, known)
  const type = known.get(expression) ?? typeOfCall(expression, schema)
  known.set(expression, type)
  return type
}

/** Types of calls, so that a call that several calls share is checked once. */
const typesOfCalls = new WeakMap<Schema, WeakMap<Expression, Type>>()

function typeOfCall(expression: Expression & { kind: 'call' }, schema: Schema): Type {
  const { arity, type } = Object.hasOwn(FUNCTIONS, expression.fn)
    ? FUNCTIONS[expression.fn]
    : unknownFunction(expression.fn)
  checkArity(expression.fn, arity, expression.args.length)
  const types = expression.args.map((arg) => typeOf(arg, schema))
  if (COMPARISONS.has(expression.fn) && types.some(isTimeType)) expression.args.forEach(checkTime)
  const result = typeof type === 'function' ? type(types, expression.args.map(literalOf)) : type
  // A count is never null, but a function of a count, as nullif, may be null.
  return result === 'count' ? 'integer' : result
}

const literalOf = (arg: Expression): Scalar | undefined => (arg.kind === 'literal' ? arg.value : undefined)

const COMPARISONS: ReadonlySet<string> = new Set([
  'eq',
  'ne',
  'lt',
  'le',
  'gt',
  'ge',
  'in',
  'nullif',
  'greatest',
  'least',
])

/** Throws `invalid_sql` if a literal text next to a time is none: an error of the query, not of a row. */
function checkTime(arg: Expression): void {
  if (arg.kind !== 'literal' || typeof arg.value !== 'string' || momentUs(arg.value) !== undefined) return
  throw queryError(`"${arg.value}" is no time. Write it as ISO 8601: 2026-11-24T12:00:00Z.`)
}

function unknownColumn(name: string, schema: Schema): never {
  const hint = schema.has('metadata') && /^\w+$/.test(name) ? ` A field is written metadata.${name}.` : ''
  throw new TypeError(`There is no column ${name}, but ${[...schema.keys()].join(', ')}.${hint}`)
}

function unknownFunction(name: string): never {
  throw new TypeError(`There is no function ${name}.`)
}

function checkArity(name: string, [least, most]: readonly [number, number], count: number): void {
  const message = wrongCount(name, least, most, count)
  if (message !== undefined) throw new TypeError(message)
}

/** The static type of a value. */
export function typeOfValue(value: Scalar): Type {
  if (value === null) return 'null'
  if (typeof value === 'string') return 'text'
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'bigint') return int64(value) === undefined ? 'any' : 'integer'
  if (typeof value === 'number') return isInteger(value) ? 'integer' : 'number'
  if (value instanceof Timestamp) return 'timestamp'
  if (value instanceof Datetime) return 'datetime'
  if (value instanceof CivilDate) return 'date'
  return value instanceof RawJson ? 'json' : 'list'
}
