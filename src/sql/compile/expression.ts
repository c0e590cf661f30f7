import { hash } from 'node:crypto'
import { LogweirError } from '../../base/errors.js'
import { wrongCount } from '../../plan/arity.js'
import { call, column, type Expression, literal } from '../../plan/expression.js'
import { FUNCTIONS, type FunctionName, TEXT_FUNCTIONS } from '../../plan/functions/table.js'
import { likePattern } from '../../plan/functions/text.js'
import { givePlace } from '../../plan/place.js'
import type { Operator, Plan } from '../../plan/plan.js'
import { typeOf } from '../../plan/schema.js'
import { isTimeType, momentUs, type Type } from '../../plan/values/values.js'
import { giveName } from '../../plan/written-name.js'
import { isAggregate } from '../parse/aggregate-names.js'
import { type FaultCode, invalid, SqlFault } from '../parse/fault.js'
import { nameText } from '../parse/name-text.js'
import type { Node, NodeOf, Query } from '../parse/tree.js'
import type { Compiler } from './compiler.js'
import { addAmount, type Context, valueOfParameter } from './context.js'
import { foldedCall } from './fold.js'
import { compileFunction, isFunction } from './functions.js'
import { resolveName, type Scope } from './scope.js'
import { timeWithInterval } from './times.js'

/** The surroundings of expressions in a query: names of outputs, and the handlers of aggregates and subqueries. */
export interface Surroundings {
  /** The output columns by name in lower case. Outputs win over fields. Only HAVING and ORDER BY see outputs. */
  outputs?: ReadonlyMap<string, Expression>
  /** The names of outputs in lower case that the part does not see. */
  hiddenOutputs?: ReadonlySet<string>
  /** Takes an aggregate, and returns the expression of its value. If undefined, aggregates are refused. */
  aggregate?(node: NodeOf<'call'>): Expression
  /** Compiles a subquery. */
  subquery(query: Query): Plan
  /** Takes the operators that make columns for subqueries. */
  before: Operator[]
  /** The columns of subqueries that may be used again, by {@link keyOfNode}. */
  subqueries: Map<string, string>
  /** The offsets of the subqueries in `before`, by the names of their columns. */
  subqueryPlaces: Map<string, number>
  /** Returns a column name that nothing else has. */
  fresh(prefix: string): string
}

/** Compiles expressions of a part of a query, all over the same rows. A node gives the same expression each time. */
export class Expressions implements Compiler {
  readonly context: Context
  readonly #scope: Scope
  readonly #around: Surroundings
  readonly #known = new Map<Node, Expression>()
  /** The checks of values that may be no conditions: a single check for each value. */
  readonly #checkedConditions = new Map<Expression, Expression>()
  /** Visited nodes: the calls among their arguments are compiled, or on the stack. */
  readonly #opened = new Set<Node>()

  constructor(context: Context, scope: Scope, around: Surroundings) {
    this.context = context
    this.#scope = scope
    this.#around = around
  }

  /**
   * Returns the expression of a node. Throws an SqlFault. Compiles inner calls before outer calls, so that a deep text
   * is no deep recursion.
   */
  compile(node: Node): Expression {
    const found = this.#known.get(node)
    if (found !== undefined) return found
    const stack = [node]
    const opened = this.#opened
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      if (this.#known.has(top)) {
        stack.pop()
      } else if (opened.has(top)) {
        stack.pop()
        addAmount(this.context, 'expressions', 1, top.at)
        this.#known.set(top, this.#compile(top))
      } else {
        opened.add(top)
        stack.push(...this.#callsIn(top))
      }
    }
    return this.#known.get(node)!
  }

