import { describe, expect, it } from 'vitest'
import { callArguments } from '../../../src/plan/call-arguments.js'
import type { Expression } from '../../../src/plan/expression.js'
import type { Cell } from '../../../src/plan/functions/function.js'
import { FUNCTIONS } from '../../../src/plan/functions/table.js'
import type { Plan } from '../../../src/plan/plan.js'
import { RawJson, type Scalar, Timestamp } from '../../../src/plan/values/values.js'
import { FUNCTION_NAMES } from '../../oracle/plan/functions.js'
import { runPlan } from '../../oracle/plan/run.js'
import { mulberry32 } from '../../support/random.js'
import { RANDOM_FUNCTIONS, randomExpression, randomRecords, showPlan } from '../../support/random-plans.js'
import type { TestRecord } from '../../support/records.js'
import { runs } from '../../support/runs.js'
import { testSeed } from '../../support/seed.js'

const RUNS = runs(20_000)

/** The value of an expression over a record by the functions of the product, or the code of the error. */
function valueBy(expression: Expression, record: TestRecord): unknown {
  const columns: Readonly<Record<string, Scalar>> = {
    id: record.id,
    timestamp: new Timestamp(record.timestampUs),
    event_message: record.event_message,
    project: record.project,
    metadata: new RawJson(record.metadata),
  }
  const cellOf = (of: Expression): Cell => {
    if (of.kind === 'literal') return () => of.value
    if (of.kind === 'column') return () => columns[of.name]!
    const constants = of.args.map((arg) => (arg.kind === 'literal' ? arg.value : undefined))
    return FUNCTIONS[of.fn].bind(callArguments(of).map(cellOf), constants)
  }
  try {
    return withoutNegativeZero(cellOf(expression)(0))
  } catch (error) {
    return { error: (error as { code?: string }).code ?? error }
  }
}

const withoutNegativeZero = (value: Scalar) => (value === 0 ? 0 : value)

function valueByOracle(plan: Plan, record: TestRecord): unknown {
  const { rows } = runPlan(plan, [record])
  const { value, error } = rows[0]![0]!
  return error === undefined ? withoutNegativeZero(value) : { error }
}

describe('random expressions', () => {
  it('have the value, or the error, that the oracle says', () => {
    const seed = testSeed()
    const random = mulberry32(seed)
    for (let run = 0; run < RUNS; run++) {
      const [record] = randomRecords(random, 1) as [TestRecord]
      const value = randomExpression(random, 1 + (run % 4))
      const plan: Plan = [
        { op: 'scan', sources: [record.source], fromUs: -1e15, throughUs: 1e16 },
        { op: 'select', columns: [{ name: 'value', value }] },
      ]
      const shown = `seed ${seed}, run ${run}\n${showPlan(plan)}\n${JSON.stringify(record)}`
      expect(valueBy(value, record), shown).toEqual(valueByOracle(plan, record))
    }
  })

  it('call every function, as the oracle does', () => {
    expect([...FUNCTION_NAMES].sort()).toEqual(Object.keys(FUNCTIONS).sort())
    expect(Object.keys(FUNCTIONS).filter((name) => !RANDOM_FUNCTIONS.has(name))).toEqual([])
  })
})
