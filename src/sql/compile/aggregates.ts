import type { Aggregate, AggregateName } from '../../plan/aggregates.js'
import { AGGREGATES } from '../../plan/aggregates.js'
import { wrongCount } from '../../plan/arity.js'
import { column, type Expression } from '../../plan/expression.js'
import { expressionKey } from '../../plan/expression-key.js'
import type { NamedAggregate } from '../../plan/plan.js'
import type { Type } from '../../plan/values/values.js'
import { invalid, unsupported } from '../parse/fault.js'
import type { Node, NodeOf } from '../parse/tree.js'
import type { Compiler } from './compiler.js'

type Call = NodeOf<'call'>

/** The most parts of `approx_quantiles`, and elements of `array_agg`. */
const MAX_ELEMENTS = 10_000

/** The aggregates of a SELECT. Equal aggregates are computed once. */
export class Aggregates {
  readonly #named = new Map<string, NamedAggregate & { at: number }>()
  /** Compiles arguments: over ungrouped rows, without aggregates. */
  readonly #rows: Compiler
  readonly #fresh: (prefix: string) => string
  readonly #schema: Map<string, Type>

  /** Adds the types of the columns of aggregates to `schema`. */
  constructor(rows: Compiler, fresh: (prefix: string) => string, schema: Map<string, Type>) {
    this.#rows = rows
    this.#fresh = fresh
    this.#schema = schema
  }

  /** All aggregates that {@link add} was given. */
  get named(): readonly NamedAggregate[] {
    return [...this.#named.values()].map(({ name, value }) => ({ name, value }))
  }

  /** Measures the arguments of all aggregates, each at the place of its aggregate. */
  measure(measure: (expression: Expression, at: number) => unknown): void {
    for (const { value, at } of this.#named.values()) for (const arg of value.args) measure(arg, at)
  }

  /** Returns the column of an aggregate. Throws an SqlFault if the arguments do not fit. */
  add(node: Call): Expression {
    const value = aggregateOf(node, this.#rows)
    const key = `${value.fn} ${value.args.map(expressionKey).join(' ')}`
    const known = this.#named.get(key)
    if (known !== undefined) return column(known.name)
    const { type } = AGGREGATES[value.fn]
    const name = this.#fresh('aggregate')
    this.#named.set(key, { name, value, at: node.at })
    this.#schema.set(name, typeof type === 'function' ? type(value.args.map((arg) => this.#rows.typeOf(arg))) : type)
    return column(name)
  }
}

function aggregateOf(node: Call, rows: Compiler): Aggregate {
  const { name, args, isStar, isDistinct, limit, at } = node
  if (isStar) {
    if (name !== 'count') throw invalid(`${name}(*) has no meaning: only count(*) has.`, at)
    return { fn: 'count', args: [] }
  }
  if (isDistinct && name !== 'count')
    throw unsupported(`${name}(DISTINCT …) is not covered, but count(distinct x).`, at)
  if (limit !== undefined && name !== 'array_agg')
    throw unsupported(`LIMIT in ${name} is not covered, but in array_agg.`, at)
  const fn = (isDistinct ? 'count_distinct' : name) as AggregateName
  checkCount(node)
  if (fn === 'count') return countOf(args[0], rows)
  const value = argumentOf(args[0], fn, rows)
  if (fn === 'approx_quantiles') return { fn, args: [value, wholeNumber(args[1], 1, rows)] }
  if (fn === 'string_agg' && args.length > 1) return { fn, args: [value, separatorOf(args[1], rows)] }
  if (limit !== undefined) return { fn, args: [value, wholeNumber(limit, 1, rows)] }
  return { fn, args: args.length === 1 ? [value] : [value, ...args.slice(1).map((arg) => rows.compile(arg))] }
}

function argumentOf(node: Node, fn: AggregateName, rows: Compiler): Expression {
  if (fn === 'countif') return rows.compileCondition(node)
  return fn === 'string_agg' ? rows.compileArgument(node, 'concat') : rows.compile(node)
}

/** The aggregates with two arguments. `quantile` is an aggregate of the compiler, not of SQL. */
const TWO: ReadonlySet<string> = new Set(['approx_quantiles', 'quantile'])

function checkCount({ name, args, at }: Call): void {
  if (name === 'count' && args.length === 0) throw invalid('count() has no argument: write count(*).', at)
  const least = TWO.has(name) ? 2 : 1
  const most = name === 'string_agg' ? 2 : least
  const message = wrongCount(name, least, most, args.length)
  if (message !== undefined) throw invalid(message, at)
}

/** `count(case when x then 1 end)` counts the rows for which x is true. */
function countOf(arg: Node, rows: Compiler): Aggregate {
  if (arg.kind === 'operator' && arg.fn === 'case' && arg.args.length === 2) {
    const [condition, value] = arg.args as [Node, Node]
    if (value.kind === 'literal' && value.value !== null)
      return { fn: 'countif', args: [rows.compileCondition(condition)] }
  }
  return { fn: 'count', args: [rows.compile(arg)] }
}

function wholeNumber(node: Node, least: number, rows: Compiler): Expression {
  const value = rows.compile(node)
  if (
    value.kind === 'literal' &&
    Number.isSafeInteger(value.value) &&
    Number(value.value) >= least &&
    Number(value.value) <= MAX_ELEMENTS
  )
    return value
  throw invalid(`This must be a whole number from ${least} to ${MAX_ELEMENTS}.`, node.at)
}

function separatorOf(node: Node, rows: Compiler): Expression {
  const value = rows.compile(node)
  if (value.kind === 'literal' && typeof value.value === 'string') return value
  throw invalid('The separator of string_agg must be a text.', node.at)
}
