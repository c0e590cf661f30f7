import { LogweirError } from '../base/errors.js'
import { compilePattern, createPatternCount } from '../base/pattern/pattern.js'
import { FILTER_OPERATORS, type FilterOperator } from '../common/filter-operators.js'
import { fn } from '../plan/calls.js'
import { type Expression, joinConditions, literal } from '../plan/expression.js'
import { elementsOfJson, jsonAt } from '../plan/functions/json-path.js'
import { momentUs, numberOfText, type Scalar, Timestamp } from '../plan/values/values.js'
import { faultAt, type NamedField, readFieldName, shown } from './field-name.js'

/** The limits of a filter: the number of conditions, and the number of values of an `in` or `not_in`. */
export const MAX_CONDITIONS = 50
export const MAX_VALUES = 1_000

/** The keys of a condition. */
const KEYS: readonly string[] = ['field', 'op', 'value']

const EXAMPLE = '[{"field":"response.status_code","op":">=","value":500}]'

/** A value that a field is compared with. */
type Compared = string | number | bigint | boolean | null

/** A condition that is read: field, JSON of the value, and errors that name the place of the condition. */
interface Given {
  field: NamedField
  value: unknown
  /** The value of the condition, or the elements if the value is a list, with all digits of integers. */
  exact(): readonly unknown[]
  countPattern(pattern: string): void
  fault(text: string, remedy: string, code?: string): LogweirError
}

/** Makes the expression of an operator. Throws the fault of a value that the operator does not accept. */
type Operator = (given: Given) => Expression

const OPERATORS: Readonly<Record<FilterOperator, Operator>> = {
  '=': (given) => isAny(given.field, [oneValue(given)]),
  '!=': (given) => isNone(given.field, [oneValue(given)]),
  '<': ordered('lt'),
  '<=': ordered('le'),
  '>': ordered('gt'),
  '>=': ordered('ge'),
  in: (given) => isAny(given.field, listOfValues(given)),
  not_in: (given) => isNone(given.field, listOfValues(given)),
  exists: (given) => fn.not(isMissing(withoutValue(given).field)),
  missing: (given) => isMissing(withoutValue(given).field),
  contains: (given) => containsText(given.field.expression, textOf(given)),
  matches: (given) => fn.regexp_contains(given.field.expression, patternOf(given)),
}

const OPERATORS_BY_NAME: ReadonlyMap<unknown, Operator> = new Map<unknown, Operator>(Object.entries(OPERATORS))
const OPERATOR_NAMES = FILTER_OPERATORS.join(', ')

/** The form of a filter, for the listings of parameters. */
export const FILTER_DESCRIPTION =
  `a JSON list of conditions that all hold, such as ${EXAMPLE}; ` +
  'instead of a condition, a list of conditions of which at least one holds; ' +
  `at most ${MAX_CONDITIONS} conditions; op is one of ${OPERATOR_NAMES}`

/** The text of a filter, the name of the parameter, and the count of the patterns. */
interface FilterText {
  text: string
  name: string
  countPattern(pattern: string): void
}

/**
 * Returns the condition of a filter: a JSON list of conditions `{"field", "op", "value"}`, which all must hold. Returns
 * undefined if the list is empty. A list in place of a condition has alternatives, of which at least one must hold.
 * `!=` and `not_in` keep rows without the field, as users expect of an exclusion. The value of a missing field is null.
 * A text that spells a number equals that number. `name` is the name of the parameter.
 *
 * Throws `invalid_parameter`, or `invalid_pattern` for the value of `matches`. The message names the place, the fault
 * and the remedy.
 */
export function readFilter(text: string, name = 'filter'): Expression | undefined {
  const countPattern = createPatternCount()
  const conditions = listOfConditions(text, name).map((one, i) =>
    readAlternatives(one, i, { text, name, countPattern }),
  )
  return conditions.length === 0 ? undefined : joinConditions('and', conditions)
}

/** Returns the condition that a text contains another, ignoring case. */
export const containsText = (text: Expression | string, part: string): Expression => fn.contains_substr(text, part)

/** Returns the condition of the parameter `search`: the message contains a text, ignoring case. */
export const messageContains = (part: string): Expression => containsText('event_message', part)

function listOfConditions(text: string, name: string): readonly unknown[] {
  const remedy = `Write a list of conditions: ${EXAMPLE}.`
  let list: unknown
  try {
    list = JSON.parse(text)
  } catch (error) {
    throw faultAt(name, '', `it is no JSON (${(error as Error).message})`, remedy)
  }
  if (!Array.isArray(list)) throw faultAt(name, '', 'it is no list', remedy)
  const conditions = list.flat().length
  if (conditions > MAX_CONDITIONS) {
    throw faultAt(name, '', `it has ${conditions} conditions`, `Give at most ${MAX_CONDITIONS}.`)
  }
  return list
}

/** Reads a condition, or a list of conditions of which at least one must hold. */
function readAlternatives(given: unknown, index: number, filter: FilterText): Expression {
  const isList = Array.isArray(given) && given.length > 0
  if (!isList) return readCondition(given, [index], filter)
  return joinConditions(
    'or',
    given.map((one, i) => readCondition(one, [index, i], filter)),
  )
}

