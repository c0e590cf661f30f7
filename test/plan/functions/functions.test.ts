import { describe, expect, it } from 'vitest'
import { LogweirError } from '../../../src/base/errors.js'
import type { Cell } from '../../../src/plan/functions/function.js'
import { FUNCTIONS, type FunctionName } from '../../../src/plan/functions/table.js'
import type { Scalar } from '../../../src/plan/values/values.js'
import { type Case, Fails } from './cases/case.js'
import { CAST_CASES } from './cases/cast.js'
import { COMPARE_CASES } from './cases/compare.js'
import { JSON_CASES, LIST_CASES } from './cases/json.js'
import { LOGIC_CASES } from './cases/logic.js'
import { NUMBER_CASES } from './cases/number.js'
import { TEXT_CASES } from './cases/text.js'
import { TIME_CASES } from './cases/time.js'

const ALL = [
  ...LOGIC_CASES,
  ...COMPARE_CASES,
  ...NUMBER_CASES,
  ...TEXT_CASES,
  ...CAST_CASES,
  ...TIME_CASES,
  ...JSON_CASES,
  ...LIST_CASES,
]

/** Which argument of a function must be a literal. */
const LITERALS: Partial<Record<FunctionName, number | 'all but the first'>> = {
  field: 'all but the first',
  field_text: 'all but the first',
  regexp_contains: 1,
  regexp_extract: 1,
  regexp_replace: 1,
  in_list: 1,
  json_value: 1,
  json_query: 1,
  timestamp_trunc: 1,
  datetime_trunc: 1,
  date_trunc: 1,
  timestamp_bucket: 1,
  extract: 1,
  time_add: 2,
  timestamp_diff: 2,
  date_diff: 2,
  format_timestamp: 0,
  parse_timestamp: 0,
}

/** The value or the error of a call. With `asRow` the arguments that need not be literals are none. */
function valueOrError([fn, args]: Case, asRow: boolean): Scalar | LogweirError {
  const isLiteral = (i: number) => LITERALS[fn] === i || (LITERALS[fn] === 'all but the first' && i > 0)
  const constants = args.map((value, i) => (asRow && !isLiteral(i) ? undefined : value))
  try {
    const cells = args.map(
      (value): Cell =>
        () =>
          value,
    )
    return FUNCTIONS[fn].bind(cells, constants)(0)
  } catch (error) {
    if (error instanceof LogweirError) return error
    throw error
  }
}

const shown = (value: unknown) => {
  const text = JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? `${inner}n` : inner))
  return text.length > 200 ? `${text.slice(0, 100)}… (${text.length})` : text
}

/** A call with the result or the error, for the message of a failing test. */
const outcome = ([fn, args]: Case, result: unknown) =>
  `${fn}(${args.slice(0, 5).map(shown).join(', ')}) = ${result instanceof LogweirError ? result.code : ''}${
    result instanceof LogweirError ? '' : shown(result)
  }`

function expectCase(one: Case, asRow: boolean): void {
  const [, , expected] = one
  const actual = valueOrError(one, asRow)
  if (expected instanceof Fails) {
    expect(outcome(one, actual)).toBe(outcome(one, new LogweirError(expected.code, '')))
  } else {
    expect(actual, outcome(one, actual)).toStrictEqual(expected)
  }
}

describe.each(Object.keys(FUNCTIONS) as FunctionName[])('%s', (fn) => {
  const cases = ALL.filter(([name]) => name === fn)

  it('has cases, and they hold for literals and for values of rows', () => {
    expect(cases.length).toBeGreaterThan(0)
    for (const one of cases) for (const asRow of [false, true]) expectCase(one, asRow)
  })

  it('takes as many arguments as its cases have', () => {
    const [least, most] = FUNCTIONS[fn].arity
    for (const [, { length }] of cases) expect(length >= least && length <= most, `${length}`).toBe(true)
  })
})

/** A text that no message of ours has. */
const SECRET = 'se🔒cret'

describe('an error', () => {
  it('quotes no value of a row', () => {
    let errors = 0
    for (const [fn, args] of ALL) {
      for (const place of args.keys()) {
        if (LITERALS[fn] === place) continue
        const secret = args.map((value, i) => (i === place ? SECRET : value))
        const result = valueOrError([fn, secret, null], true)
        if (!(result instanceof LogweirError)) continue
        errors++
        expect(result.message, fn).not.toContain('🔒')
      }
    }
    expect(errors).toBeGreaterThan(50)
  })

  it('is raised by an argument only if it is evaluated', () => {
    const bomb: Cell = () => {
      throw new LogweirError('invalid_sql', 'evaluated')
    }
    const value = (fn: FunctionName, ...args: (Scalar | typeof bomb)[]) => {
      const cells = args.map((arg): Cell => (typeof arg === 'function' ? (arg as Cell) : () => arg as Scalar))
      return FUNCTIONS[fn].bind(
        cells,
        args.map(() => undefined),
      )(0)
    }
    expect(value('and', false, bomb)).toBe(false)
    expect(() => value('and', null, bomb)).toThrow('evaluated')
    expect(value('or', true, bomb)).toBe(true)
    expect(value('if', true, 1, bomb)).toBe(1)
    expect(value('if', null, bomb, 2)).toBe(2)
    expect(value('case', true, 1, bomb, bomb)).toBe(1)
    expect(value('case', false, bomb, 3)).toBe(3)
    expect(value('coalesce', 1, bomb)).toBe(1)
    expect(value('in', 1, 1, bomb)).toBe(true)
    expect(value('in', null, bomb)).toBe(null)
    for (const fn of ['add', 'eq', 'concat', 'greatest', 'replace'] as const) {
      expect(value(fn, null, bomb, bomb)).toBe(null)
    }
  })
})
