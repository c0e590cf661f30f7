/** The parts that the form of a view refuses, and their replacements. docs/views.md has the same table. */

/** Aggregates with states that do not merge, or take too much, by their call. */
export const NOT_MERGED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'count(distinct x)': 'write approx_count_distinct(x)',
    array_agg: 'make x a key of GROUP BY',
    string_agg: 'make x a key of GROUP BY',
    any_value: 'write min(x)',
  }).map(([call, instead]) => [call, `${call} does not merge with what a view has kept: ${instead}`]),
)

/** Forms of rows and groups. */
export const ROWS = {
  noGroupBy: 'the query has no GROUP BY: a view has GROUP BY timestamp_trunc(timestamp, hour), and other keys',
  noSource: 'the query reads no source: write FROM and a source',
  twoGroupings: 'a view has one grouping: take the inner aggregates and GROUP BY away, or make a view of them alone',
  distinct: 'DISTINCT is a second grouping: name the columns in GROUP BY',
  unionOfGroups:
    'UNION ALL of groups is not covered: write GROUP BY around it, as in from (select … union all select …) group by …',
  unnest: 'UNNEST makes several rows of one: name the field by its path, as request.path',
  viewOfView: 'a view of a view is not covered: name the source',
  order: 'ORDER BY below the grouping has no effect: write it behind GROUP BY',
  limit: 'LIMIT below the grouping would depend on the order of rows: write it behind GROUP BY',
} as const

/** A subquery, below the grouping or behind it. */
export const SUBQUERY =
  "IN (select …) reads rows that may be gone when the view is read: write the values, as path in ('/a', '/b')"

/** The current time below the grouping. */
export const nowFault = (name: string): string =>
  `${name} changes, and a view groups each row once: take the condition away, and read the view with start and end`

/** Refuses a parameter, below or behind the grouping. */
export const PARAMETER = (name: string): string =>
  `a view has no parameters, such as @${name}: write the value, or make the column a key, and compare it when the ` +
  'view is read'
