import type { SourceName } from '../../src/common/sources.js'
import type { Aggregate } from '../../src/plan/aggregates.js'
import { call, column, type Expression, field, literal } from '../../src/plan/expression.js'
import type { FunctionName } from '../../src/plan/functions/table.js'
import type { NamedExpression, Operator, Plan, SortKey } from '../../src/plan/plan.js'
import type { Scalar } from '../../src/plan/values/values.js'
import { FREQUENT_URL, LAST_US, MESSAGES, STEP_US } from '../support/many-records.js'
import { below, oneOf, type Random } from '../support/random.js'
import { type Columns, randomExpression } from '../support/random-plans.js'

/** The fast ways of the embedded engine, each with plans that take the way and equal plans that cannot take it. */
export interface FastWay {
  title: string
  /** Plans for each engine. The default is 4. */
  plans?: number
  /** Returns a plan that takes the way. */
  plan(random: Random): Plan
  /** Returns a plan with the same rows that cannot take the way. */
  slowly(plan: Plan): Plan
}

const EDGE = ['edge_logs'] as const
const FUNCTIONS = ['function_edge_logs'] as const
const BOTH = [...EDGE, ...FUNCTIONS] as const
const FIXED_UNITS = ['millisecond', 'second', 'minute', 'hour', 'day', 'week', 'isoweek'] as const

/** The columns of a source that are stored in a form of their own, with the types of the generator. */
const COLUMNS: Readonly<Record<'edge_logs' | 'function_edge_logs', Columns>> = {
  edge_logs: new Map([
    ['timestamp', 'time'],
    ['project', 'text'],
    ['url', 'text'],
    ['path', 'area'],
    ['status_code', 'num'],
  ]),
  function_edge_logs: new Map([
    ['timestamp', 'time'],
    ['project', 'text'],
    ['function_id', 'text'],
    ['execution_time_ms', 'num'],
    ['status_code', 'num'],
  ]),
}

const f = call
const t = literal
const scan = (sources: readonly SourceName[], fromUs = -1e15, throughUs = 1e16): Operator => {
  return { op: 'scan', sources, fromUs, throughUs }
}
const filter = (where: Expression): Operator => ({ op: 'filter', where })
const named = (...values: readonly Expression[]): NamedExpression[] =>
  values.map((value, i) => ({ name: `c${i}`, value }))
const sortKey = (by: Expression, direction: SortKey['direction'] = 'asc'): SortKey => {
  return { by, direction, nulls: 'last' }
}
const orderBy = (...keys: SortKey[]): Operator => ({ op: 'orderBy', keys })
const limit = (rows: number, offset = 0): Operator => ({ op: 'limit', rows, offset })
const ALL_ROWS = limit(1e9)

function selectOf(names: readonly string[]): Operator {
  return { op: 'select', columns: names.map((name) => ({ name, value: column(name) })) }
}

/** Groups, ordered by the keys, so that an answer has one order. */
function group(keys: readonly Expression[], aggregates: readonly Aggregate[]): Operator[] {
  const operator: Operator = {
    op: 'group',
    keys: named(...keys),
    aggregates: aggregates.map((value, i) => ({ name: `a${i}`, value })),
  }
  return keys.length === 0 ? [operator] : [operator, orderBy(...keys.map((_, i) => sortKey(column(`c${i}`))))]
}

const ID: Expression = column('id')
const COUNT: Aggregate = { fn: 'count', args: [] }
/** Columns that every source has, and no path, of which only the areas are known. */
const SELECT = selectOf(['id', 'timestamp', 'project', 'metadata', 'status_code'])
const newest = (rows: number): Operator[] => [SELECT, orderBy(sortKey(column('timestamp'), 'desc')), limit(rows)]

