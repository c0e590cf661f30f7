import { ascending, compare, groups, type LineQuery, orNull, present, sum, truths } from './oracle.js'

/** Queries that read the lines several times. */
export const SEVERAL: readonly LineQuery[] = [
  {
    sql: 'select seq from lines where ok union all select seq from lines where not ok',
    rows: (all) =>
      [...truths(all, ({ ok }) => ok), ...truths(all, ({ ok }) => ok === false)].map(({ seq }) => ({ seq })),
  },
  {
    sql:
      'select level as a, seq as b from lines where seq < 9 union ' +
      "all select 'x', seq from lines where seq < 4 order by b, a",
    rows: (all) =>
      [
        ...all.slice(0, 9).map(({ level, seq }) => ({ a: orNull(level), b: seq })),
        ...all.slice(0, 4).map(({ seq }) => ({ a: 'x', b: seq })),
      ].toSorted((a, b) => a.b - b.b || ascending(a.a, b.a)),
  },
  {
    sql: 'select count(*) as n from lines union all select sum(status) from lines',
    rows: (all) => [{ n: all.length }, { n: sum(present(all.map(({ status }) => status))) }],
  },
  {
    sql:
      'with e as (select seq, path from lines where level = ' +
      '"error") select path, count(*) as n from e group by path',
    rows: (all) =>
      groups(
        truths(all, ({ level }) => level === 'error'),
        ({ path }) => path,
      ).map(([path, { length: n }]) => ({ path, n })),
  },
  {
    sql:
      'with p as (select path, count(*) as n from lines group by ' +
      'path) select path from p where n = (3 - 2) * n order by path',
    rows: (all) =>
      groups(all, ({ path }) => path)
        .map(([path]) => ({ path }))
        .toSorted((a, b) => compare(a.path, b.path)),
  },
  {
    sql:
      'with a as (select path, count(*) as n from lines group by path), b as ' +
      '(select n from a union all select n from a) select sum(n) as n from b',
    rows: (all) => [{ n: 2 * all.length }],
  },
  {
    sql: 'select seq from lines where path in (select path from lines where seq = 0)',
    rows: (all) => truths(all, ({ path }) => path === all[0]!.path).map(({ seq }) => ({ seq })),
  },
  {
    sql:
      'select level, count(*) as n from lines where user.id in (select ' +
      'user.id from lines where status = 500 and seq < 60) group by level',
    rows: (all) => {
      const ids = new Set(truths(all, ({ status, seq }) => status === 500 && seq < 60).map(({ user }) => user?.id))
      return groups(
        truths(all, ({ user }) => user != null && ids.has(user.id)),
        ({ level }) => orNull(level),
      ).map(([level, { length: n }]) => ({ level, n }))
    },
  },
  {
    sql: 'select seq from lines where path not in (select path from lines where seq < 2) order by seq desc limit 6',
    rows: (all) =>
      truths(all, ({ path }) => !all.slice(0, 2).some((one) => one.path === path))
        .toReversed()
        .slice(0, 6)
        .map(({ seq }) => ({ seq })),
  },
]
