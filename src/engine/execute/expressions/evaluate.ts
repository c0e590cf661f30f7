import { LogweirError } from '../../../base/errors.js'
import { AREAS } from '../../../common/columns.js'
import { type Expression, pathOfField } from '../../../plan/expression.js'
import type { Cell } from '../../../plan/functions/function.js'
import { FUNCTIONS, type FunctionName } from '../../../plan/functions/table.js'
import { placedError } from '../../../plan/place.js'
import { bucketStartUs, type TimeUnit, truncateUs, unitUs } from '../../../plan/values/times.js'
import { Datetime, type Scalar, Timestamp } from '../../../plan/values/values.js'
import { rowAt } from '../columns/selection.js'
import type { Frame } from './frame.js'
import { fieldUseOf } from './loaded-fields.js'
import { countValue, isPause, pauseIfDue } from './row-work.js'
import { urlPath } from './url-path.js'
import {
  type Bucket,
  type Coded,
  type Constant,
  codedOf,
  computed,
  constant,
  type Entries,
  isCold,
  type Vector,
} from './vector.js'

/** Returns the vector of an expression over the rows of a frame. Values are evaluated on read. */
export type Evaluate = (expression: Expression) => Vector

/**
 * Evaluates expressions over a frame. An expression object that occurs several times is evaluated once for each row.
 * `known` are expressions that were evaluated before.
 */
export function createEvaluate(frame: Frame, known?: ReadonlyMap<Expression, Vector>): Evaluate {
  const vectors = new Map<Expression, Vector>(known)
  const evaluate: Evaluate = (expression) => {
    const before = vectors.get(expression)
    if (before !== undefined) return before
    const vector = vectorOf(expression, frame, evaluate)
    vectors.set(expression, vector)
    return vector
  }
  return evaluate
}

function vectorOf(expression: Expression, frame: Frame, evaluate: Evaluate): Vector {
  if (expression.kind === 'literal') return constant(expression.value)
  if (expression.kind === 'column') {
    const vector = frame.column(expression.name)
    if (vector === undefined) throw new TypeError(`The rows have no column ${expression.name}.`)
    return vector
  }
  const use = fieldUseOf(expression, frame.elements)
  const field = use && frame.field(use)
  if (field !== undefined) return field
  return (
    areaTest(expression, evaluate) ?? fasterWay(expression, frame, evaluate) ?? callVector(expression, frame, evaluate)
  )
}

/** A function of its arguments, in the way that suits every function. */
function callVector(expression: Expression & { kind: 'call' }, frame: Frame, evaluate: Evaluate): Vector {
  const args = expression.args.map(evaluate)
  const constants = args.map(constantOf)
  const { fn } = expression
  const bind = (cells: readonly Cell[]) => FUNCTIONS[fn].bind(cells, constants)
  const varying = args.filter(({ kind }) => kind !== 'constant')
  if (varying.length === 0) return constantCall(expression, () => bind(args.map(({ at }) => at)))
  const shared = codedOf(varying[0])
  if (shared !== undefined && varying.every((arg) => codedOf(arg)?.codes === shared.codes)) {
    return entryVector({ expression, args, bind }, shared, frame)
  }
  // An expression that two others share is evaluated once for each row.
  const at = rememberedCall(bind(args.map(({ at }) => at)), expression)
  return { kind: 'computed', at, call: { fn, args }, longest: undefined, isCold: args.some(isCold) }
}

/** Calls without columns. Their values are the same in all rows of any frame, and are computed once. */
const constantCalls = new WeakMap<Expression, Cell>()

function constantCall(expression: Expression & { kind: 'call' }, bind: () => Cell): Constant {
  const at = constantCalls.get(expression) ?? once(bind(), expression)
  const isLiteral = (arg: Expression) => arg.kind === 'literal' || constantCalls.has(arg)
  if (expression.args.every(isLiteral)) constantCalls.set(expression, at)
  return { kind: 'constant', at }
}

/**
 * Like {@link remembered}, with the expression's place in errors, and pauses in a row that takes long. A single
 * function, since each row calls the function.
 */
function rememberedCall(cell: Cell, expression: Expression): Cell {
  let last = -1
  let value: Scalar = null
  return (position) => {
    if (position === last) return value
    try {
      pauseIfDue()
      const made = cell(position)
      countValue(made)
      value = made
    } catch (error) {
      throw placedError(error, expression)
    }
    last = position
    return value
  }
}

/**
 * An expression with a way over whole stretches of rows: `x >= 400` over a stored column of numbers, and
 * `timestamp_trunc(timestamp, 'hour')` or `timestamp_bucket(timestamp, 5000000)` over timestamps. Single
 * values of the expression are rarely read.
 */
function fasterWay(expression: Expression & { kind: 'call' }, frame: Frame, evaluate: Evaluate): Vector | undefined {
  const { fn, args } = expression
  const [first, second] = args
  if (fn === 'known_time') return knownTimes(evaluate(first))
  if (second?.kind !== 'literal' || !(isLeaf(first) || isKnownTime(first))) return undefined
  const bucket = bucketOf(fn, second.value)
  if (fn !== 'ge' && bucket === undefined) return undefined
  const operand = evaluate(first)
  const at = whenRead(() => callVector(expression, frame, evaluate).at)
  if (bucket !== undefined) return operand.kind === 'times' ? { kind: 'spans', at, bucket } : undefined
  if (operand.kind !== 'numbers' || typeof second.value !== 'number') return undefined
  return { kind: 'bits', at, test: { kind: 'atLeast', column: operand.column, least: second.value } }
}

/** The timestamps themselves if every row has one. */
const knownTimes = (operand: Vector) => (operand.kind === 'times' && !operand.times.hasUnknown ? operand : undefined)

