import type { SourceName } from '../../src/common/sources.js'
import type { Aggregate } from '../../src/plan/aggregates.js'
import { call, column, type Expression, field, literal } from '../../src/plan/expression.js'
import type { Operator, Plan } from '../../src/plan/plan.js'
import { type Scalar, Timestamp } from '../../src/plan/values/values.js'
import { type Outcome, runPlan } from '../oracle/plan/run.js'
import { DECLARED_FIELDS, oddRecords, TWIN } from '../support/odd-fields.js'

/** Records with odd values in every field that has a column, and plans that read the fields. */

/** In order of arrival. */
export const RECORDS = oddRecords()

const LITERALS: readonly Scalar[] = [
  'GET',
  '500',
  500,
  '5e2',
  1.5,
  true,
  '',
  9007199254740993n,
  9007199254740992,
  2n ** 63n - 1n,
  0,
  'é😀',
  new Timestamp(Date.UTC(2026, 10, 20, 10) * 1000),
]

/** The rows of a source at all times. */
export const scan = (source: SourceName): Operator => ({
  op: 'scan',
  sources: [source],
  fromUs: -1e15,
  throughUs: 1e16,
})
/** The operator of a condition. */
export const filter = (where: Expression): Operator => ({ op: 'filter', where })
const byId: Operator = { op: 'orderBy', keys: [{ by: column('id'), direction: 'asc', nulls: 'last' }] }
const ids: Operator = { op: 'select', columns: [{ name: 'id', value: column('id') }] }
const aggregate = (fn: Aggregate['fn'], ...args: Expression[]) => ({ name: fn, value: { fn, args } })

/** Plans that read a field in every way that section 1 of the contract has a rule for. */
function plansOf(source: SourceName, value: Expression): Plan[] {
  const tests = LITERALS.flatMap((other) =>
    (['eq', 'ne', 'lt', 'ge'] as const).map((fn) => call(fn, value, literal(other))),
  )
  const conditions = [
    ...tests,
    call('in', value, literal('POST'), literal(200), literal(true)),
    call('is_null', value),
    call('like', value, literal('5%0')),
    call('regexp_contains', value, literal('^[15]\\.?[0e]')),
    call('eq', call('lower', value), literal('get')),
    call('eq', call('cast_string', value), literal('500.0')),
  ]
  const columns = [
    { name: 'id', value: column('id') },
    { name: 'value', value },
    { name: 'text', value: call('concat', literal('<'), value, literal('>')) },
  ]
  const key = { name: 'key', value }
  const own = literal('a')
  const ordered: Operator[] = [
    { op: 'orderBy', keys: [{ by: value, direction: 'asc', nulls: 'first' }] },
    { op: 'limit', rows: 20, offset: 3 },
    { op: 'select', columns: columns.slice(1, 2) },
  ]
  return [
    [scan(source), { op: 'select', columns }, byId],
    ...conditions.map((where): Plan => [scan(source), filter(where), byId, ids]),
    [scan(source), filter(call('eq', column('project'), own)), filter(conditions[0]!), byId, ids],
    [scan(source), { op: 'group', keys: [key], aggregates: [aggregate('count')] }],
    [scan(source), { op: 'group', keys: [key, { name: 'project', value: column('project') }], aggregates: [] }],
    [
      scan(source),
      {
        op: 'group',
        keys: [],
        aggregates: [
          aggregate('min', value),
          aggregate('max', value),
          aggregate('sum', value),
          aggregate('avg', value),
          aggregate('count', value),
          aggregate('count_distinct', value),
        ],
      },
    ],
    [scan(source), ...ordered],
  ]
}

/** All plans. `expected` runs the oracle on the first call. `isTwin`: the field has no column. */
export const CASES = DECLARED_FIELDS.flatMap(([source, path]) => {
  const keys = path.split('.')
  const records = RECORDS.filter((record) => record.source === source)
  return [keys, [TWIN, ...keys]].flatMap((each) =>
    plansOf(source, field(each)).map((plan) => {
      let expected: Outcome | undefined
      return { plan, isTwin: each !== keys, source, expected: () => (expected ??= runPlan(plan, records)) }
    }),
  )
})
