import { query, refused, type SqlCase, wrong } from './case.js'

/** Syntax of other databases, and texts that are wrong: each error names the place and the remedy. */
export const ERROR_CASES: readonly SqlCase[] = [
  wrong('an empty text', '', 'The text is empty: write SELECT … (line 1, column 1)'),
  wrong('a comment alone', '-- nothing\n', 'The text is empty: write SELECT … (line 2, column 1)'),
  wrong('SELECT alone', 'select', 'Expected an expression, found the end of the text. (line 1, column 7)'),
  wrong(
    'FROM alone',
    'select id from',
    'Expected a source or a subquery, found the end of the text. (line 1, column 15)',
  ),
  wrong('a symbol', '* from edge_logs', 'Expected SELECT, found *. (line 1, column 1)'),
  wrong(
    'FROM before SELECT',
    'select from edge_logs',
    'Expected an expression, found the word from. If it is a name, write `from`. (line 1, column 8)',
  ),
  wrong(
    'WHERE before FROM',
    'select id where 1 = 1 from edge_logs',
    'FROM is in the wrong place. The order is FROM, WHERE, GROUP, HAVING, ORDER, LIMIT. (line 1, column 23)',
  ),
  wrong(
    'a missing parenthesis',
    'select count(* from edge_logs',
    'Expected an expression, found *. (line 1, column 14)',
  ),
  wrong(
    'WHERE behind GROUP BY',
    'select level from auth_logs group by level where status > 1',
    'WHERE is in the wrong place. The order is FROM, WHERE, GROUP, HAVING, ORDER, LIMIT. (line 1, column 44)',
  ),
  wrong(
    'a misspelt WHERE',
    'select id from edge_logs whre id = 1',
    'Expected the end of the text. Is whre meant to be WHERE? (line 1, column 26)',
  ),
  wrong(
    'a misspelt GROUP BY',
    'select level from auth_logs grop by level',
    'Expected the end of the text. Is grop meant to be GROUP? (line 1, column 29)',
  ),
  wrong(
    'an interval with a fraction',
    'select timestamp_sub(timestamp, interval 0.5 day) from auth_logs',
    'INTERVAL takes a whole number: write interval 36 hour for one and a half days. (line 1, column 42)',
  ),
  refused(
    'SIMILAR TO',
    "select id from auth_logs where event_message similar to 'x'",
    'SIMILAR TO is not covered: write regexp_contains(text, pattern). (line 1, column 46)',
  ),
  refused(
    'WITHIN GROUP',
    'select percentile_cont(0.95) within group (order by status) from auth_logs',
    'WITHIN GROUP is not covered: write approx_quantiles(x, 100)[offset(95)]. (line 1, column 30)',
  ),
  wrong('a parenthesis too many', 'select (1))', 'Expected the end of the text, found ). (line 1, column 11)'),
  wrong(
    'a comma at the end',
    'select id from edge_logs order by id,',
    'Expected an expression, found the end of the text. (line 1, column 38)',
  ),
  wrong('two commas', 'select id,, project from edge_logs', 'Expected an expression, found ,. (line 1, column 11)'),
  wrong(
    'the place on a later line',
    'select id,\n  event_message,\n  oops(id)\nfrom edge_logs',
    'There is no function oops. (line 3, column 3)',
  ),
  wrong('columns count UTF-16 units', "select '😀', oops(1)", 'There is no function oops. (line 1, column 14)'),

  refused(
    'DELETE',
    'delete from edge_logs',
    'Only SELECT is covered, with EXPLAIN or WITH before it, not delete. (line 1, column 1)',
  ),
  refused(
    'INSERT',
    "insert into edge_logs values ('a')",
    'Only SELECT is covered, with EXPLAIN or WITH before it, not insert. (line 1, column 1)',
  ),
  refused(
    'DROP behind a statement',
    'select 1; drop table edge_logs',
    'Only one statement is covered. (line 1, column 11)',
  ),
  refused('two statements', 'select 1; select 2', 'Only one statement is covered. (line 1, column 11)'),
  refused(
    'EXPLAIN of another statement',
    'explain delete from edge_logs',
    'Only SELECT is covered, with EXPLAIN or WITH before it, not delete. (line 1, column 9)',
  ),
  refused(
    'EXPLAIN ANALYZE',
    'explain analyze select 1',
    'EXPLAIN takes no options: it counts the rows of each operator. (line 1, column 9)',
  ),
  refused(
    'SHOW',
    'show tables',
    'Only SELECT is covered, with EXPLAIN or WITH before it, not show. (line 1, column 1)',
  ),

  wrong(
    'a function near a known one',
    'select lenght(id) from edge_logs',
    'There is no function lenght. Did you mean length? (line 1, column 8)',
  ),
  wrong(
    'an aggregate near a known one',
    'select cuont(*) from edge_logs',
    'There is no function cuont. Did you mean count? (line 1, column 8)',
  ),
  wrong('an unknown function', 'select geohash(id) from edge_logs', 'There is no function geohash. (line 1, column 8)'),
  wrong('now()', 'select now()', 'There is no function now. Write current_timestamp(). (line 1, column 8)'),
  refused(
    'date_trunc with the unit first',
    "select date_trunc('hour', timestamp) from edge_logs",
    'Write timestamp_trunc(time, hour), the unit last and without quotes. (line 1, column 8)',
  ),
  wrong(
    'toStartOfHour',
    'select toStartOfHour(timestamp) from edge_logs',
    'There is no function toStartOfHour. Write timestamp_trunc(x, hour). (line 1, column 8)',
  ),
  wrong(
    'toStartOfFiveMinutes',
    'select toStartOfFiveMinutes(timestamp) from edge_logs',
    'There is no function toStartOfFiveMinutes. ' +
      'Write timestamp_seconds(unix_seconds(x) - mod(unix_seconds(x), 300)). (line 1, column 8)',
  ),
  wrong(
    'to_char',
    "select to_char(timestamp, 'YYYY') from edge_logs",
    'There is no function to_char. Write format_timestamp(format, timestamp). (line 1, column 8)',
  ),
  wrong(
    'countIf is countif',
    'select uniq(id) from edge_logs',
    'There is no function uniq. Write approx_count_distinct(x). (line 1, column 8)',
  ),
  refused(
    'left',
    'select left(id, 2) from edge_logs',
    'The function left is not covered. Write substr(text, 1, n). (line 1, column 8)',
  ),
  refused(
    'LTRIM, in capitals',
    'select LTRIM(event_message) from edge_logs',
    "The function LTRIM is not covered. Write regexp_replace(text, r'^\\s+', ''). (line 1, column 8)",
  ),
  refused(
    'format_date, on a later line',
    "select id\nfrom edge_logs\nwhere format_date('%Y', current_date()) = '2026'",
    "The function format_date is not covered. Write format_timestamp('%Y-%m-%d', date). (line 3, column 7)",
  ),
  refused(
    'regexp_extract_all',
    "select regexp_extract_all(event_message, 'a') from edge_logs",
    'The function regexp_extract_all is not covered. ' +
      'Write regexp_extract(text, pattern), which returns the first match. (line 1, column 8)',
  ),
  refused(
    'a function without a remedy',
    "select reverse('a')",
    'The function reverse is not covered. (line 1, column 8)',
  ),
  refused(
    'a function of geography',
    'select st_distance(a, b) from edge_logs',
    'The function st_distance is not covered. (line 1, column 8)',
  ),
  refused(
    'row_number without OVER',
    'select row_number() from edge_logs',
    'The function row_number is not covered. Windows (OVER) are not covered: use GROUP BY. (line 1, column 8)',
  ),
  wrong(
    'median',
    'select median(status) from auth_logs',
    'There is no function median. Write approx_quantiles(x, 2)[offset(1)]. (line 1, column 8)',
  ),
  wrong(
    'hour(…)',
    'select hour(timestamp) from auth_logs',
    'There is no function hour. Write extract(hour from x). (line 1, column 8)',
  ),
  refused(
    'extract(epoch …)',
    'select extract(epoch from timestamp) from auth_logs',
    'EPOCH is not covered: write unix_seconds(timestamp). (line 1, column 16)',
  ),
  refused(
    'quantile(0.95)(x)',
    'select quantile(0.95)(status) from auth_logs',
    'Two pairs of parentheses are not covered: write approx_quantiles(x, 100)[offset(95)]. (line 1, column 22)',
  ),
  refused(
    'LIMIT with a comma',
    'select id from auth_logs limit 10, 5',
    'LIMIT with a comma is not covered: write LIMIT 100 OFFSET 10. (line 1, column 34)',
  ),
  wrong('count()', 'select count() from auth_logs', 'count() has no argument: write count(*). (line 1, column 8)'),
  refused(
    'SAFE.',
    "select safe.parse_timestamp('%F', id) from edge_logs",
    'The function safe.parse_timestamp is not covered. ' +
      'Write parse_timestamp; safe_cast and safe_divide give null. (line 1, column 8)',
  ),
  refused(
    '->>',
    "select metadata->>'level' from auth_logs",
    'The operator ->> is not covered. ' +
      "Write a path, as metadata.request.method, or json_value(text, '$.key'). (line 1, column 16)",
  ),
  refused(
    '->',
    "select event_message->'a' from auth_logs",
    'The operator -> is not covered. ' +
      "Write a path, as metadata.request.method, or json_query(text, '$.key'). (line 1, column 21)",
  ),
  refused(
    '::jsonb',
    'select event_message::jsonb from auth_logs',
    'The type jsonb is not covered: fields are read by their path, texts with json_value. (line 1, column 23)',
  ),
  refused(
    '~',
    "select id from edge_logs where event_message ~ 'a'",
    'The operator ~ is not covered. Write regexp_contains(text, pattern). (line 1, column 46)',
  ),
  refused(
    '!~',
    "select id from edge_logs where event_message !~ 'a'",
    'The operator !~ is not covered. Write not regexp_contains(text, pattern). (line 1, column 46)',
  ),
  refused(
    '==',
    "select id from edge_logs where id == 'a'",
    'The operator == is not covered. Write =. (line 1, column 35)',
  ),
  refused('%', 'select 5 % 2', 'The operator % is not covered. Write mod(a, b). (line 1, column 10)'),
  refused('&', 'select 5 & 2', 'The operator & is not covered. Write AND. (line 1, column 10)'),
  refused(
    '@>',
    "select id from edge_logs where metadata @> 'x'",
    'The operator @> is not covered. Compare fields, as metadata.request.method = … (line 1, column 41)',
  ),
  refused('&&', 'select true && true', 'The operator & is not covered. Write AND. (line 1, column 13)'),
  refused(
    'a subquery as a value',
    'select (select 1) as x',
    'A subquery as a value is not covered: write it behind IN, or as a table behind FROM. (line 1, column 8)',
  ),
  refused(
    'a subquery as a value in WHERE',
    'select id from edge_logs where id = (select max(id) from edge_logs)',
    'A subquery as a value is not covered: write it behind IN, or as a table behind FROM. (line 1, column 37)',
  ),
  refused('ARRAY', 'select array(select 1)', 'ARRAY is not covered. (line 1, column 8)'),
  refused(
    'QUALIFY',
    'select id from edge_logs qualify row_number() over () = 1',
    'QUALIFY is not covered: windows are not. (line 1, column 26)',
  ),
  refused(
    'WINDOW',
    'select id from edge_logs window w as (order by id)',
    'WINDOW is not covered: windows are not. (line 1, column 26)',
  ),
  refused(
    'row_number',
    'select row_number() over (order by id) from edge_logs',
    'Windows (OVER) are not covered: use GROUP BY. (line 1, column 21)',
  ),
  refused(
    'UNION',
    'select 1 union select 2',
    'Only UNION ALL is covered: use SELECT DISTINCT around it. (line 1, column 10)',
  ),
  refused(
    'UNION DISTINCT',
    'select 1 union distinct select 2',
    'Only UNION ALL is covered: use SELECT DISTINCT around it. (line 1, column 10)',
  ),
  refused(
    'EXCEPT',
    'select 1 except distinct select 2',
    'EXCEPT is not covered: use NOT IN (select …). (line 1, column 10)',
  ),
  refused(
    'INTERSECT',
    'select 1 intersect distinct select 2',
    'INTERSECT is not covered: use IN (select …). (line 1, column 10)',
  ),
  refused(
    'DISTINCT ON',
    'select distinct on (id) id from edge_logs',
    'DISTINCT ON is not covered: use GROUP BY and any_value(x). (line 1, column 17)',
  ),
  wrong(
    'a parameter without a value',
    'select id from edge_logs where project = @project',
    'The parameter @project has no value. Parameters are declared in the files of stored queries. (line 1, column 42)',
  ),
  wrong(
    'LIMIT of a parameter without a value',
    'select 1 as a limit @n',
    'The parameter @n has no value. Parameters are declared in the files of stored queries. (line 1, column 21)',
  ),
  wrong('?', 'select id from edge_logs where id = ?', 'A parameter is written @name. (line 1, column 37)'),
  wrong('$1', 'select id from edge_logs where id = $1', 'A parameter is written @name. (line 1, column 37)'),
  wrong(':id', 'select id from edge_logs where id = :id', 'A parameter is written @name. (line 1, column 37)'),
  wrong('{{id}}', 'select id from edge_logs where id = {{id}}', 'A parameter is written @name. (line 1, column 37)'),
  wrong(
    'FOR UPDATE',
    'select id from edge_logs for update',
    'Expected the end of the text, found for. (line 1, column 26)',
  ),
  wrong(
    'a name that starts with a line break',
    'select id as `\\nid` from edge_logs',
    'The name of a column starts with a line break: name it with AS. (line 1, column 8)',
  ),
  query('words of other statements are names', 'select 1 as `delete`, 2 as insert', [{ delete: 1, insert: 2 }]),
]