/** Reads the condition at a place in the list. */
function readCondition(condition: unknown, steps: readonly number[], filter: FilterText): Expression {
  const { text, name, countPattern } = filter
  const place = `${name}${steps.map((step) => `[${step}]`).join('')}`
  if (typeof condition !== 'object' || condition === null || Array.isArray(condition)) {
    throw faultAt(name, place, `${shown(condition)} is no condition`, `Write an object, as in ${EXAMPLE}.`)
  }
  const unknown = Object.keys(condition).find((key) => !KEYS.includes(key))
  if (unknown !== undefined) {
    throw faultAt(name, place, `it has the key ${shown(unknown)}`, `A condition has ${KEYS.join(', ')}.`)
  }
  const { field, op, value } = condition as { field?: unknown; op?: unknown; value?: unknown }
  const named = readFieldName(field, name, `${place}.field`)
  const operator = OPERATORS_BY_NAME.get(op)
  if (operator === undefined) {
    const fault = op === undefined ? 'it is missing' : `${shown(op)} is no operator`
    throw faultAt(name, `${place}.op`, fault, `Use one of ${OPERATOR_NAMES}.`)
  }
  return operator({
    field: named,
    value,
    countPattern,
    exact: () => exactValues(value, () => jsonAt(text, [...steps, 'value'])!),
    fault(fault, remedy, code) {
      const error = faultAt(name, `${place}.value`, fault, remedy)
      return code === undefined ? error : new LogweirError(code, error.message)
    },
  })
}

/** Returns the values of a condition. An integer that no double holds is read from the text of the filter. */
function exactValues(value: unknown, json: () => string): readonly unknown[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (values.every((one) => typeof one !== 'number' || Math.abs(one) <= Number.MAX_SAFE_INTEGER)) return values
  const texts = Array.isArray(value) ? elementsOfJson(json()) : [json()]
  return values.map((one, i) => (typeof one === 'number' ? (numberOfText(texts[i]) ?? one) : one))
}

const COMPARED = 'Give a text, a number, true or false'

function oneValue({ field, value, exact, fault }: Given): Compared | Timestamp {
  if (value === undefined) throw fault('it is missing', `${COMPARED}, or null for a missing field.`)
  return readValue(exact()[0], field, (text) => fault(text, `${COMPARED}, or null for a missing field.`))
}

function listOfValues({ field, value, exact, fault }: Given): (Compared | Timestamp)[] {
  const remedy = `Give a list of 1 to ${MAX_VALUES} texts, numbers, true, false or null.`
  if (value === undefined) throw fault('it is missing', remedy)
  if (!Array.isArray(value)) throw fault(`${shown(value)} is no list`, remedy)
  if (value.length === 0 || value.length > MAX_VALUES) throw fault(`the list has ${value.length} values`, remedy)
  return exact().map((one) => readValue(one, field, (text) => fault(text, remedy)))
}

/** Returns the value that a field is compared with. For the timestamp, texts and numbers are times. */
function readValue(value: unknown, { place }: NamedField, fault: (text: string) => LogweirError) {
  if (typeof value === 'object' && value !== null) throw fault(`${shown(value)} is a list or an object`)
  if (typeof value === 'number' && !Number.isFinite(value)) throw fault('it is beyond the range of doubles')
  const given = value as Compared
  if (place !== 'timestamp' || given === null) return given
  const us = momentUs(given)
  if (us === undefined) throw fault(`${shown(given)} is no time, as 2026-11-20T10:00:00Z or an epoch are`)
  return new Timestamp(us)
}

function ordered(operator: 'lt' | 'le' | 'gt' | 'ge'): Operator {
  return (given) => {
    const { field, value, fault } = given
    if (value === null) throw fault('it is null, which has no order', `${COMPARED}.`)
    return fn[operator](field.expression, literal(oneValue(given)))
  }
}

const isMissing = ({ expression }: NamedField) => fn.is_null(expression)

/** True if the field equals any of the values. Null is the value of a missing field. */
function isAny(field: NamedField, values: readonly Scalar[]): Expression {
  const [first, ...others] = values.filter((value) => value !== null)
  if (first === undefined) return isMissing(field)
  const { expression } = field
  const equals = others.length === 0 ? fn.eq(expression, literal(first)) : fn.in(expression, literal(first), ...others)
  return values.includes(null) ? fn.or(isMissing(field), equals) : equals
}

/** True if the field equals none of the values. True for a missing field, unless null is among the values. */
const isNone = (field: NamedField, values: readonly Scalar[]): Expression => fn.not(fn.is_true(isAny(field, values)))

function withoutValue(given: Given): Given {
  const { value, fault } = given
  if (value !== undefined && value !== null) throw fault(`${shown(value)} is not used`, 'Leave the value out.')
  return given
}

function textOf({ value, fault }: Given): string {
  if (typeof value === 'string') return value
  throw fault(value === undefined ? 'it is missing' : `${shown(value)} is no text`, 'Give a text.')
}

function patternOf(given: Given): string {
  const pattern = textOf(given)
  try {
    given.countPattern(pattern)
    compilePattern(pattern)
  } catch (error) {
    if (!(error instanceof LogweirError)) throw error
    const reason = error.message.replace(/^The pattern is/, 'the pattern is').replace(/\.$/, '')
    throw given.fault(reason, 'Give a pattern in the syntax of RE2.', error.code)
  }
  return pattern
}
