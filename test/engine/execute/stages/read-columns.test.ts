import { expect, it } from 'vitest'
import type { SourceName } from '../../../../src/common/sources.js'
import { ENDPOINTS } from '../../../../src/endpoints/index.js'
import { cutPlan } from '../../../../src/engine/execute/run/cut-plan.js'
import { columnsReadBy } from '../../../../src/engine/execute/stages/read-columns.js'
import type { Stage } from '../../../../src/engine/execute/stages/stage.js'
import { count, scan } from '../../../../src/plan/builder.js'
import { call, column, type Expression, literal } from '../../../../src/plan/expression.js'
import type { Operator, Plan } from '../../../../src/plan/plan.js'

const all = (source: SourceName = 'edge_logs'): Plan => scan(source, { fromUs: 0, throughUs: 9 }).limit(1).slice(0, 1)
const url = column('url')
const isError = call('ge', column('status_code'), literal(400))

/** The columns that the first stage of a plan, the scan, reads. */
function readBy(plan: Plan, source: SourceName = 'edge_logs'): string[] {
  let stage: Stage = cutPlan(plan)!
  while (stage.input.op === 'stage') stage = stage.input.stage
  return [...columnsReadBy(stage, source)].sort()
}

const group = (keys: readonly Expression[], ...aggregates: readonly Expression[]): Operator => ({
  op: 'group',
  keys: keys.map((value, i) => ({ name: `k${i}`, value })),
  aggregates: [
    { name: 'n', value: count() },
    ...aggregates.map((arg, i) => ({ name: `a${i}`, value: { fn: 'max' as const, args: [arg] } })),
  ],
})

it.each<[string, readonly Operator[], string[]]>([
  ['nothing', [], ['path', 'status_code', 'url']],
  ['a select', [{ op: 'select', columns: [{ name: 'x', value: url }] }], ['url']],
  ['a select of what all sources have', [{ op: 'select', columns: [{ name: 'x', value: column('id') }] }], []],
  ['a filter', [{ op: 'filter', where: isError }, group([])], ['status_code']],
  [
    'two filters',
    [{ op: 'filter', where: call('and', isError, call('eq', url, url)) }, group([])],
    ['status_code', 'url'],
  ],
  ['keys', [group([call('url_path', url), column('project')])], ['url']],
  ['aggregates', [group([column('timestamp')], column('status_code'))], ['status_code']],
  ['a count', [group([])], []],
  [
    'an order by what is not selected',
    [
      { op: 'select', columns: [{ name: 'x', value: column('id') }] },
      { op: 'orderBy', keys: [{ by: column('status_code'), direction: 'asc', nulls: 'last' }] },
    ],
    ['status_code'],
  ],
  ['a list', [{ op: 'unnest', list: url, name: 'e', isOuter: true }, group([column('e')])], ['url']],
  [
    'a stage behind it',
    [group([url]), { op: 'filter', where: call('eq', column('k0'), literal('status_code')) }],
    ['url'],
  ],
  [
    'a column of its own with the name of a stored one',
    [{ op: 'extend', columns: [{ name: 'status_code', value: url }] }, group([column('status_code')])],
    ['url'],
  ],
])('before %s a scan names the columns that are read', (_, operators, names) => {
  expect(readBy([...all(), ...operators])).toEqual(names)
})

const NO_COLUMNS: Stage['sink'] = { op: 'group', keys: [], aggregates: [] }

it('a source has no columns but its own', () => {
  const select: Operator = {
    op: 'select',
    columns: ['id', 'project', 'timestamp'].map((name) => ({
      name,
      value: column(name),
    })),
  }
  expect(readBy([...all('auth_logs'), select], 'auth_logs')).toEqual([])
  expect(readBy([...all('function_edge_logs'), group([column('function_id')])], 'function_edge_logs')).toEqual([
    'function_id',
  ])
})

it('an expression that is used often is looked at once', () => {
  let doubled: Expression = url
  for (let i = 0; i < 60; i++) doubled = call('add', doubled, doubled)
  const stage: Stage = { ...cutPlan(all())!, steps: [{ op: 'filter', where: doubled }], sink: NO_COLUMNS }
  expect([...columnsReadBy(stage, 'edge_logs')]).toEqual(['url'])
})

it.each([
  ['usage.api-counts', 'project=p', ['path', 'url']],
  ['logs.all', 'project=p', []],
  ['functions.invocation-stats', 'project=p&function_id=f', ['execution_time_ms', 'function_id', 'status_code']],
])('%s with %s names the columns of its source', (name, params, names) => {
  const endpoint = ENDPOINTS.find((one) => one.name === name)!
  const plan = endpoint.call(new URLSearchParams(params)).plan(1e15)
  const source = (plan[0] as Operator & { op: 'scan' }).sources[0]!
  expect(readBy(plan, source)).toEqual(names)
})
