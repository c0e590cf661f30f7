import { type SqlCase, wrong } from './case.js'
import { withValues } from './records.js'

/** A text, numbers, and a text that two rows have: its error is the error of an entry of a dictionary. */
const records = withValues('places', ['one', 2, 3, 'one'])

const UNION = '(select * from edge_logs union all select * from auth_logs)'

/** An error of a row: a cast, whose place in the text is that of `CAST`, in upper case. */
function failing(title: string, sql: string): SqlCase {
  const before = sql.slice(0, sql.indexOf('CAST'))
  const place = `(line ${before.split('\n').length}, column ${before.length - before.lastIndexOf('\n')})`
  return wrong(title, sql, `A value cannot be cast to int64: use safe_cast, which is null then. ${place}`, { records })
}

/** A value that is no condition, between `before` and `behind`. */
function noCondition(title: string, before: string, value: string, behind = ''): SqlCase {
  const place = `(line ${before.split('\n').length}, column ${before.length - before.lastIndexOf('\n')})`
  const message = `A condition is neither true nor false: compare the value with something. ${place}`
  return wrong(`no condition: ${title}`, before + value + behind, message, { records })
}

/** Errors of rows, each with the place of the innermost expression that failed. */
export const PLACE_CASES: readonly SqlCase[] = [
  failing('SELECT, on a later line', 'select id,\n  abs(1 + CAST(x as int64)) as y\nfrom edge_logs'),
  failing('a constant', "select id, 1 + CAST('x' as int64) as y from edge_logs"),
  failing('two columns', 'select CAST(x || id as int64) as y from edge_logs'),
  failing('a filter', 'select id from edge_logs where id = "9" or CAST(x as int64) > 1'),
  failing('a filter of a union', `select id from ${UNION} where CAST(x as int64) > 1`),
  failing('the first rows of a union', `select CAST(x as int64) as y from ${UNION} order by timestamp limit 5`),
  failing('a key', 'select count(*) as n from edge_logs group by CAST(x as int64)'),
  failing('an aggregate', 'select sum(CAST(x as int64)) as n from edge_logs'),
  failing('an expression over groups', 'select 1 + CAST(x as int64) as n from edge_logs group by x'),
  failing('HAVING', 'select x as n from edge_logs group by x having CAST(max(x) as int64) > 1'),
  failing('ORDER BY', 'select id from edge_logs order by -CAST(x as int64)'),
  failing('the value before IN', 'select id from edge_logs where CAST(x as int64) in (select 1)'),
  failing('a subquery', 'select id from edge_logs where id in (select CAST(x as int64) from edge_logs)'),
  failing('a column of a derived table', 'select y + 1 as z from (select CAST(x as int64) as y from edge_logs)'),
  failing(
    'a column of WITH',
    'with t as (select CAST(x as int64) as y from edge_logs) select y from t union all select y from t',
  ),
  failing('DISTINCT', 'select distinct CAST(x as int64) as y from edge_logs'),
  noCondition('WHERE', 'select id from edge_logs where ', 'x'),
  noCondition('a number', 'select id from edge_logs where ', '1'),
  noCondition('a text', 'select id from edge_logs where id is not null and ', "'true'"),
  noCondition('a sum', 'select id from edge_logs where ', 'length(id) + 1'),
  noCondition('AND, on a later line', 'select id\nfrom edge_logs\nwhere ', 'x', ' and true'),
  noCondition('OR', "select id from edge_logs where id = 'none' or ", 'x'),
  noCondition('NOT', 'select id from edge_logs where not ', 'x'),
  noCondition('HAVING', 'select x, count(*) as c from edge_logs group by x having ', 'x'),
  noCondition('HAVING of an aggregate', 'select count(*) as c from edge_logs having c > 0 and ', 'max(x)'),
  noCondition('countif', 'select countif(', 'x', ') as c from edge_logs'),
  noCondition('CASE within count', 'select count(case when ', 'x', ' then 1 end) as c from edge_logs'),
  noCondition('a subquery', 'select id from edge_logs where id in (select id from edge_logs where ', 'x', ')'),
  noCondition('IF', 'select if(', 'x', ', 1, 2) as y from edge_logs'),
  noCondition('CASE', 'select case when id is null then 1 when ', 'x', ' then 2 end as y from edge_logs'),
  noCondition('a column of a derived table', 'select id from (select x as y, id from edge_logs) where ', 'y'),
  noCondition('an element of a list', 'select e from edge_logs, unnest(metadata) as e where ', 'e'),
  failing('one of two equal ones', 'select CAST(x as int64) as y, cast(x as int64) as z from edge_logs'),
]
