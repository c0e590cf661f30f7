/** Returns `count` joined texts. */
export const times = (count: number, text: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => text(i)).join('')
/** Returns a text inside of `count` levels of others. */
export const nested = (count: number, before: string, inner: string, after: string): string =>
  before.repeat(count) + inner + after.repeat(count)
/** Common table expressions of which each is made of the expression before. */
export const chained = (count: number, next: (before: string) => string): string => {
  const tables = times(count, (i) => `, a${i + 1} as (${next(`a${i}`)})`)
  return `with a0 as (select id as x from edge_logs)${tables} select * from a${count}`
}

const lists = (count: number): string => times(count, (i) => `, unnest(m) r${i}`)
const columns = (count: number): string => `(select ${times(count - 1, (i) => `a c${i},`)} a from edge_logs)`

/** Texts that cost too much if a limit were missing, or a stack were used up. Each text is run or refused. */
export const COSTLY_TEXTS: readonly (readonly [string, string])[] = [
  [
    '30 common table expressions that double rows',
    chained(30, (before) => `select * from ${before} union all select * from ${before}`),
  ],
  [
    '30 common table expressions that double a text',
    chained(30, (before) => `select concat(x, x) as x from ${before}`),
  ],
  ['10 that double a text', chained(10, (before) => `select concat(x, x) as x from ${before}`)],
  ['nested replace', `select ${nested(200, 'replace(', `'${'x'.repeat(900)}'`, `, 'x', '${'y'.repeat(100)}')`)}`],
  ['nested replace of a column', `select ${nested(30, 'replace(', `id`, `, 'a', 'aaaaaaaaaa')`)} from edge_logs`],
  ['nested upper', `select ${nested(900, 'upper(', `'${'x'.repeat(900)}'`, ')')}`],
  [
    'three unnests of 1,000 elements',
    'select count(*) from edge_logs cross join unnest(list) a cross join unnest(list) b cross join unnest(list) c',
  ],
  ['2,000 unnests', `select count(*) from edge_logs ${'cross join unnest(metadata) '.repeat(2_000)}`],
  ['10,000 terms', `select id from edge_logs where ${times(10_000, () => 'a=1 or ')} b`],
  ['3,000 terms', `select id from edge_logs where ${times(3_000, (i) => `level = ${i} or `)} false`],
  ['9,000 elements of IN', `select id from edge_logs where status in (${times(9_000, (i) => `${i},`)} 1)`],
  ['9,000 columns', `select ${'a,'.repeat(9_000)} a from edge_logs`],
  ['1,000 columns', `select ${'a,'.repeat(999)} a from edge_logs`],
  ['1,000 levels of parentheses', `select ${nested(998, '(', '1', ')')}`],
  ['2,000 levels of parentheses', `select ${nested(2_000, '(', '1', ')')}`],
  ['60,000 parentheses', `select ${'('.repeat(60_000)}`],
  ['990 levels of a function', `select ${nested(990, 'lower(', 'id', ')')} from edge_logs`],
  ['490 levels of operators', `select id from edge_logs where ${nested(490, 'not (level = ', '1', ')')}`],
  ['900 levels of CASE', `select ${nested(900, 'case when level = 1 then ', 'id', ' end')} from edge_logs`],
  ['900 derived tables', `select id from ${nested(900, '(select * from ', 'edge_logs', ')')}`],
  ['900 derived tables with a limit', `select id from ${nested(900, '(select * from ', 'edge_logs', ' limit 5)')}`],
  [
    '900 derived tables with a limit, twice',
    `select id from ${nested(900, '(select * from ', 'edge_logs', ' limit 5)')} ` +
      `union all select id from ${nested(900, '(select * from ', 'edge_logs', ' limit 5)')}`,
  ],
  [
    '90 derived tables of unions',
    `select id from ${nested(90, '(select id from edge_logs union all select id from ', 'edge_logs', ')')}`,
  ],
  [
    '90 subqueries',
    `select id from edge_logs where ${nested(90, 'id in (select id from edge_logs where ', 'true', ')')}`,
  ],
  ['30,000 additions', `select ${'1+'.repeat(30_000)}1`],
  ['15,000 negations', `select ${'not '.repeat(15_000)}true`],
  ['30,000 signs', `select ${'- '.repeat(30_000)}1`],
  ['12,000 CASE', `select ${'case '.repeat(12_000)}`],
  ['20,000 brackets', `select ${'a['.repeat(20_000)}`],
  ['a text without an end', `select ${"'".repeat(60_001)}`],
  ['a comment without an end', `select ${'/*'.repeat(30_000)}`],
  [
    'an exponential pattern',
    "select id from edge_logs where regexp_contains(event_message, '^(a+)+$') " +
      `or event_message like '${'%a'.repeat(200)}b'`,
  ],
  [
    '800 patterns',
    `select id from edge_logs where ${times(800, (i) => `regexp_contains(event_message, 'x+y${i}') or `)} false`,
  ],
  [
    '199 lists and 1,800 names in WHERE',
    `select 1 from edge_logs ${lists(199)} where ${times(1_800, (i) => `x${i}=1 or `)} a`,
  ],
  ['199 lists and 900 names in SELECT', `select ${times(900, (i) => `x${i},`)} a from edge_logs ${lists(199)}`],
  ['199 lists and one name 900 times', `select ${'x,'.repeat(900)} a from edge_logs ${lists(199)}`],
  ['199 lists of names', `select 1 from edge_logs ${times(199, (i) => `, unnest(x${i})`)}`],
  ['9 lists and 900 names', `select ${times(900, (i) => `x${i},`)} a from edge_logs ${lists(9)}`],
  ['199 lists and 45 keys', `select 1 from edge_logs ${lists(199)} group by ${times(45, (i) => `x${i},`)} a`],
  ['199 lists and 45 aggregates', `select ${times(45, (i) => `max(x${i}),`)} count(*) from edge_logs ${lists(199)}`],
  ['20,000 stars of 1,000 columns', `select ${'*,'.repeat(20_000)} * from ${columns(1_000)}`],
  ['20,000 stars of an alias', `select ${'t.*,'.repeat(12_000)} t.* from edge_logs t`],
  ['900 stars of 900 columns', `select * from ${nested(900, '(select * from ', columns(900), ')')}`],
  ['10 stars of 900 columns', `select * from ${nested(9, '(select * from ', columns(900), ')')}`],
  ['97 stars of 100 columns, explained', `explain select * from ${nested(97, '(select * from ', columns(100), ')')}`],
  [
    '3,500 aggregates over columns with the names of aggregates',
    `select ${times(3_500, (i) => `max(a${i})+`)} 1 from ` +
      `(select metadata, ${times(998, (i) => `1 \`aggregate ${i}\`,`)} 1 b from edge_logs)`,
  ],
  ['9,000 keys of ORDER BY, explained', `explain select 1 from edge_logs order by ${'a,'.repeat(9_000)} a`],
  ['4,000 keys of ORDER BY, explained', `explain select 1 from edge_logs order by ${times(4_000, (i) => `a${i},`)} a`],
  ['9,000 keys of GROUP BY', `select 1 from edge_logs group by ${'a,'.repeat(9_000)} a`],
  ['6,000 keys of GROUP BY', `select 1 from edge_logs group by ${times(6_000, (i) => `a${i},`)} a`],
  [
    'a name like 800 others',
    `select ${'x'.repeat(64)} from ` +
      `(select ${times(800, (i) => `1 ${'y'.repeat(60)}${1_000 + i},`)} 1 b from edge_logs)`,
  ],
  [
    '90 subqueries around 3,000 names',
    `select id from edge_logs where ` +
      nested(90, 'id in (select id from edge_logs where ', `${times(3_000, (i) => `a${i} or `)} b`, ')'),
  ],
  [
    '90 IN in a row',
    `select id from edge_logs where ${times(2_000, (i) => `a${i}+`)} 1 ${' in (select id from edge_logs)'.repeat(90)}`,
  ],
  [
    '900 filters by a condition of 4,000',
    'select * from ' +
      nested(
        900,
        '(select * from ',
        `(select ${times(4_000, (i) => `a${i} and `)} b as x from edge_logs)`,
        ' where x)',
      ),
  ],
  [
    '700 levels around 4,000 fields',
    `select ${nested(700, 'concat(x,', `concat(${times(4_000, (i) => `a${i},`)} a)`, ')')} from edge_logs`,
  ],
  ['64,000 digits with a sign', `select -${'9'.repeat(64_000)}`],
  ['64,000 hexadecimal digits', `select 0x${'f'.repeat(64_000)}`],
  ['64,000 digits next to a time', `select timestamp = '${'0'.repeat(64_000)}x' from edge_logs`],
  [
    '700 JSON paths of 30 keys',
    `select ${times(700, () => `json_value(id, '$${'.a'.repeat(30)}'),`)} 1 from edge_logs`,
  ],
  ['a JSON path of 30,000 keys', `select json_value(id, '$${'.a'.repeat(30_000)}') from edge_logs`],
  ['a format of 30,000 elements', `select format_timestamp('${'%Y'.repeat(30_000)}', timestamp) from edge_logs`],
  ['400 nested WITH', `${nested(400, 'with a as (', 'select 1', ') select * from a')}`],
  ['900 WITH one after another', chained(900, (before) => `select * from ${before}`)],
]