/** Every stored column as an expression that reads the timestamp too: no index, dictionary or zone decides it. */
function perRow([first, ...others]: Plan): Plan {
  const { sources } = first as Operator & { op: 'scan' }
  const [names, ...more] = sources.map((source) => [...COLUMNS[source as 'edge_logs'].keys()])
  const shared = names!.filter((name) => name !== 'path' && more.every((other) => other.includes(name)))
  const columns = shared.map((name) => ({ name, value: apart(column(name)) }))
  return [first!, { op: 'extend', columns }, ...others]
}

/** The same value, but the engine only knows how to evaluate the value in a row. */
const apart = (value: Expression): Expression => f('if', f('is_null', column('timestamp')), t(null), value)

/** The rows of the scan as rows of a union. Behind the union, the place of the rows is not known. */
const overUnion = ([first, ...others]: Plan): Plan => [{ op: 'union', plans: [[first!]] }, ...others]

/** The aggregates' arguments as expressions that no loop over a stored column counts. */
const countedApart = (plan: Plan): Plan =>
  perRow(plan).map((operator) => {
    if (operator.op !== 'group') return operator
    const aggregates = operator.aggregates.map(({ name, value: { fn, args } }) => {
      return { name, value: { fn, args: args.map((arg, i) => (i === 0 ? apart(arg) : arg)) } }
    })
    return { ...operator, aggregates }
  })

/** A range of time that cuts segments, often at the time of a record. */
function cutRange(random: Random): [fromUs: number, throughUs: number] {
  const fromUs = LAST_US - STEP_US * below(random, 3_000) + oneOf(random, [0, 0, 0, 1, -1])
  return oneOf(random, [
    [fromUs, fromUs + STEP_US * below(random, 2_000)],
    [fromUs, 1e16],
    [-1e15, fromUs],
    [-1e15, fromUs],
    [fromUs + 1, fromUs],
  ])
}
const maybeCut = (random: Random): [fromUs?: number, throughUs?: number] => (random() < 0.5 ? [] : cutRange(random))

const projectIs = (random: Random) =>
  filter(f('eq', column('project'), t(oneOf(random, ['a', 'a', 'b', 'é😀', '', 'none']))))
const maybeProject = (random: Random): Operator[] => (random() < 0.5 ? [projectIs(random)] : [])

const PATTERNS = [
  'rest',
  '/rest/v1/table/1',
  '/auth/v1/token/2',
  'storage/v1/object',
  '/realtime/v1/4',
  'supabase',
  'https://b.supabase.co/auth',
  'none of them has this',
  '-\nhttp',
  '\n',
  '/v1/(table|token)/1\\d?\\?',
  '^https://b',
  'x$',
  '^$',
  '-$',
  '[a-z0-9]-$',
  '[^/]*é',
  '\\n',
  '\\s',
  '\\.co/(rest|auth)/v1/[a-z]+/1',
  '(?i)REALTIME',
  '(?s)^.*table.*$',
  'q+-',
  '',
]

const matches = (random: Random) => filter(f('regexp_contains', column('url'), t(oneOf(random, PATTERNS))))

/** A condition on the message that can be decided without evaluation. */
function messageIs(random: Random): Operator {
  const is = (fn: FunctionName, values: readonly string[]) => f(fn, column('event_message'), t(oneOf(random, values)))
  return filter(
    oneOf(random, [
      is('contains', ['', 'e', ' ', 'é', '\n', 'GET', 'none of them has this']),
      is('eq', ['', ...MESSAGES]),
      is('starts_with', ['', 'G', ...MESSAGES]),
      is('ends_with', ['', 'e', '0', ...MESSAGES]),
      is('like', ['%', '%e%', '_%e', '%\\n%', '', '%G_T%', '%0']),
      is('ilike', ['%E%', 'get%', '%É%']),
      is('regexp_contains', [...PATTERNS, 'e.*e', '[0-9]+', '^[A-Z]+ ', 'e$', '(?i)get']),
      is('contains_substr', ['', 'E', 'get', 'É', 'K', 'none of them has this']),
    ]),
  )
}

