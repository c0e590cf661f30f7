import { shorten } from '../../base/text/shorten.js'
import { column, type Expression, literal } from '../../plan/expression.js'
import { jsonOf } from '../../plan/functions/text-of.js'
import {
  innerPlansOf,
  type NamedAggregate,
  type NamedExpression,
  type Operator,
  type Plan,
  type TimeRange,
} from '../../plan/plan.js'
import { datetimeText } from '../../plan/values/times.js'
import type { Scalar } from '../../plan/values/values.js'
import { unsupported } from '../parse/fault.js'

/** The most characters of a description. */
const MAX_CHARACTERS = 500
/** The most operators that are explained: each operator is run with all earlier operators. */
const MAX_OPERATORS = 100
/** The most columns of all operators that are run. */
const MAX_COLUMNS = 100_000

/**
 * Returns the plan of EXPLAIN: a row for each operator of a plan, in order, with step, name, description, and the
 * number of rows that the operator returns. Operators of unions and subqueries precede their own.
 */
export function explained(plan: Plan): Plan {
  const prefixes = prefixesOf(plan)
  if (prefixes.length > MAX_OPERATORS)
    throw unsupported(`EXPLAIN of more than ${MAX_OPERATORS} operators is not covered.`, 0)
  const columns = prefixes.flat().reduce((sum, operator) => sum + columnsOf(operator), 0)
  if (columns > MAX_COLUMNS) throw unsupported('EXPLAIN of so many operators with so many columns is not covered.', 0)
  const plans = prefixes.map((prefix, i): Plan => {
    const operator = prefix.at(-1)!
    return [
      ...prefix,
      { op: 'group', keys: [], aggregates: [{ name: 'rows', value: { fn: 'count', args: [] } }] },
      {
        op: 'select',
        columns: [
          { name: 'step', value: literal(i + 1) },
          { name: 'operator', value: literal(operator.op) },
          { name: 'detail', value: literal(shorten(describe(operator, prefix), MAX_CHARACTERS)) },
          { name: 'rows', value: column('rows') },
        ],
      },
    ]
  })
  return [
    { op: 'union', plans },
    { op: 'orderBy', keys: [{ by: column('step'), direction: 'asc', nulls: 'first' }] },
  ]
}

const columnsOf = (operator: Operator): number => ('columns' in operator ? operator.columns.length : 0)

/** The beginnings of a plan up to each operator. An `extend` is no step of its own. */
function prefixesOf(plan: Plan): Plan[] {
  return plan.flatMap((operator, i) => {
    if (operator.op === 'extend') return []
    return [...innerPlansOf(operator).flatMap(prefixesOf), plan.slice(0, i + 1)]
  })
}

function describe(operator: Operator, before: Plan): string {
  switch (operator.op) {
    case 'scan':
      return `${operator.sources.join(', ')}${rangeText(operator)}`
    case 'view':
      return `view ${operator.view.name}${rangeText(operator)}`
    case 'union':
      return `${operator.plans.length} queries`
    case 'unnest':
      return `${operator.isOuter ? 'left join ' : ''}${spell(operator.list)} as ${operator.name}`
    case 'isIn':
      return `${spell(operator.value)} in (${operator.plan.length} operators) as ${operator.name}`
    case 'filter':
      return spell(operator.where)
    case 'extend':
    case 'select':
      return columnsText(operator.columns)
    case 'group':
      return [`by ${columnsText(operator.keys) || 'nothing'}`, list(operator.aggregates, aggregateText)]
        .filter((text) => text !== '')
        .join(': ')
    case 'orderBy':
      return orderText(operator, before)
    case 'limit':
      return operator.offset === 0 ? `${operator.rows}` : `${operator.rows} from row ${operator.offset}`
  }
}

/** A column that was only added for the order is spelled as the expression of the column. */
function orderText({ keys }: Operator & { op: 'orderBy' }, before: Plan): string {
  const columns = before.flatMap((operator) => (operator.op === 'extend' ? operator.columns : []))
  const added = new Map(columns.map(({ name, value }) => [name, value]))
  const expressionOf = (by: Expression) => (by.kind === 'column' ? added.get(by.name) : undefined) ?? by
  return list(keys, ({ by, direction, nulls }) => `${spell(expressionOf(by))} ${direction} nulls ${nulls}`)
}

/** Spells the first items that fit in a description. */
function list<T>(items: readonly T[], spellItem: (item: T) => string): string {
  let text = ''
  for (const [i, item] of items.entries()) {
    if (text.length > MAX_CHARACTERS) break
    text += `${i === 0 ? '' : ', '}${spellItem(item)}`
  }
  return text
}

const aggregateText = ({ name, value: { fn, args } }: NamedAggregate) => `${fn}(${list(args, spell)}) as ${name}`

const columnsText = (columns: readonly NamedExpression[]) =>
  list(columns, ({ name, value }) =>
    value.kind === 'column' && value.name === name ? name : `${spell(value)} as ${name}`,
  )

function rangeText({ fromUs, throughUs }: TimeRange): string {
  // No row is earlier or later than 2^53 microseconds, and bounds beyond are rounded.
  const [earliestUs, latestUs] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]
  if (fromUs > throughUs || fromUs > latestUs || throughUs < earliestUs) return ' at no time'
  const from = fromUs >= earliestUs ? ` from ${datetimeText(fromUs)}` : ''
  return throughUs <= latestUs ? `${from} through ${datetimeText(throughUs)}` : from
}

/** An expression as a text, cut if long. */
function spell(expression: Expression): string {
  if (expression.kind === 'column') return expression.name
  if (expression.kind === 'literal') return literalText(expression.value)
  const { fn, args } = expression
  if (fn === 'field' || fn === 'field_text')
    return args.map((arg) => (arg.kind === 'literal' ? String(arg.value) : spell(arg))).join('.')
  if (fn === 'repeated') return spell(args[0])
  return shorten(`${fn}(${list(args, spell)})`, MAX_CHARACTERS)
}

const literalText = (value: Scalar) => shorten(jsonOf(value), MAX_CHARACTERS)