const isKnownTime = (expression: Expression) => expression.kind === 'call' && expression.fn === 'known_time'

/** Whether an expression is a column or a field of the record. */
export const isLeaf = (expression: Expression): boolean =>
  expression.kind === 'column' || pathOfField(expression) !== undefined

/** The buckets of a function that cuts times down. Undefined for other functions, and for months and longer units. */
function bucketOf(fn: FunctionName, option: Scalar): Bucket | undefined {
  const makeTime = CUT_TIMES[fn as keyof typeof CUT_TIMES]
  if (makeTime === undefined) return undefined
  if (fn === 'timestamp_bucket') {
    const lengthUs = Number.isSafeInteger(option) ? (option as number) : 0
    if (lengthUs <= 0) return undefined
    return { startOf: (us) => bucketStartUs(us, lengthUs), endOf: (us) => us + lengthUs, valueOf: makeTime }
  }
  const unit = option as TimeUnit
  const lengthUs = unitUs(unit)
  if (lengthUs === undefined) return undefined
  // The start of a row's own time is a number as the time is.
  return { startOf: (us) => Number(truncateUs(us, unit)), endOf: (us) => us + lengthUs, valueOf: makeTime }
}

/** A cell that is made on the first read. */
function whenRead(make: () => Cell): Cell {
  let cell: Cell | undefined
  return (position) => {
    cell ??= make()
    return cell(position)
  }
}

/**
 * The value of a constant. Undefined if the evaluation fails: only a row that evaluates the constant raises the error.
 */
function constantOf({ kind, at }: Vector): Scalar | undefined {
  if (kind !== 'constant') return undefined
  try {
    return at(0)
  } catch (error) {
    if (error instanceof LogweirError) return undefined
    throw error
  }
}

const CUT_TIMES = {
  timestamp_trunc: (us: number) => new Timestamp(us),
  timestamp_bucket: (us: number) => new Timestamp(us),
  datetime_trunc: (us: number) => new Datetime(us),
} as const

/** A call: the expression, the vectors of the arguments, and the function. */
interface BoundCall {
  expression: Expression & { kind: 'call' }
  args: readonly Vector[]
  bind: (cells: readonly Cell[]) => Cell
}

/** Evaluates a function over the codes of the single column that the arguments depend on. */
function entryVector({ expression, args, bind }: BoundCall, shared: Coded, frame: Frame): Entries {
  const { codes, codeCount } = shared
  // The cells take codes in place of positions.
  const byCode = bind(args.map((arg) => codedOf(arg)?.valueOf ?? arg.at))
  const values: (Scalar | Failure)[] = []
  const valueOfCode = (code: number): Scalar => {
    const known = values[code]
    if (known instanceof Failure) throw known.error
    if (known !== undefined) return known
    try {
      pauseIfDue()
      const value = byCode(code)
      countValue(value)
      return (values[code] = value)
    } catch (error) {
      if (isPause(error)) throw error
      const failure = new Failure(placedError(error, expression))
      values[code] = failure
      throw failure.error
    }
  }
  const { selection } = frame.stored!
  const urlOf = expression.fn === 'url_path' ? shared.bytesOf : undefined
  const bytesOf = urlOf && ((code: number) => pathOf(urlOf(code)))
  return {
    kind: 'entries',
    at: (position) => valueOfCode(codes[rowAt(selection, position)]),
    codes,
    codeCount,
    valueOf: valueOfCode,
    bytesOf,
    addKey: bytesOf && keyAdder(bytesOf),
    stored: undefined,
    call: { fn: expression.fn, args },
    longest: undefined,
  }
}

const pathOf = (url: Buffer | undefined) => url && urlPath(url)

/** Adds the bytes of a text, or null, to the keys of a group. */
const keyAdder =
  (bytesOf: (code: number) => Buffer | undefined): NonNullable<Coded['addKey']> =>
  (code, keys) => {
    const text = bytesOf(code)
    if (text === undefined) keys.add(null)
    else keys.addText(text)
  }

/** The error of an entry, which only a row that has the entry raises. */
class Failure {
  readonly error: unknown
  constructor(error: unknown) {
    this.error = error
  }
}

/** Evaluates a constant on the first read, and keeps the value or the error. */
function once(cell: Cell, expression: Expression): Cell {
  let result: { value: Scalar } | Failure | undefined
  return (position) => {
    result ??= attempt(cell, position, expression)
    if (result instanceof Failure) throw result.error
    return result.value
  }
}

function attempt(cell: Cell, position: number, expression: Expression): { value: Scalar } | Failure {
  try {
    return { value: cell(position) }
  } catch (error) {
    return new Failure(placedError(error, expression))
  }
}

/** `contains(path, '/rest')` over the column of areas, which knows that and nothing else. */
function areaTest({ fn, args }: Expression & { kind: 'call' }, evaluate: Evaluate): Vector | undefined {
  const [first, second] = args
  if (first?.kind !== 'column') return undefined
  const areas = evaluate(first)
  if (areas.kind !== 'areas') return undefined
  const bit = second?.kind === 'literal' ? AREAS.indexOf(second.value as (typeof AREAS)[number]) : -1
  if (fn !== 'contains' || bit < 0) {
    throw new TypeError(`The column ${first.name} can be asked only whether it contains one of ${AREAS.join(', ')}.`)
  }
  const { areasAt, column } = areas
  const at = (position: number) => (areasAt(position) & (1 << bit)) !== 0
  return column === undefined
    ? computed(at, () => 0)
    : { kind: 'bits', at, test: { kind: 'area', column, bit: 1 << bit } }
}