  /** The calls among the arguments of a node that are compiled over the same rows, in reverse order. */
  #callsIn(node: Node): Node[] {
    if (node.kind !== 'operator' && node.kind !== 'call') return []
    if (node.kind === 'call' && isAggregate(node.name)) return []
    const isPlain = (arg: Node) => arg.kind === 'operator' || (arg.kind === 'call' && isFunction(arg.name))
    const isQuantile = node.kind === 'operator' && isCallOf(node.args[0], 'approx_quantiles')
    return isQuantile ? [] : node.args.filter(isPlain).reverse()
  }

  /** The same for an argument of a function: functions of texts read fields as texts. */
  compileArgument(node: Node, fn: FunctionName): Expression {
    if (!TEXT_FUNCTIONS.has(fn)) return this.compile(node)
    if (node.kind === 'name' && this.#output(node) === undefined) return this.#resolved(node, 'field_text')
    const value = this.compile(node)
    // A field is left of an expression such as ifnull(null, x), of which functions of texts read the value.
    return value.kind === 'call' && value.fn === 'field' ? call('coalesce', value) : value
  }

  compileArguments(nodes: readonly Node[], fn: FunctionName): Expression[] {
    return nodes.map((node, i) =>
      isConditionAt(fn, i, nodes.length) ? this.compileCondition(node) : this.compileArgument(node, fn),
    )
  }

  /**
   * A condition. A value that may be neither true nor false is checked at its place in the text: a filter and
   * functions of conditions know no place of their arguments.
   */
  compileCondition(node: Node): Expression {
    const value = this.compile(node)
    const type = this.typeOf(value)
    if (type === 'boolean' || type === 'null') return value
    const checked = this.#checkedConditions.get(value) ?? call('and', value)
    this.#checkedConditions.set(value, checked)
    givePlace(checked, this.context.placeOf(node.at))
    return checked
  }

  /** The static type of an expression. */
  typeOf(expression: Expression): Type {
    return typeOf(expression, this.#scope.schema)
  }

  /** Returns a call, or the value of the call if known. Throws an SqlFault at `at` if the arguments do not fit. */
  call(fn: FunctionName, args: readonly Expression[], at: number): Expression {
    return this.#checked(at, () => {
      // Before folding: a wrong number of arguments is an error of literals too.
      const [least, most] = FUNCTIONS[fn].arity
      const message = wrongCount(fn, least, most, args.length)
      if (message !== undefined) throw invalid(message, at)
      countPatternOf(fn, args, this.context)
      const made = foldedCall(fn, args)
      if (made.kind !== 'call') return made
      givePlace(made, this.context.placeOf(at))
      this.typeOf(made)
      if (made.fn === fn && FUNCTIONS[fn].isStrict) bindOnce(made)
      return made
    })
  }

  #checked<T>(at: number, work: () => T): T {
    try {
      return work()
    } catch (error) {
      if (error instanceof LogweirError) throw new SqlFault(error.code as FaultCode, error.message, at)
      if (error instanceof TypeError) throw invalid(error.message, at)
      throw error
    }
  }

  #compile(node: Node): Expression {
    switch (node.kind) {
      case 'literal':
        return literal(node.value)
      case 'parameter':
        return literal(valueOfParameter(node, this.context))
      case 'name':
        return this.#name(node)
      case 'operator':
        return this.#operator(node)
      case 'call':
        return this.#call(node)
      case 'inQuery':
        return this.#inQuery(node)
      case 'interval':
        throw invalid('An interval stands behind + or -, or in timestamp_sub and timestamp_add.', node.at)
    }
  }

  #output({ steps }: NodeOf<'name'>): Expression | undefined {
    return this.#around.outputs?.get(steps[0].toLowerCase())
  }

  #name(node: NodeOf<'name'>): Expression {
    const output = this.#output(node)
    if (output === undefined) return this.#resolved(node, 'field')
    const keys = node.steps.slice(1)
    return keys.length === 0 ? output : this.call('field', [output, ...keys.map(literal)], node.at)
  }

  #resolved(name: NodeOf<'name'>, reading: 'field' | 'field_text'): Expression {
    const { steps, at } = name
    const isOutput = this.#around.hiddenOutputs?.has(steps[0].toLowerCase())
    return giveName(resolveName(name, this.#scope, reading), {
      name: nameText(steps),
      at,
      ...(isOutput && { isOutput }),
    })
  }

  #operator(node: NodeOf<'operator'>): Expression {
    const { fn, args, at } = node
    const interval = fn === 'add' || fn === 'sub' ? timeWithInterval(node, this) : undefined
    if (interval !== undefined) return interval
    if ((fn === 'offset' || fn === 'safe_offset') && isCallOf(args[0], 'approx_quantiles')) {
      const quantile = this.#around.aggregate && this.#quantile(args[0], args[1])
      if (quantile !== undefined) return quantile
    }
    const compiled = this.compileArguments(args, fn)
    return ORDERINGS.has(fn) && this.#isUnknown(node, compiled) ? literal(null) : this.call(fn, compiled, at)
  }

  /** Whether a text that is no time is compared with a time. Throws if the text is written in the query. */
  #isUnknown({ fn, args }: NodeOf<'operator'>, compiled: readonly Expression[]): boolean {
    const place = compiled.findIndex(isNoTime)
    if (place < 0 || !compiled.some((arg) => isTimeType(this.typeOf(arg)))) return false
    const { kind, at } = args[place]
    if (kind === 'literal' || kind === 'parameter') this.#checked(at, () => this.typeOf(call(fn, ...compiled)))
    return true
  }

  /** `approx_quantiles(x, 100)[offset(95)]` is a single quantile, if the percentage is a whole number. */
  #quantile(list: NodeOf<'call'>, place: Node): Expression | undefined {
    const [value, parts] = list.args
    if (parts === undefined || list.isDistinct || list.limit !== undefined) return undefined
    const [count, index] = [this.compile(parts), this.compile(place)]
    if (count.kind !== 'literal' || index.kind !== 'literal') return undefined
    const [n, k] = [Number(count.value), Number(index.value)]
    if (!Number.isInteger(k) || k < 0 || k > n || (100 * k) % n !== 0) return undefined
    const percent: Node = { kind: 'literal', value: (100 * k) / n, at: place.at, depth: 1, hasAggregate: false }
    return this.#around.aggregate!({ ...list, name: 'quantile', args: [value!, percent] })
  }

  #call(node: NodeOf<'call'>): Expression {
    if (!isAggregate(node.name)) return compileFunction(node, this)
    if (this.#around.aggregate !== undefined) return this.#around.aggregate(node)
    throw invalid(
      `${node.name} is an aggregate: it stands in SELECT, HAVING or ORDER BY, and in no other aggregate.`,
      node.at,
    )
  }

  #inQuery(node: NodeOf<'inQuery'>): Expression {
    const { subqueries, subqueryPlaces, subquery, fresh } = this.#around
    const { value, query, at } = node
    const key = keyOfNode(node)
    const known = subqueries.get(key)
    if (known !== undefined) return column(known)
    const plan = subquery(query)
    const name = fresh('in')
    subqueries.set(key, name)
    subqueryPlaces.set(name, at)
    this.#around.before.push({ op: 'isIn', value: this.compile(value), plan, name })
    this.#checked(at, () => (this.#scope.schema as Map<string, Type>).set(name, 'boolean'))
    return column(name)
  }
}

