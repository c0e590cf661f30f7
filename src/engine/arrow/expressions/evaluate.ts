import { LogweirError } from '../../../base/errors.js'
import { type Expression, literal } from '../../../plan/expression.js'
import type { Cell } from '../../../plan/functions/function.js'
import { FUNCTIONS } from '../../../plan/functions/table.js'
import { type TimeUnit, unitUs } from '../../../plan/values/times.js'
import { Datetime, type Scalar, Timestamp } from '../../../plan/values/values.js'
import { AREAS } from '../../columns.js'
import { rowAt } from '../columns/selection.js'
import type { Frame } from './frame.js'
import { urlPath } from './url-path.js'
import { constant, type Entries, type Vector } from './vector.js'

/** Returns the vector of an expression over the rows of a frame; nothing is evaluated before a value is read. */
export type Evaluate = (expression: Expression) => Vector

/**
 * Evaluates expressions over one frame; an expression object that occurs several times is evaluated once for each row.
 */
export function createEvaluate(frame: Frame): Evaluate {
  const vectors = new Map<Expression, Vector>()
  const evaluate: Evaluate = (expression) => {
    const known = vectors.get(expression)
    if (known !== undefined) return known
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
  const area = areaTest(expression, evaluate)
  if (area !== undefined) return area
  const args = expression.args.map(evaluate)
  const constants = args.map(constantOf)
  const bind = (cells: readonly Cell[]) => FUNCTIONS[expression.fn].bind(cells, constants)
  if (args.every(({ isConstant }) => isConstant))
    return { at: once(bind(args.map(({ at }) => at))), isConstant: true, isCold: false }
  const varying = args.filter(({ isConstant }) => !isConstant)
  const [first] = varying
  const shared = first?.entries?.column
  if (shared !== undefined && varying.every(({ entries }) => entries?.column === shared)) {
    const textOf = expression.fn === 'url_path' ? first!.entries!.bytesOf : undefined
    return entryVector(args, bind, shared, frame, textOf && ((code) => pathOf(textOf(code))))
  }
  const vector = { at: remembered(bind(args.map(({ at }) => at))), isCold: args.some(({ isCold }) => isCold) }
  if (expression.fn === 'ge') return { ...vector, ...countedAtLeast(args, constants[1]) }
  const makeTime = TRUNCATIONS[expression.fn as keyof typeof TRUNCATIONS]
  return makeTime === undefined ? vector : { ...vector, ...bucketOf(args, constants[1], makeTime) }
}

/** The value of a constant; undefined if it fails, which only a row that reaches it raises. */
function constantOf({ isConstant, at }: Vector): Scalar | undefined {
  if (!isConstant) return undefined
  try {
    return at(0)
  } catch (error) {
    if (error instanceof LogweirError) return undefined
    throw error
  }
}

const TRUNCATIONS = {
  timestamp_trunc: (us: number) => new Timestamp(us),
  datetime_trunc: (us: number) => new Datetime(us),
} as const

/** `timestamp_trunc(timestamp, 'hour')` over the stored timestamp. */
function bucketOf(
  [time]: readonly Vector[],
  unit: Scalar | undefined,
  timeOf: (us: number) => Scalar,
): Pick<Vector, 'bucket'> {
  const lengthUs = unitUs(unit as TimeUnit)
  if (time?.stored?.kind !== 'times' || lengthUs === undefined) return {}
  return { bucket: { unit: unit as TimeUnit, lengthUs, valueOf: timeOf } }
}

/** `x >= 400` over a stored column of numbers. */
function countedAtLeast([value]: readonly Vector[], least: Scalar | undefined): Pick<Vector, 'counted'> {
  if (value?.stored?.kind !== 'number' || typeof least !== 'number') return {}
  return { counted: { test: 'atLeast', column: value.stored, least } }
}

const pathOf = (url: Buffer | undefined) => url && urlPath(url)

/** Evaluates a function over the entries of the one dictionary column that its arguments depend on. */
function entryVector(
  args: readonly Vector[],
  bind: (cells: readonly Cell[]) => Cell,
  column: Entries['column'],
  frame: Frame,
  bytesOf?: Entries['bytesOf'],
): Vector {
  // The cells take codes in place of positions.
  const byCode = bind(args.map(({ at, entries }) => entries?.valueOf ?? at))
  const values = new Map<number, Scalar | Failure>()
  const valueOfCode = (code: number): Scalar => {
    const known = values.get(code)
    if (known instanceof Failure) throw known.error
    if (known !== undefined) return known
    try {
      const value = byCode(code)
      values.set(code, value)
      return value
    } catch (error) {
      values.set(code, new Failure(error))
      throw error
    }
  }
  const { selection } = frame.stored!
  const { codes } = column
  return {
    at: (position) => valueOfCode(codes[rowAt(selection, position)]!),
    entries: { column, valueOf: valueOfCode, ...(bytesOf && { bytesOf }) },
    isCold: false,
  }
}

/** The error of an entry, which only a row that has the entry raises. */
class Failure {
  readonly error: unknown
  constructor(error: unknown) {
    this.error = error
  }
}

/** Evaluates a constant when it is read first; its error is kept too. */
function once(cell: Cell): Cell {
  let result: { value: Scalar } | Failure | undefined
  return (position) => {
    result ??= attempt(cell, position)
    if (result instanceof Failure) throw result.error
    return result.value
  }
}

function attempt(cell: Cell, position: number): { value: Scalar } | Failure {
  try {
    return { value: cell(position) }
  } catch (error) {
    return new Failure(error)
  }
}

/** Remembers the last value: an expression that two others share is not evaluated twice for one row. */
function remembered(cell: Cell): Cell {
  let last = -1
  let value: Scalar = null
  return (position) => {
    if (position === last) return value
    value = cell(position)
    last = position
    return value
  }
}

/** `contains(path, '/rest')` over the column of areas, which knows that and nothing else. */
function areaTest({ fn, args }: Expression & { kind: 'call' }, evaluate: Evaluate): Vector | undefined {
  const [first, second = literal(null)] = args.map((arg) => arg)
  if (first?.kind !== 'column') return undefined
  const { stored, areasAt } = evaluate(first)
  if (areasAt === undefined) return undefined
  const bit = second.kind === 'literal' ? AREAS.indexOf(second.value as (typeof AREAS)[number]) : -1
  if (fn !== 'contains' || bit < 0) {
    throw new TypeError(`The column ${first.name} can be asked only whether it contains one of ${AREAS.join(', ')}.`)
  }
  return {
    at: (position) => (areasAt(position) & (1 << bit)) !== 0,
    ...(stored?.kind === 'areas' && { counted: { test: 'area' as const, column: stored, bit: 1 << bit } }),
    isCold: false,
  }
}
