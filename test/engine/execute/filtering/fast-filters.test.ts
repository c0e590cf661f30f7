import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { timeAt } from '../../../../src/engine/execute/columns/batch.js'
import { range, type Selection } from '../../../../src/engine/execute/columns/selection.js'
import { fastFilters } from '../../../../src/engine/execute/filtering/fast-filters.js'
import { kindsOf } from '../../../../src/engine/execute/stages/source-kinds.js'
import { atLeast, equals, matches } from '../../../../src/plan/builder.js'
import { call, column, type Expression, field, literal } from '../../../../src/plan/expression.js'
import type { Scalar } from '../../../../src/plan/values/values.js'
import { edge, invocation, type TestRecord } from '../../../support/records.js'
import { runs } from '../../../support/runs.js'
import { idsOf, noYield, openBatch, rowsOf, sealedBatch } from '../../store/support.js'

const or = (...conditions: Expression[]) => call('or', ...conditions)
const and = (...conditions: Expression[]) => call('and', ...conditions)
const isNull = (name: string) => call('is_null', column(name))
const isPresent = (name: string) => call('not', isNull(name))
const isIn = (name: string, ...values: Scalar[]) => call('in', column(name), ...values.map(literal))
const isNot = (condition: Expression) => call('not', call('is_true', condition))

interface Run {
  project: string | null
  function_id?: string | undefined
  execution_time_ms?: number | undefined
  timestampUs: number
}

/** A condition, and whether a run meets the condition. An empty function id is none. */
interface Condition {
  where: Expression
  isTrue(run: Run): boolean
}

const FEW_TIMES = [undefined, 0, 1, 2, 65_535]
/** Times with which the column holds doubles. */
const MANY_TIMES = [undefined, 0.5, 65_535, -1, 1e300]

const givenRuns = fc.constantFrom(FEW_TIMES, MANY_TIMES).chain((times) =>
  fc.array(
    fc.record<Run>({
      project: fc.constantFrom('a', 'a', 'b', '', null),
      function_id: fc.constantFrom('f', 'f', 'g', '', undefined),
      execution_time_ms: fc.constantFrom(...times),
      timestampUs: fc.nat(5),
    }),
    { minLength: 1, maxLength: 40 },
  ),
)

const LEAVES: readonly Condition[] = [
  ...['a', 'b', 'x'].map((name) => ({
    where: equals('project', name),
    isTrue: ({ project }: Run) => project === name,
  })),
  { where: isNull('project'), isTrue: ({ project }) => project === null },
  { where: isPresent('project'), isTrue: ({ project }) => project !== null },
  { where: isNull('function_id'), isTrue: (run) => !run.function_id },
  { where: isPresent('function_id'), isTrue: (run) => Boolean(run.function_id) },
  { where: isNull('execution_time_ms'), isTrue: (run) => run.execution_time_ms === undefined },
  { where: isPresent('execution_time_ms'), isTrue: (run) => run.execution_time_ms !== undefined },
  { where: equals('function_id', 'f'), isTrue: (run) => run.function_id === 'f' },
  { where: matches('function_id', '^[gh]'), isTrue: (run) => run.function_id === 'g' },
  { where: atLeast('execution_time_ms', 1), isTrue: (run) => (run.execution_time_ms ?? 0) >= 1 },
  { where: equals('execution_time_ms', '65535'), isTrue: (run) => run.execution_time_ms === 65_535 },
  { where: equals('execution_time_ms', 'x'), isTrue: () => false },
  { where: call('contains_substr', column('function_id'), literal('G')), isTrue: (run) => run.function_id === 'g' },
  { where: call('contains_substr', column('function_id'), literal('')), isTrue: (run) => Boolean(run.function_id) },
  { where: isIn('execution_time_ms', 2, '1', 'x', true), isTrue: (run) => [1, 2].includes(run.execution_time_ms ?? 0) },
  { where: isIn('function_id', 'g', 'f', 'x', ''), isTrue: (run) => Boolean(run.function_id) },
  { where: isNot(isIn('project', 'a', 'x')), isTrue: ({ project }) => project !== 'a' },
  { where: isNot(equals('function_id', 'f')), isTrue: (run) => run.function_id !== 'f' },
  { where: isNot(atLeast('execution_time_ms', 1)), isTrue: (run) => !((run.execution_time_ms ?? 0) >= 1) },
]

