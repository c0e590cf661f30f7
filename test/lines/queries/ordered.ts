import { ascending, compare, groups, type LineQuery, orNull, truths } from './oracle.js'

/** Queries with an order. Ties are decided by a further key. */
export const ORDERED: readonly LineQuery[] = [
  {
    sql: 'select seq, ms from lines order by ms, seq',
    rows: (all) => all.toSorted((a, b) => a.ms - b.ms || a.seq - b.seq).map(({ seq, ms }) => ({ seq, ms })),
  },
  {
    sql: 'select seq, ms from lines order by ms desc, seq limit 20',
    rows: (all) =>
      all
        .toSorted((a, b) => b.ms - a.ms || a.seq - b.seq)
        .slice(0, 20)
        .map(({ seq, ms }) => ({ seq, ms })),
  },
  {
    sql: 'select seq from lines order by level, seq',
    rows: (all) =>
      all.toSorted((a, b) => ascending(orNull(a.level), orNull(b.level)) || a.seq - b.seq).map(({ seq }) => ({ seq })),
  },
  {
    sql: 'select seq from lines order by level desc, seq desc limit 15 offset 10',
    rows: (all) =>
      all
        .toSorted((a, b) => ascending(orNull(b.level), orNull(a.level)) || b.seq - a.seq)
        .slice(10, 25)
        .map(({ seq }) => ({ seq })),
  },
  {
    sql: 'select seq from lines order by status nulls last, seq limit 500',
    rows: (all) =>
      all
        .toSorted((a, b) => (a.status ?? 999) - (b.status ?? 999) || a.seq - b.seq)
        .slice(0, 500)
        .map(({ seq }) => ({ seq })),
  },
  {
    sql: 'select seq from lines order by timestamp, seq',
    rows: (all) => all.toSorted((a, b) => ascending(a.us, b.us) || a.seq - b.seq).map(({ seq }) => ({ seq })),
  },
  {
    sql: 'select seq from lines order by timestamp desc, seq limit 30',
    rows: (all) =>
      all
        .toSorted((a, b) => ascending(b.us, a.us) || a.seq - b.seq)
        .slice(0, 30)
        .map(({ seq }) => ({ seq })),
  },
  {
    sql: 'select seq, timestamp from lines order by timestamp nulls last, seq limit 30',
    rows: (all) =>
      all
        .toSorted((a, b) => (a.us ?? Infinity) - (b.us ?? Infinity) || a.seq - b.seq)
        .slice(0, 30)
        .map(({ seq, us }) => ({ seq, timestamp: us })),
  },
  {
    sql: 'select line from lines order by seq desc limit 3',
    rows: (all) =>
      all
        .toReversed()
        .slice(0, 3)
        .map(({ line }) => ({ line })),
  },
  {
    sql: 'select seq from lines order by length(msg) + ms desc, seq limit 9',
    rows: (all) =>
      all
        .toSorted((a, b) => [...b.msg].length + b.ms - [...a.msg].length - a.ms || a.seq - b.seq)
        .slice(0, 9)
        .map(({ seq }) => ({ seq })),
  },
  {
    sql: 'select seq, user.name from lines where user.name is not null order by user.name, seq limit 40',
    rows: (all) =>
      truths(all, ({ user }) => user?.name != null)
        .toSorted((a, b) => compare(a.user!.name!, b.user!.name!) || a.seq - b.seq)
        .slice(0, 40)
        .map(({ seq, user }) => ({ seq, name: user!.name })),
  },
  {
    sql: 'select s from (select seq as s, ms from lines order by ms, seq limit 50) order by s',
    rows: (all) =>
      all
        .toSorted((a, b) => a.ms - b.ms || a.seq - b.seq)
        .slice(0, 50)
        .map(({ seq }) => ({ s: seq }))
        .toSorted((a, b) => a.s - b.s),
  },
  {
    sql:
      'select level, count(*) as n from (select level, ms, seq from ' +
      'lines order by ms, seq limit 100) group by level order by 2, 1',
    rows: (all) =>
      groups(all.toSorted((a, b) => a.ms - b.ms || a.seq - b.seq).slice(0, 100), ({ level }) => orNull(level))
        .map(([level, { length: n }]) => ({ level, n }))
        .toSorted((a, b) => a.n - b.n || ascending(a.level, b.level)),
  },
]
