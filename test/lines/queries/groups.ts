import { ascending, compare, groups, type LineQuery, largest, mean, orNull, present, smallest, sum } from './oracle.js'

/** Queries of groups. */
export const GROUPS: readonly LineQuery[] = [
  { sql: 'select count(*) as n from lines', rows: (all) => [{ n: all.length }] },
  { sql: 'select count(*) as n from lines where seq < 0', rows: () => [{ n: 0 }] },
  {
    sql: 'select sum(ms) as s, min(ms) as a, max(ms) as b from lines where seq < 0',
    rows: () => [{ s: null, a: null, b: null }],
  },
  { sql: 'select level, count(*) as n from lines where seq < 0 group by level', rows: () => [] },
  {
    sql: 'select level, count(*) as n from lines group by level',
    rows: (all) => groups(all, ({ level }) => orNull(level)).map(([level, { length: n }]) => ({ level, n })),
  },
  {
    sql: 'select level, count(status) as n, countif(status >= 400) as bad from lines group by 1',
    rows: (all) =>
      groups(all, ({ level }) => orNull(level)).map(([level, own]) => ({
        level,
        n: present(own.map(({ status }) => status)).length,
        bad: own.filter(({ status = 0 }) => status >= 400).length,
      })),
  },
  {
    sql: 'select sum(ms) as s, avg(ms) as a, min(ms) as b, max(ms) as c from lines',
    rows: (all) => [
      {
        s: sum(all.map(({ ms }) => ms)),
        a: mean(all.map(({ ms }) => ms)),
        b: smallest(all.map(({ ms }) => ms)),
        c: largest(all.map(({ ms }) => ms)),
      },
    ],
  },
  {
    sql: 'select path, sum(status) as s, avg(status) as a from lines group by path order by path',
    rows: (all) =>
      groups(all, ({ path }) => path)
        .map(([path, own]) => ({
          path,
          s: sum(present(own.map(({ status }) => status))),
          a: mean(present(own.map(({ status }) => status))),
        }))
        .toSorted((a, b) => compare(a.path, b.path)),
  },
  {
    sql: 'select path, status, count(*) as n from lines group by path, status',
    rows: (all) =>
      groups(all, ({ path, status }) => [path, orNull(status)]).map(([[path, status], { length: n }]) => ({
        path,
        status,
        n,
      })),
  },
  {
    sql: 'select user.name, count(*) as n from lines group by user.name',
    rows: (all) => groups(all, ({ user }) => orNull(user?.name)).map(([name, { length: n }]) => ({ name, n })),
  },
  {
    sql: 'select ok, count(*) as n from lines group by ok',
    rows: (all) => groups(all, ({ ok }) => orNull(ok)).map(([ok, { length: n }]) => ({ ok, n })),
  },
  {
    sql: 'select user.id, count(*) as n from lines group by 1 order by n desc, 1 limit 5',
    rows: (all) =>
      groups(all, ({ user }) => orNull(user?.id))
        .map(([id, { length: n }]) => ({ id, n }))
        .toSorted((a, b) => b.n - a.n || ascending(a.id, b.id))
        .slice(0, 5),
  },
  {
    sql: 'select path, count(*) as n from lines group by path having n > 3 order by path',
    rows: (all) =>
      groups(all, ({ path }) => path)
        .map(([path, { length: n }]) => ({ path, n }))
        .filter(({ n }) => n > 3)
        .toSorted((a, b) => compare(a.path, b.path)),
  },
  {
    sql: 'select path from lines group by path having avg(ms) > 500 order by path limit 3 offset 1',
    rows: (all) =>
      groups(all, ({ path }) => path)
        .filter(([, own]) => mean(own.map(({ ms }) => ms))! > 500)
        .map(([path]) => ({ path }))
        .toSorted((a, b) => compare(a.path, b.path))
        .slice(1, 4),
  },
]