const leaf = fc.constantFrom(...LEAVES)
const joined = (one: fc.Arbitrary<Condition>, isAny: boolean) =>
  fc.array(one, { minLength: 2, maxLength: 3 }).map((parts): Condition => {
    const wheres = parts.map(({ where }) => where)
    return isAny
      ? { where: or(...wheres), isTrue: (run) => parts.some((part) => part.isTrue(run)) }
      : { where: and(...wheres), isTrue: (run) => parts.every((part) => part.isTrue(run)) }
  })
const anyOfLeaves = joined(leaf, true)
const condition = fc.oneof(leaf, anyOfLeaves, joined(fc.oneof(leaf, joined(fc.oneof(leaf, anyOfLeaves), false)), true))

/** Both forms of a batch: in order of arrival, and sealed. */
const forms = async (records: readonly TestRecord[]) => [openBatch(records), await sealedBatch(records)]

describe('a scan that takes over conditions', () => {
  it('passes the rows of which all are true, by any of several and by absence too', async () => {
    await fc.assert(
      fc.asyncProperty(givenRuns, fc.array(condition, { minLength: 1, maxLength: 3 }), async (given, conditions) => {
        const records = given.map(({ project, timestampUs, ...metadata }, i) =>
          invocation({ id: `${i}`, project, timestampUs, metadata }),
        )
        const expected = given.flatMap((run, i) => (conditions.every((one) => one.isTrue(run)) ? [i] : []))
        const { filters } = fastFilters(
          conditions.map(({ where }) => where),
          kindsOf('function_edge_logs'),
        )
        expect(filters.length).toBe(conditions.length)
        for (const batch of await forms(records)) {
          let selection: Selection = range(0, batch.rows, false)
          for (const { narrow } of filters) selection = await narrow(batch, selection, noYield)
          expect(
            idsOf(batch, selection)
              .map(Number)
              .sort((x, y) => x - y),
          ).toEqual(expected)
          const times = rowsOf(selection).map((row) => timeAt(batch.times, row))
          if (selection.timeOrdered) expect(times).toEqual(times.toSorted((x, y) => x - y))
        }
      }),
      { numRuns: runs(500) },
    )
  })

  it('takes over any of several only if it can each', () => {
    const taken = (where: Expression) => fastFilters([where], kindsOf('edge_logs')).conditions.length
    expect(taken(or(matches('url', 'a'), and(equals('project', 'a'), isNull('url'))))).toBe(1)
    expect(taken(or(equals('url', 'a'), atLeast('status_code', 500), isPresent('status_code')))).toBe(1)
    const slow = [
      call('not', equals('url', 'a')),
      call('not', call('not', isNull('url'))),
      isNull('path'),
      isNull('id'),
      call('is_null', call('lower', column('url'))),
      literal(true),
      isIn('url', 1, 'a'),
      call('contains_substr', column('url'), literal('a\n')),
      isIn('status_code', 500, 2n ** 60n),
      call('in', column('url'), column('url')),
      call('is_true', equals('url', 'a')),
      isNot(call('lower', column('url'))),
      call('is_null', field(['request', 'other'])),
    ]
    for (const one of slow) {
      expect([taken(one), taken(or(isNull('url'), one)), taken(or(isNull('url'), and(isNull('url'), one)))]).toEqual([
        0, 0, 0,
      ])
    }
  })

  it('leaves it to each row where a column does not hold a field of one of them', async () => {
    const status = call('ge', field(['response', 'status_code']), literal(500))
    const absent = call('is_null', field(['response', 'status_code']))
    for (const where of [or(isNull('url'), status), absent, call('not', absent), isNot(status)]) expectField(where)
  })

  function expectField(where: Expression): void {
    const [filter] = fastFilters([where], kindsOf('edge_logs')).filters
    expect(filter!.isField).toBe(true)
    const held = (status_code: unknown) =>
      filter!.isHeld(openBatch([edge({ metadata: { response: { status_code } } })]))
    expect([held(500), held('500')]).toEqual([true, false])
  }
})