/** A scan, and a text to look for in the rows. */
function equalText(random: Random): Operator[] {
  const equals = (name: string, values: readonly string[]) => filter(f('eq', column(name), t(oneOf(random, values))))
  return oneOf(random, [
    [scan(FUNCTIONS, ...maybeCut(random)), ...maybeProject(random), equals('function_id', ['f', '', 'f2', 'f20', 'x'])],
    [scan(EDGE, ...maybeCut(random)), ...maybeProject(random), equals('url', [FREQUENT_URL, ''])],
    [scan(BOTH, ...maybeCut(random)), equals('status_code', ['200']), equals('project', ['a', '', 'none'])],
  ])
}

/** Conditions on columns that all sources of {@link BOTH} have, which a scan takes over by themselves. */
function columnCondition(random: Random): Expression {
  const absent = f('is_null', column(oneOf(random, ['project', 'status_code'])))
  return oneOf(random, [
    absent,
    f('not', absent),
    f('eq', column('project'), t(oneOf(random, ['a', 'b', 'none']))),
    f('ge', column('status_code'), t(oneOf(random, [0, 300, 500]))),
  ])
}

/** A condition, any of several conditions, or a condition or all of several others. */
function anyCondition(random: Random): Expression {
  const some = () => Array.from({ length: 2 + below(random, 2) }, () => columnCondition(random))
  const all = f('and', ...some())
  return oneOf(random, [columnCondition(random), f('or', ...some()), f('or', columnCondition(random), all)])
}

const STATUS_FIELD = field('response.status_code')
const PATH_FIELD = field('request.path')
const STATUS_CLASS = f('floor', f('div', f('safe_cast_float64', STATUS_FIELD), t(100)))

/** A condition on a field that has a column. Some values are in the metadata alone. */
function fieldIs(random: Random): Operator {
  const comparison = oneOf(random, ['eq', 'ge', 'gt', 'le', 'lt'] as const)
  const paths = ['', '/', '/rest/v1/table', 'none', '/auth/v1']
  const absent = f('is_null', oneOf(random, [STATUS_FIELD, PATH_FIELD]))
  const condition = oneOf(random, [
    f(comparison, STATUS_FIELD, t(oneOf(random, STATUSES))),
    f('eq', PATH_FIELD, t(oneOf(random, paths))),
    f('regexp_contains', PATH_FIELD, t(oneOf(random, ['', 'rest', '^/.+', '^$']))),
    f('contains_substr', PATH_FIELD, t(oneOf(random, ['', 'REST', '/', 'é', '\n', 'none']))),
    f('in', STATUS_FIELD, ...someOf(random, STATUSES)),
    f('in', PATH_FIELD, ...someOf(random, [...paths, 1])),
    absent,
    f('not', absent),
  ])
  return filter(oneOf(random, [condition, condition, f('not', f('is_true', condition))]))
}

/** Values next to a status: numbers, texts that may spell a number, and others. */
const STATUSES: readonly Scalar[] = [0, 300, 300.5, 500, 8191, 65_535, 1e5, -1, '300', '5e2', 'x', '', true, 2n ** 60n]

const someOf = (random: Random, values: readonly Scalar[]) =>
  Array.from({ length: 1 + below(random, 9) }, () => t(oneOf(random, values)))

/** The metadata as an expression, so that the fields have no columns. */
const withoutFields = ([first, ...others]: Plan): Plan => [
  first!,
  { op: 'extend', columns: [{ name: 'metadata', value: apart(column('metadata')) }] },
  ...others,
]

/** A condition over stored columns that raises no error. */
function plainCondition(random: Random): Expression {
  return oneOf(random, [
    f('ge', column('status_code'), t(oneOf(random, [0, 300, 8192, 1e5]))),
    f('contains', column('path'), t(oneOf(random, ['/rest', '/auth', '/storage', '/realtime']))),
    f('like', column('url'), t(oneOf(random, ['%table%', 'http%', '%-']))),
    f('lt', column('timestamp'), f('time_add', column('timestamp'), t(1), t('day'))),
    f('not', f('eq', column('project'), t('b'))),
    f('is_null', column('status_code')),
    f('eq', f('mod', f('coalesce', column('status_code'), t(1)), t(2)), t(0)),
  ])
}

