import {
  ascending,
  compare,
  distinct,
  groups,
  HOUR_US,
  type LineQuery,
  largest,
  MINUTE_US,
  mean,
  orNull,
  present,
  smallest,
  startOf,
  sum,
  T1030,
  truths,
} from './oracle.js'

/** Queries of groups: aggregates, buckets of time, distinct rows and elements. */
export const AGGREGATES: readonly LineQuery[] = [
  {
    sql: 'select count(distinct level) as a, count(distinct user.id) as b, count(distinct ms) as c from lines',
    rows: (all) => [
      {
        a: distinct(all.map(({ level }) => level)),
        b: distinct(all.map(({ user }) => user?.id)),
        c: distinct(all.map(({ ms }) => ms)),
      },
    ],
  },
  {
    sql: 'select level, count(distinct path) as n from lines group by level',
    rows: (all) =>
      groups(all, ({ level }) => orNull(level)).map(([level, own]) => ({
        level,
        n: distinct(own.map(({ path }) => path)),
      })),
  },
  {
    sql: 'select array_agg(seq limit 5) as a from lines',
    rows: (all) => [{ a: all.slice(0, 5).map(({ seq }) => seq) }],
    isOfService: false,
  },
  {
    sql: "select path, array_agg(seq limit 4) as a from lines where level = 'error' group by path",
    rows: (all) =>
      groups(
        truths(all, ({ level }) => level === 'error'),
        ({ path }) => path,
      ).map(([path, own]) => ({ path, a: own.slice(0, 4).map(({ seq }) => seq) })),
    isOfService: false,
  },
  {
    sql: "select path, string_agg(cast(seq as string), ',') as a from lines where seq < 200 group by path",
    rows: (all) =>
      groups(
        truths(all, ({ seq }) => seq < 200),
        ({ path }) => path,
      ).map(([path, own]) => ({ path, a: own.map(({ seq }) => seq).join() })),
    isOfService: false,
  },
  {
    sql: 'select string_agg(level) as a from lines where seq < 100',
    rows: (all) => [{ a: present(truths(all, ({ seq }) => seq < 100).map(({ level }) => level)).join() }],
    isOfService: false,
  },
  {
    sql:
      'select path, any_value(path) as same, min(level) as a, max(level) as ' +
      'b, min(timestamp) as c, max(timestamp) as d from lines group by path',
    rows: (all) =>
      groups(all, ({ path }) => path).map(([path, own]) => ({
        path,
        same: path,
        a: smallest(present(own.map(({ level }) => level))),
        b: largest(present(own.map(({ level }) => level))),
        c: smallest(present(own.map(({ us }) => us))),
        d: largest(present(own.map(({ us }) => us))),
      })),
  },
  {
    sql: 'select approx_quantiles(ms, 2)[offset(0)] as a, approx_quantiles(ms, 2)[offset(2)] as b from lines',
    rows: (all) => [{ a: smallest(all.map(({ ms }) => ms)), b: largest(all.map(({ ms }) => ms)) }],
  },
  { sql: 'select approx_count_distinct(user.id) as n, approx_count_distinct(ms) as m from lines' },
  { sql: 'select approx_quantiles(ms, 4) as q from lines where seq < 100' },
  {
    sql:
      'select path, approx_quantiles(ms, 4)[safe_offset(2)] as ' +
      'q from lines where seq < 500 group by path order by path',
  },
  {
    sql: 'select timestamp_trunc(timestamp, hour) as hour, count(*) as n from lines group by hour',
    rows: (all) => groups(all, ({ us }) => startOf(us, HOUR_US)).map(([hour, { length: n }]) => ({ hour, n })),
  },
  {
    sql:
      'select timestamp_trunc(timestamp, minute) as m, level, ' +
      'avg(ms) as a from lines group by m, level order by m, level',
    rows: (all) =>
      groups(all, ({ us, level }) => [startOf(us, MINUTE_US), orNull(level)] as const)
        .map(([[m, level], own]) => ({ m, level, a: mean(own.map(({ ms }) => ms)) }))
        .toSorted((a, b) => ascending(a.m, b.m) || ascending(a.level, b.level)),
  },
  {
    sql: 'select count(timestamp) as n, min(timestamp) as a from lines',
    rows: (all) => [{ n: present(all.map(({ us }) => us)).length, a: smallest(present(all.map(({ us }) => us))) }],
  },
  {
    sql: "select count(*) as n from lines where timestamp >= '2026-11-20T10:30:00Z'",
    rows: (all) => [{ n: truths(all, ({ us }) => us !== null && us >= T1030).length }],
  },
  {
    sql:
      'select timestamp_trunc(timestamp, hour) as timestamp, count(*) as ' +
      "n from lines where timestamp < '2026-11-20 11:30:00' group by 1",
    rows: (all) =>
      groups(
        truths(all, ({ us }) => us !== null && us < T1030 + HOUR_US),
        ({ us }) => startOf(us, HOUR_US),
      ).map(([timestamp, { length: n }]) => ({ timestamp, n })),
  },
  {
    sql: 'select distinct level from lines',
    rows: (all) => groups(all, ({ level }) => orNull(level)).map(([level]) => ({ level })),
  },
  {
    sql: 'select distinct path, ok from lines order by path, ok limit 4',
    rows: (all) =>
      groups(all, ({ path, ok }) => [path, orNull(ok)] as const)
        .map(([[path, ok]]) => ({ path, ok }))
        .toSorted(
          (a, b) =>
            compare(a.path, b.path) ||
            ascending(a.ok === null ? null : Number(a.ok), b.ok === null ? null : Number(b.ok)),
        )
        .slice(0, 4),
  },
  {
    sql: 'select e.k, sum(e.v) as s, count(*) as n from lines cross join unnest(items) as e group by e.k',
    rows: (all) =>
      (['a', 'b'] as const).map((k) => {
        const own = all.flatMap(({ items }) => items).filter((item) => item.k === k)
        return { k, s: sum(present(own.map(({ v }) => v))), n: own.length }
      }),
  },
  {
    sql: 'select tag, count(*) as n from lines, unnest(user.tags) as tag group by tag',
    rows: (all) =>
      ['x', 'y', 'z'].map((tag) => ({ tag, n: all.filter(({ user }) => user?.tags.includes(tag)).length })),
  },
  {
    sql: 'select max(n) as most from (select path, count(*) as n from lines group by path)',
    rows: (all) => [{ most: largest(groups(all, ({ path }) => path).map(([, own]) => own.length)) }],
  },
  {
    sql: "select regexp_extract(path, r'\\d+') as n, countif(msg like '%e%') as e from lines group by n",
    rows: (all) =>
      groups(all, ({ path }) => path).map(([path, own]) => ({
        n: path.slice(3),
        e: own.filter(({ msg }) => msg.includes('e')).length,
      })),
  },
  {
    sql: 'select status, status * 2 as twice, count(*) as n from lines group by status',
    rows: (all) =>
      groups(all, ({ status }) => orNull(status)).map(([status, { length: n }]) => ({
        status,
        twice: status === null ? null : status * 2,
        n,
      })),
  },
]
