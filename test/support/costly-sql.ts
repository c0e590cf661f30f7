/** Returns `count` texts, one after the other. */
export const times = (count: number, text: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => text(i)).join('')
/** Returns a text inside of `count` levels of others. */
export const nested = (count: number, before: string, inner: string, after: string): string =>
  before.repeat(count) + inner + after.repeat(count)
/** Common table expressions of which each is made of the one before it. */
export const chained = (count: number, next: (before: string) => string): string => {
  const tables = times(count, (i) => `, a${i + 1} as (${next(`a${i}`)})`)
  return `with a0 as (select id as x from edge_logs)${tables} select * from a${count}`
}

/** Texts that cost too much if a limit were missing, or a stack were used up; each is run or refused. */
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
]