/** Aggregates of a column of numbers. */
function numberAggregates(random: Random, value: Expression): Aggregate[] {
  const all: Aggregate[] = [
    COUNT,
    { fn: 'count', args: [value] },
    { fn: 'sum', args: [value] },
    { fn: 'avg', args: [value] },
    { fn: 'min', args: [value] },
    { fn: 'max', args: [value] },
    { fn: 'quantile', args: [value, t(oneOf(random, [0, 50, 95, 99, 100]))] },
    { fn: 'approx_quantiles', args: [value, t(4)] },
    { fn: 'count_distinct', args: [value] },
  ]
  return all.filter(() => random() < 0.6)
}

const smallKeys = (random: Random): Expression[] =>
  [column('project'), f('timestamp_trunc', column('timestamp'), t('hour'))].filter(() => random() < 0.4)

const numberColumn = (random: Random, sources: readonly SourceName[]) =>
  column(sources === FUNCTIONS ? oneOf(random, ['execution_time_ms', 'status_code']) : 'status_code')

/** An expression that several others read. */
function sharedExpression(random: Random): Plan {
  const url = f('concat', f('coalesce', column('url'), t('')), f('cast_string', column('timestamp')))
  const value = random() < 0.5 ? url : randomExpression(random, 2, { columns: COLUMNS.edge_logs, type: 'text' })
  const twice = f('concat', column('x'), f('coalesce', column('x'), t('')))
  return [
    scan(EDGE),
    { op: 'extend', columns: [{ name: 'x', value }] },
    filter(f('ge', f('length', f('coalesce', column('x'), t(''))), t(below(random, 5)))),
    { op: 'select', columns: [...named(column('x'), twice), { name: 'id', value: ID }] },
    orderBy(sortKey(column('c1')), sortKey(ID)),
    limit(30),
  ]
}

/** The plan with the expression of `x` written out, a separate copy at each place. */
function unshared([first, extend, ...others]: Plan): Plan {
  const { value } = (extend as Operator & { op: 'extend' }).columns[0]!
  const copy = (of: Expression): Expression => {
    if (of.kind === 'call') return { ...of, args: of.args.map(copy) }
    return of.kind === 'column' ? { ...of } : of
  }
  const spelled = (of: Expression): Expression => {
    if (of.kind === 'call') return { ...of, args: of.args.map(spelled) }
    return of.kind === 'column' && of.name === 'x' ? copy(value) : of
  }
  const rest = others.map((operator): Operator => {
    if (operator.op === 'filter') return filter(spelled(operator.where))
    if (operator.op !== 'select') return operator
    return { ...operator, columns: operator.columns.map((one) => ({ ...one, value: spelled(one.value) })) }
  })
  return [first!, ...rest]
}

/** A scan of a range as conditions behind a scan of all times. */
function filteredByTime([first, ...others]: Plan): Plan {
  const { sources, fromUs, throughUs } = first as Operator & { op: 'scan' }
  const us = f('unix_micros', column('timestamp'))
  return [scan(sources), filter(f('and', f('ge', us, t(fromUs)), f('le', us, t(throughUs)))), ...others]
}

/** Compressed columns, plain and in expressions. */
function coldColumns(random: Random): Operator {
  const values = [
    column('event_message'),
    column('metadata'),
    f('lower', column('event_message')),
    f('json_value', column('metadata'), t(oneOf(random, ['$.function_id', '$.list[0].n', '$.response.status_code']))),
    f('concat', column('event_message'), f('coalesce', column('project'), t('-'))),
    f('contains', column('path'), t('/rest')),
    f('if', f('contains', column('path'), t('/auth')), column('event_message'), t('-')),
    column('status_code'),
  ]
  const some = values.filter(() => random() < 0.5)
  return { op: 'select', columns: [...named(...some), { name: 'id', value: ID }] }
}