/** Whether an argument of a function is a condition. */
function isConditionAt(fn: FunctionName, place: number, count: number): boolean {
  if (fn === 'case') return place % 2 === 0 && place + 1 < count
  return fn === 'and' || fn === 'or' || fn === 'not' || (fn === 'if' && place === 0)
}

const keysOfNodes = new WeakMap<Node, string>()

/**
 * Returns a text that is equal for nodes that mean the same over the same rows. A nested subquery is represented by
 * its key, so that each of many nested subqueries is read once.
 */
function keyOfNode(node: NodeOf<'inQuery'>): string {
  const known = keysOfNodes.get(node)
  if (known !== undefined) return known
  const text = JSON.stringify(node, (name, value: unknown) => {
    if (name === 'at') return undefined
    if (typeof value === 'bigint') return `${value}n`
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    if (value.constructor !== Object) return [value.constructor.name, { ...value }]
    return isInQuery(value) && value !== node ? keyOfNode(value) : value
  })
  const key = hash('sha256', text, 'base64url')
  keysOfNodes.set(node, key)
  return key
}

const isInQuery = (value: object): value is NodeOf<'inQuery'> => 'kind' in value && value.kind === 'inQuery'

const isCallOf = (node: Node, name: string): node is NodeOf<'call'> => node.kind === 'call' && node.name === name

const ORDERINGS: ReadonlySet<FunctionName> = new Set(['eq', 'ne', 'lt', 'le', 'gt', 'ge'] as const)

const isNoTime = (arg: Expression): boolean =>
  arg.kind === 'literal' && typeof arg.value === 'string' && momentUs(arg.value) === undefined

/** Counts the pattern of a call, before the pattern is compiled. */
function countPatternOf(fn: FunctionName, [, pattern]: readonly Expression[], { countPattern }: Context): void {
  if (pattern?.kind !== 'literal' || typeof pattern.value !== 'string') return
  if (fn.startsWith('regexp_')) countPattern(pattern.value)
  else if (fn === 'like' || fn === 'ilike') countPattern(likePattern(pattern.value))
}

/** Binds a call, so that the error of a literal argument is an error of the text, not of a row. */
function bindOnce({ fn, args }: Expression & { kind: 'call' }): void {
  const constants = args.map((arg) => (arg.kind === 'literal' ? arg.value : undefined))
  FUNCTIONS[fn].bind(
    args.map(() => () => null),
    constants,
  )
}
