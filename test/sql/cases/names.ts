import { MORE, query, type SqlCase, wrong } from './case.js'
import { recordOf } from './records.js'

const RECORDS = [
  {
    id: '1',
    event_message: 'first',
    metadata: {
      id: 'field',
      level: 'outer',
      Level: 'capital',
      'a.b': 'one key',
      'with space': { 'and `quote`': 'odd' },
      only: 'metadata',
      a: { level: 'middle', b: { level: 'inner', n: 1 } },
      metadata: { x: 'twice' },
      x: 'once',
      select: 'reserved',
      timestamp: 'no time',
    },
  },
  {
    id: '2',
    event_message: 'second',
    metadata: { level: 'outer', a: { b: { n: 2 }, level: null } },
  },
].map((given) => recordOf('edge_logs', { ...given, project: 'names' }))

const options = { records: RECORDS }
const first = (name: string, columns: string, row: Record<string, unknown>, more = {}) =>
  query(name, `select ${columns} from edge_logs where event_message = 'first'`, [row], { ...options, ...more })

const UNNESTS = 'edge_logs as t cross join unnest(a) as A1 cross join unnest(A1.b) as b1'

/** The meaning of each step of a name. */
export const NAMES_CASES: readonly SqlCase[] = [
  first('a column wins over a field', 'id, timestamp > 0 as later', { id: '1', later: true }),
  first('a field of a column’s name is written with metadata', 'metadata.id, metadata.timestamp', {
    id: 'field',
    timestamp: 'no time',
  }),
  first('metadata.x is the field x', 'metadata.x', { x: 'once' }),
  first('metadata.metadata.x is a field in the field metadata', 'metadata.metadata.x', { x: 'twice' }),
  first('a field is found without metadata', 'only, a.level', { only: 'metadata', level: 'middle' }),
  first('keys do not ignore case', 'level, Level, LEVEL', { level: 'outer', Level_1: 'capital', LEVEL_2: null }),
  first('columns ignore case', 'ID, Event_Message', { ID: '1', Event_Message: 'first' }),
  first('metadata ignores case, and keys behind it do not', 'METADATA.level as a, metadata.LEVEL as b', {
    a: 'outer',
    b: null,
  }),
  first('one step in backticks is one key', '`a.b`, metadata.`a.b` as again', { 'a.b': 'one key', again: 'one key' }),
  first('any key in backticks', '`with space`.`and \\`quote\\`` as x', { x: 'odd' }, MORE),
  first('a reserved word in backticks', '`select` as x', { x: 'reserved' }),
  first('a reserved word behind a dot', 'metadata.select as x', { x: 'reserved' }),
  first('an absent path is null', 'a.b.c.d, nothing', { d: null, nothing: null }),
  first('a path through a text is null', 'level.x', { x: null }),

  query(
    'an alias wins over everything',
    `select level.n as n from edge_logs cross join unnest(a.b) as level`,
    [{ n: 1 }, { n: 2 }],
    options,
  ),
  query(
    'an unnest alias wins over a column',
    'select id.n from edge_logs cross join unnest(a.b) as id',
    [{ n: 1 }, { n: 2 }],
    options,
  ),
  query(
    'an unnest alias is the whole element',
    'select b1 from edge_logs cross join unnest(a.b) as b1 where b1.n = 2',
    ['{"b1":{"n":2}}'],
    options,
  ),
  query(
    'aliases ignore case',
    `select B1.n, a1.level from ${UNNESTS}`,
    [
      { n: 1, level: 'middle' },
      { n: 2, level: null },
    ],
    options,
  ),
  query(
    'a field is the first that is not null, from the innermost unnest to metadata',
    `select t.id, level, only, n from ${UNNESTS} order by id`,
    [
      { id: '1', level: 'inner', only: 'metadata', n: 1 },
      { id: '2', level: 'outer', only: null, n: 2 },
    ],
    options,
  ),
  query(
    'only the first step is looked up',
    `select a.b.n as x from edge_logs cross join unnest(a) as e
    cross join unnest(metadata) as a where a.id = 'field'`,
    [{ x: null }],
    options,
  ),
  query(
    'a field behind the table alias is one of metadata',
    `select t.level, t.n from ${UNNESTS}`,
    [
      { level: 'outer', n: null },
      { level: 'outer', n: null },
    ],
    options,
  ),
  query(
    'a column behind the table alias',
    "select t.metadata.x, t.ID from edge_logs t where t.id = '1'",
    [{ x: 'once', ID: '1' }],
    options,
  ),

  query(
    'a column of a derived table',
    'select b from (select id as a, level as b from edge_logs) where A = 1',
    [{ b: 'outer' }],
    options,
  ),
  query(
    'a field of a column of a derived table',
    'select t.one.level as x, one.b.n from (select a as one from edge_logs) t order by 2',
    [
      { x: 'middle', n: 1 },
      { x: null, n: 2 },
    ],
    options,
  ),
  query(
    'fields of a derived table that has metadata',
    `select only from (select metadata from edge_logs) where level = 'outer'`,
    [{ only: 'metadata' }, { only: null }],
    options,
  ),
  wrong(
    'a derived table has no other columns',
    'select level from (select id from edge_logs) as t',
    'There is no column level. There are: id. (line 1, column 8)',
    options,
  ),
  wrong(
    'a name near a column',
    'select even_message from (select event_message from edge_logs) as t',
    'There is no column even_message. Did you mean event_message? (line 1, column 8)',
    options,
  ),
  wrong(
    'a name without FROM',
    'select level',
    'There is no column level, since this SELECT has no FROM. (line 1, column 8)',
  ),
  wrong(
    'a table as a value',
    'select t from edge_logs as t',
    't is a table: name one of its columns, as t.timestamp. (line 1, column 8)',
  ),
  wrong(
    'a field of a column that has none',
    'select id.x from edge_logs',
    'id is a text and has no fields: there is no id.x. (line 1, column 8)',
  ),
  wrong(
    'a field of the time',
    'select count(*) as n from edge_logs t where t.timestamp.hour = 3',
    'timestamp is a timestamp and has no fields: there is no timestamp.hour. (line 1, column 45)',
  ),
]