const orderOfRows = (random: Random): Operator =>
  oneOf(random, [
    orderBy(sortKey(column('timestamp'), 'desc')),
    orderBy(sortKey(column('timestamp'), 'asc')),
    orderBy(sortKey(column('timestamp'), 'desc'), sortKey(column('url'))),
    orderBy(sortKey(column('status_code'), oneOf(random, ['asc', 'desc'])), sortKey(ID)),
  ])

/** An order by the stored time as an order by a computed time. */
const orderedApart = (plan: Plan): Plan =>
  plan.map((operator) => {
    if (operator.op !== 'orderBy') return operator
    const later = (by: Expression) =>
      by.kind === 'column' && by.name === 'timestamp' ? f('time_add', by, t(0), t('microsecond')) : by
    return { ...operator, keys: operator.keys.map((key) => ({ ...key, by: later(key.by) })) }
  })

/** Every filter as one condition, which is not cut into terms. */
const inOneCondition = (plan: Plan): Plan =>
  plan.map((operator) => (operator.op === 'filter' ? filter(f('is_true', operator.where)) : operator))

/** Each part of a union with a limit above the rows, so that the part is computed before the union is read. */
const computedParts = ([first, ...others]: Plan): Plan => {
  const { plans } = first as Operator & { op: 'union' }
  return [{ op: 'union', plans: plans.map((part) => [...part, ALL_ROWS]) }, ...others]
}

/** An expression over a column of texts, or over two columns with separate dictionaries. */
function entryValue(random: Random): Expression {
  const [url, project] = [column('url'), column('project')]
  const type = oneOf(random, ['text', 'int', 'bool'] as const)
  return oneOf(random, [
    f('length', url),
    f('substr', url, t(9), t(20)),
    f('concat', url, project),
    f('if', f('eq', project, t('a')), url, project),
    randomExpression(random, 3, { columns: new Map([['url', 'text']]), type }),
    randomExpression(random, 3, { columns: TEXTS, type }),
  ])
}

const TEXTS: Columns = new Map([
  ['url', 'text'],
  ['project', 'text'],
])

