import { LogweirError } from '../../../base/errors.js'
import type { Yielder } from '../../../base/scheduling/time-slices.js'
import { type Expression, pathOfField } from '../../../plan/expression.js'
import { placedError } from '../../../plan/place.js'
import type { Scalar } from '../../../plan/values/values.js'
import { rowAt } from '../columns/selection.js'
import { clearEmpty, createEntryTest, type EntryTest } from '../matching/entry-test.js'
import { createEvaluate, type Evaluate } from './evaluate.js'
import type { Frame } from './frame.js'
import { fieldsIn } from './loaded-fields.js'
import { setTruths } from './truths.js'
import type { Entries, StoredTexts } from './vector.js'

/** Testing an entry on its own takes about as long as testing this many entries at once. */
const ENTRIES_AT_ONCE = 8

/**
 * Makes expressions ready to be evaluated over a frame, whatever operator reads the expressions. Reads the fields of
 * the record. Tests all entries of a dictionary at once where a condition compares the entries with literals. Yields.
 * Rejects if stored bytes are damaged.
 */
export async function prepare(
  frame: Frame,
  expressions: readonly Expression[],
  yieldIfDue: Yielder,
): Promise<Evaluate> {
  await frame.loadFields?.(fieldsIn(expressions, frame.elements), yieldIfDue)
  const tests = frame.stored === undefined ? NO_TESTS : testsIn(expressions)
  if (tests.length === 0) return createEvaluate(frame)
  const evaluate = createEvaluate(frame)
  const tested = new Map<Expression, Entries>()
  for (const one of tests) {
    const entries = evaluate(one.operand)
    if (entries.kind !== 'entries' || entries.stored === undefined) continue
    if (frame.rows * ENTRIES_AT_ONCE < entries.codeCount) continue
    tested.set(one.condition, await testEntries(one, entries, entries.stored, frame, yieldIfDue))
  }
  return createEvaluate(frame, tested)
}

/** A condition that compares a column or a field with literals. */
interface Test {
  condition: Expression & { kind: 'call' }
  operand: Expression
  test: EntryTest
}

const NO_TESTS: readonly Test[] = []
const testsByExpression = new WeakMap<Expression, readonly Test[]>()

/** Returns the tests of entries in expressions. A shared test is returned once. */
function testsIn(expressions: readonly Expression[]): readonly Test[] {
  const all = expressions.map(testsOf).filter((tests) => tests.length > 0)
  return all.length <= 1 ? (all[0] ?? NO_TESTS) : [...new Set(all.flat())]
}

function testsOf(expression: Expression): readonly Test[] {
  if (expression.kind !== 'call') return NO_TESTS
  const known = testsByExpression.get(expression)
  if (known !== undefined) return known
  const own = testOf(expression)
  const tests = own === undefined ? testsIn(expression.args) : [own]
  testsByExpression.set(expression, tests)
  return tests
}

function testOf(condition: Expression & { kind: 'call' }): Test | undefined {
  const [operand, ...others] = condition.args
  if (operand === undefined || (operand.kind !== 'column' && pathOfField(operand) === undefined)) return undefined
  const values = others.flatMap((other): Scalar[] => (other.kind === 'literal' ? [other.value] : []))
  try {
    const test = values.length < others.length ? undefined : createEntryTest(condition.fn, values)
    return test && { condition, operand, test }
  } catch (error) {
    // A row that evaluates the condition raises the error.
    if (error instanceof LogweirError) return undefined
    throw error
  }
}

/** Returns the values of a condition over the entries of a column. */
async function testEntries(
  { condition, test }: Test,
  entries: Entries,
  { column, hasEmptyTexts }: StoredTexts,
  frame: Frame,
  yieldIfDue: Yielder,
): Promise<Entries> {
  const { dictionary, codes } = column
  const { hits, failures } = await test(dictionary, yieldIfDue)
  if (!hasEmptyTexts) clearEmpty(hits, dictionary)
  const valueOfCode = (code: number): Scalar => {
    const error = failures.get(code)
    if (error !== undefined) throw placedError(error, condition)
    return hits[code] === 1 || (entries.bytesOf!(code) === undefined ? null : false)
  }
  const { selection } = frame.stored!
  const tested: Entries = {
    ...entries,
    at: (position) => valueOfCode(codes[rowAt(selection, position)]),
    valueOf: valueOfCode,
    bytesOf: undefined,
    addKey: undefined,
    stored: undefined,
    longest: () => 0,
  }
  setTruths(tested, hits, failures.keys())
  return tested
}
