import { LogweirError } from '../../../base/errors.js'
import type { Yielder } from '../../../base/scheduling/time-slices.js'
import { MIB } from '../../../base/units.js'
import type { Expression } from '../../../plan/expression.js'
import { placedError } from '../../../plan/place.js'
import type { Scalar } from '../../../plan/values/values.js'
import { rowAt } from '../columns/selection.js'
import { clearEmpty, createEntryTest, ENTRY_TESTS, type EntryTest } from '../matching/entry-test.js'
import { createEvaluate, type Evaluate, isLeaf } from './evaluate.js'
import type { Frame } from './frame.js'
import { fieldsIn } from './loaded-fields.js'
import { setTruths, TRUE, truthsOfHits } from './truths.js'
import type { Entries, StoredTexts } from './vector.js'

/** Testing an entry on its own takes about as long as testing this many entries at once. */
const ENTRIES_AT_ONCE = 8
/** Conditions that are tested at once. A query with more of them evaluates the others entry by entry. */
const MOST_TESTS = 64
/** The most memory of the tested conditions of a frame: a byte for each entry of each condition. */
const MOST_TESTED_BYTES = 8 * MIB

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
  let bytes = 0
  for (const condition of tests.slice(0, MOST_TESTS)) {
    const entries = evaluate(condition.args[0])
    if (entries.kind !== 'entries' || entries.stored === undefined) continue
    if (frame.rows * ENTRIES_AT_ONCE < entries.codeCount) continue
    bytes += entries.codeCount
    if (bytes > MOST_TESTED_BYTES) break
    // Preparing a test may compile a pattern.
    await yieldIfDue()
    const test = entryTestOf(condition)
    if (test === undefined) continue
    tested.set(condition, await testEntries({ condition, test }, entries, entries.stored, frame, yieldIfDue))
  }
  return createEvaluate(frame, tested)
}

/** A condition that compares a column or a field with literals. */
type Condition = Expression & { kind: 'call' }

const NO_TESTS: readonly Condition[] = []
const testsByExpression = new WeakMap<Expression, readonly Condition[]>()

/** Returns the conditions in expressions that compare entries with literals, each condition once. */
function testsIn(expressions: readonly Expression[]): readonly Condition[] {
  const all = expressions.map(testsOf).filter((tests) => tests.length > 0)
  return all.length <= 1 ? (all[0] ?? NO_TESTS) : [...new Set(all.flat())]
}

function testsOf(expression: Expression): readonly Condition[] {
  if (expression.kind !== 'call') return NO_TESTS
  const known = testsByExpression.get(expression)
  if (known !== undefined) return known
  const tests = isTest(expression) ? [expression] : testsIn(expression.args)
  testsByExpression.set(expression, tests)
  return tests
}

function isTest({ fn, args: [operand, ...values] }: Condition): boolean {
  if (!ENTRY_TESTS.has(fn) || operand === undefined) return false
  return isLeaf(operand) && values.every(({ kind }) => kind === 'literal')
}

const entryTests = new WeakMap<Condition, { test: EntryTest | undefined }>()

/** Returns the test of a condition. Undefined if there is none. */
function entryTestOf(condition: Condition): EntryTest | undefined {
  const known = entryTests.get(condition) ?? { test: createTest(condition) }
  entryTests.set(condition, known)
  return known.test
}

function createTest({ fn, args: [, ...others] }: Condition): EntryTest | undefined {
  try {
    return createEntryTest(
      fn,
      others.map((other) => (other as Expression & { kind: 'literal' }).value),
    )
  } catch (error) {
    // A row that evaluates the condition raises the error.
    if (error instanceof LogweirError) return undefined
    throw error
  }
}

/** Returns the values of a condition over the entries of a column. */
async function testEntries(
  { condition, test }: { condition: Condition; test: EntryTest },
  entries: Entries,
  { column, hasEmptyTexts }: StoredTexts,
  frame: Frame,
  yieldIfDue: Yielder,
): Promise<Entries> {
  const { dictionary, codes } = column
  const { hits, failures } = await test(dictionary, yieldIfDue)
  if (!hasEmptyTexts) clearEmpty(hits, dictionary)
  const truths = truthsOfHits(hits, failures.keys())
  const valueOfCode = (code: number): Scalar => {
    const error = failures.get(code)
    if (error !== undefined) throw placedError(error, condition)
    return truths[code] === TRUE || (entries.bytesOf!(code) === undefined ? null : false)
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
  setTruths(tested, truths)
  return tested
}