/** All fast ways. The plans of a way may take other ways too. */
export const FAST_WAYS: readonly FastWay[] = [
  {
    title: 'the rows of a project are a range of a sealed segment',
    plan: (random) => [
      scan(oneOf(random, [EDGE, FUNCTIONS, BOTH]), ...maybeCut(random)),
      projectIs(random),
      ...oneOf(random, [newest(40), group(smallKeys(random), [COUNT])]),
    ],
    slowly: perRow,
  },
  {
    title: 'a text is looked up in a dictionary, and its code in the zones of a column',
    plans: 12,
    plan: (random) => [...equalText(random), ...oneOf(random, [newest(40), group(smallKeys(random), [COUNT])])],
    slowly: perRow,
  },
  {
    title: 'absent values, and rows for which any of several conditions is true, are found in a whole batch at once',
    plans: 12,
    plan: (random) => [
      scan(oneOf(random, [EDGE, FUNCTIONS, BOTH]), ...maybeCut(random)),
      ...maybeProject(random),
      filter(anyCondition(random)),
      ...oneOf(random, [newest(40), group(smallKeys(random), [COUNT])]),
    ],
    slowly: perRow,
  },
  {
    title: 'a pattern is matched in many entries of a dictionary at once, after blocks without its grams are left out',
    plans: 12,
    plan: (random) => [
      scan(EDGE, ...maybeCut(random)),
      ...maybeProject(random),
      matches(random),
      ...oneOf(random, [newest(40), group([column('url')], [COUNT]), group([], [COUNT])]),
    ],
    slowly: perRow,
  },
  {
    title: 'messages are searched many at once, for a text and for a pattern',
    plans: 12,
    plan: (random) => [
      scan(oneOf(random, [EDGE, FUNCTIONS, BOTH]), ...maybeCut(random)),
      ...maybeProject(random),
      messageIs(random),
      ...(random() < 0.3 ? [messageIs(random), projectIs(random)] : []),
      ...oneOf(random, [newest(40), group(smallKeys(random), [COUNT])]),
    ],
    slowly: inOneCondition,
  },
  {
    title: 'rows are filtered in chunks from the wanted end of time, until the first rows are known',
    plans: 12,
    plan: (random) => {
      const byTime = sortKey(column('timestamp'), oneOf(random, ['asc', 'desc']))
      const order = orderBy(...(random() < 0.3 ? [byTime, sortKey(column('status_code'))] : [byTime]))
      const isEdge = random() < 0.6
      return [
        scan(isEdge ? EDGE : BOTH, ...maybeCut(random)),
        ...maybeProject(random),
        ...(random() < 0.5 ? [messageIs(random)] : []),
        isEdge ? filter(plainCondition(random)) : filter(f('ge', column('status_code'), t(300))),
        SELECT,
        order,
        limit(oneOf(random, [1, 5, 100]), below(random, 3)),
      ]
    },
    slowly: (plan) => orderedApart(plan),
  },
  {
    title: 'parts outside of a range of time are left out, and parts that it cuts are searched by bisection',
    plans: 12,
    plan: (random) => [
      scan(oneOf(random, [EDGE, BOTH, BOTH]), ...cutRange(random)),
      ...(random() < 0.8 ? [projectIs(random)] : []),
      ...oneOf(random, [newest(40), group(smallKeys(random), [COUNT])]),
    ],
    slowly: (plan) => filteredByTime(plan),
  },
  {
    title: 'buckets of time are spans of rows',
    plan: (random) => {
      const time = column('timestamp')
      const bucket = oneOf(random, [
        f(oneOf(random, ['timestamp_trunc', 'datetime_trunc']), time, unitOf(random)),
        f('timestamp_bucket', time, t(oneOf(random, [1, 7e6, 3600e6, 172_800e6]))),
      ])
      const keys = [bucket, ...(random() < 0.4 ? [column('project')] : [])]
      const value = numberColumn(random, EDGE)
      return [
        scan(EDGE, ...maybeCut(random)),
        ...maybeProject(random),
        ...group(keys, [COUNT, { fn: 'sum', args: [value] }]),
        limit(500),
      ]
    },
    slowly: perRow,
  },
  {
    title: 'keys of groups are codes of a dictionary, stored numbers and constants',
    plan: (random) => {
      const keys = [column('url'), f('url_path', column('url')), column('status_code'), column('project'), t('x')]
      const some = keys.filter(() => random() < 0.4)
      return [scan(EDGE), ...maybeProject(random), ...group(some, [COUNT, { fn: 'min', args: [ID] }]), limit(300)]
    },
    slowly: perRow,
  },
  {
    title: 'a field with a column of its own is compared, computed with and grouped by where it is stored',
    plans: 12,
    plan: (random) => {
      const least = f('ge', STATUS_FIELD, t(oneOf(random, [0, 300, 599, 8192])))
      const conditions = [...maybeProject(random), ...(random() < 0.5 ? [fieldIs(random)] : [])]
      return [
        scan(EDGE, ...maybeCut(random)),
        ...conditions,
        ...oneOf(random, [
          newest(40),
          group([...smallKeys(random), STATUS_CLASS], [COUNT, { fn: 'countif', args: [least] }]),
        ]),
      ]
    },
    slowly: withoutFields,
  },
  {
    title: 'numbers are aggregated where they are stored, small integers by counting them',
    plans: 12,
    plan: (random) => {
      const sources = oneOf(random, [EDGE, FUNCTIONS, BOTH])
      const aggregates = numberAggregates(random, numberColumn(random, sources))
      const before = random() < 0.3 ? [filter(f('not', f('eq', column('project'), t('b'))))] : maybeProject(random)
      return [scan(sources, ...maybeCut(random)), ...before, ...group(smallKeys(random), aggregates)]
    },
    slowly: (plan) => countedApart(plan),
  },
  {
    title: 'projects are runs of the rows of a segment, and of stored times the extremes are found by comparing them',
    plans: 12,
    plan: (random) => {
      const time = column('timestamp')
      const extremes: Aggregate[] = [COUNT, { fn: 'min', args: [time] }, { fn: 'max', args: [time] }]
      const before = random() < 0.3 ? [filter(plainCondition(random))] : maybeProject(random)
      const keys = [column('project'), f('timestamp_trunc', time, unitOf(random))].filter(() => random() < 0.6)
      return [scan(EDGE, ...maybeCut(random)), ...before, ...group(keys, extremes)]
    },
    slowly: (plan) => countedApart(plan),
  },
  {
    title: 'areas of a path and numbers above a limit are counted where they are stored',
    plan: (random) => {
      const least = f('ge', column('status_code'), t(oneOf(random, [-1, 0, 200, 400.5, 8192, 65_535, 1e6])))
      const areas = ['/rest', '/auth', '/storage', '/realtime'].map((area) => f('contains', column('path'), t(area)))
      const aggregates = [least, ...areas].flatMap((arg): Aggregate[] => [
        { fn: 'countif', args: [arg] },
        { fn: 'share', args: [arg] },
      ])
      return [scan(EDGE, ...maybeCut(random)), ...maybeProject(random), ...group(smallKeys(random), aggregates)]
    },
    slowly: (plan) => countedApart(plan),
  },
  {
    title: 'an expression over one dictionary is evaluated once for each entry',
    plans: 8,
    plan: (random) => {
      const value = entryValue(random)
      const columns: Operator = { op: 'select', columns: [...named(value), { name: 'id', value: ID }] }
      const rows: Operator[] = [columns, orderBy(sortKey(column('c0')), sortKey(ID)), limit(30)]
      return [scan(EDGE), ...maybeProject(random), ...oneOf(random, [rows, [...group([value], [COUNT]), limit(100)]])]
    },
    slowly: perRow,
  },
  {
    title: 'an expression that several others share is evaluated once for each row',
    plan: sharedExpression,
    slowly: (plan) => unshared(plan),
  },
  {
    title: 'an order by time visits parts from its end, and stops at one that is beyond the rows found',
    plan: (random) => [
      scan(oneOf(random, [EDGE, BOTH]), ...maybeCut(random)),
      ...maybeProject(random),
      SELECT,
      orderBy(sortKey(column('timestamp'), oneOf(random, ['asc', 'desc']))),
      limit(oneOf(random, [1, 5, 100]), below(random, 3)),
    ],
    slowly: (plan) => orderedApart(plan),
  },
  {
    title: 'compressed columns are read for the rows of the answer alone',
    plan: (random) => [
      scan(EDGE, ...maybeCut(random)),
      ...maybeProject(random),
      orderOfRows(random),
      coldColumns(random),
      limit(oneOf(random, [1, 40]), below(random, 3)),
    ],
    slowly: (plan) => overUnion(plan),
  },
  {
    title: 'conditions are cut into terms, of which the first ones may have a faster way',
    plan: (random) => {
      const first = [f('eq', column('project'), t('a')), f('regexp_contains', column('url'), t('rest'))]
      const terms = [...first.filter(() => random() < 0.6), plainCondition(random), plainCondition(random)]
      return [
        scan(EDGE, ...maybeCut(random)),
        filter(f('and', ...terms)),
        ...oneOf(random, [newest(40), group(smallKeys(random), [COUNT])]),
      ]
    },
    slowly: (plan) => inOneCondition(plan),
  },
  {
    title: 'parts of a union without a limit are read batch by batch',
    plan: (random) => {
      const part = (): Plan => {
        const columns = [column('timestamp'), column('project'), f('lower', column('event_message')), ID]
        const select: Operator = { op: 'select', columns: named(...columns) }
        return [scan(oneOf(random, [EDGE, FUNCTIONS]), ...maybeCut(random)), ...maybeProject(random), select]
      }
      const rows = [orderBy(sortKey(column('c0'), 'desc'), sortKey(column('c3'))), limit(40)]
      const parts = Array.from({ length: 1 + below(random, 3) }, part)
      return [{ op: 'union', plans: parts }, ...oneOf(random, [rows, group([column('c1')], [COUNT])])]
    },
    slowly: (plan) => computedParts(plan),
  },
  {
    title: 'groups at the end of a plan are returned as they are',
    plan: (random) => [
      scan(EDGE, ...maybeCut(random)),
      ...maybeProject(random),
      { op: 'group', keys: named(column('project')), aggregates: [{ name: 'n', value: COUNT }] },
      ...oneOf(random, [[], [selectOf(['c0', 'n'])], [selectOf(['n', 'c0'])], [selectOf(['n'])]]),
    ],
    slowly: (plan) => [...plan, orderBy(sortKey(column('n'), 'desc')), ALL_ROWS],
  },
]

const unitOf = (random: Random) => t(oneOf(random, FIXED_UNITS))

/**
 * Ways that cache results of sealed segments. The plans are of few kinds, so that some plans differ in one detail: a
 * cached result must not be reused if that detail changes the result.
 */
export const KEPT_WAYS: readonly Pick<FastWay, 'title' | 'plan'>[] = [
  {
    title: 'groups of a segment that is read whole are kept',
    plan: (random) => [
      oneOf(random, [scan(EDGE), scan(EDGE), scan(EDGE, LAST_US - 700 * STEP_US)]),
      ...oneOf(random, [[], [projectA], [unnestList(random)], [unnestList(random)]]),
      ...group(oneOf(random, [[], [column('project')]]), [keptAggregate(random)]),
    ],
  },
  {
    title: 'segments with few rows of a project are grouped together, and their groups kept as one',
    plan: (random) => [
      scan(EDGE, ...oneOf(random, [[], cutRange(random), [-1e15, LAST_US - STEP_US * below(random, 600)]])),
      projectA,
      ...group(oneOf(random, [[], [column('status_code')], [f('timestamp_trunc', column('timestamp'), t('hour'))]]), [
        keptAggregate(random),
      ]),
    ],
  },
  {
    title: 'rows of a segment that pass a filter are kept, whatever the range of time that cuts it',
    plan: (random) => [
      scan(EDGE, ...cutRange(random)),
      ...oneOf(random, [[], [projectA]]),
      filter(f('regexp_contains', column('url'), t(oneOf(random, ['rest', 'auth'])))),
      ...oneOf(random, [newest(20), group([], [COUNT])]),
    ],
  },
  {
    title: 'rows of a segment whose messages pass a filter are kept, if the range of time does not cut it',
    plan: (random) => [
      scan(EDGE, ...maybeCut(random)),
      ...oneOf(random, [[], [projectA]]),
      filter(
        f(oneOf(random, ['contains', 'contains_substr']), column('event_message'), t(oneOf(random, ['GET', 'e']))),
      ),
      ...oneOf(random, [[], [filter(f('ge', column('status_code'), t(300)))]]),
      ...oneOf(random, [newest(3), newest(500), group([], [COUNT])]),
    ],
  },
]

const projectA = filter(f('eq', column('project'), t('a')))

const unnestList = (random: Random): Operator => {
  return { op: 'unnest', list: f('json_query', column('metadata'), t('$.list')), name: 'e', isOuter: random() < 0.5 }
}

function keptAggregate(random: Random): Aggregate {
  const value = column('status_code')
  return oneOf<Aggregate>(random, [
    COUNT,
    { fn: oneOf(random, ['min', 'sum']), args: [oneOf(random, [value, f('neg', value)])] },
    { fn: 'array_agg', args: [value, t(oneOf(random, [1, 30]))] },
    { fn: 'array_agg', args: [value, t(oneOf(random, [1, 30]))] },
  ])
}
