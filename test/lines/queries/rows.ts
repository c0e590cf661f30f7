import { HOUR_US, type LineQuery, MINUTE_US, orNull, startOf, T1030, truths } from './oracle.js'

/** Queries of rows with times, functions, elements and limits, in the order of the lines. */
export const ROWS: readonly LineQuery[] = [
  { sql: 'select seq, timestamp from lines', rows: (all) => all.map(({ seq, us }) => ({ seq, timestamp: us })) },
  {
    sql: "select seq from lines where timestamp >= '2026-11-20T10:30:00Z'",
    rows: (all) => truths(all, ({ us }) => us !== null && us >= T1030).map(({ seq }) => ({ seq })),
  },
  {
    sql: "select seq from lines where timestamp < '2026-11-20 10:30:00'",
    rows: (all) => truths(all, ({ us }) => us !== null && us < T1030).map(({ seq }) => ({ seq })),
  },
  {
    sql: "select seq from lines where timestamp between '2026-11-20T10:30:00Z' and '2026-11-20T11:30:00Z'",
    rows: (all) =>
      truths(all, ({ us }) => us !== null && us >= T1030 && us <= T1030 + HOUR_US).map(({ seq }) => ({ seq })),
  },
  {
    sql: "select seq from lines where not (timestamp < '2026-11-20 10:30:00')",
    rows: (all) => truths(all, ({ us }) => us !== null && us >= T1030).map(({ seq }) => ({ seq })),
  },
  {
    sql: 'select seq from lines where timestamp is null',
    rows: (all) => truths(all, ({ us }) => us === null).map(({ seq }) => ({ seq })),
  },
  {
    sql: 'select seq from lines where timestamp is not null',
    rows: (all) => truths(all, ({ us }) => us !== null).map(({ seq }) => ({ seq })),
  },
  {
    sql: "select seq from lines where timestamp < '2026-11-20 10:30:00' or timestamp is null",
    rows: (all) => truths(all, ({ us }) => us === null || us < T1030).map(({ seq }) => ({ seq })),
  },
  { sql: 'select seq from lines where timestamp > timestamp_sub(current_timestamp(), interval 1 day)', rows: () => [] },
  {
    sql: "select seq, coalesce(level, 'none') as level from lines",
    rows: (all) => all.map(({ seq, level }) => ({ seq, level: level ?? 'none' })),
  },
  {
    sql: 'select seq, if(ok, 1, 0) as good, ok from lines',
    rows: (all) => all.map(({ seq, ok }) => ({ seq, good: ok ? 1 : 0, ok: orNull(ok) })),
  },
  {
    sql:
      "select seq, case when status >= 500 then 'bad' when status " +
      ">= 400 then 'odd' else 'fine' end as kind from lines",
    rows: (all) =>
      all.map(({ seq, status = 0 }) => ({ seq, kind: status >= 500 ? 'bad' : status >= 400 ? 'odd' : 'fine' })),
  },
  {
    sql: 'select seq, ms * 2 + 1 as n, safe_divide(ms, status) as r from lines where seq < 100',
    rows: (all) =>
      truths(all, ({ seq }) => seq < 100).map(({ seq, ms, status }) => ({
        seq,
        n: ms * 2 + 1,
        r: status === undefined ? null : ms / status,
      })),
  },
  {
    sql: 'select seq, length(msg) as n, upper(level) as level from lines',
    rows: (all) =>
      all.map(({ seq, msg, level }) => ({
        seq,
        n: [...msg].length,
        level: level == null ? null : level.toUpperCase(),
      })),
  },
  {
    sql: 'select seq, e.k, e.v from lines cross join unnest(items) as e',
    rows: (all) => all.flatMap(({ seq, items }) => items.map(({ k, v }) => ({ seq, k, v: orNull(v) }))),
  },
  {
    sql: 'select seq, e.k from lines left join unnest(items) as e on true',
    rows: (all) =>
      all.flatMap(({ seq, items }) => (items.length === 0 ? [null] : items.map(({ k }) => k)).map((k) => ({ seq, k }))),
  },
  {
    sql: 'select seq, tag from lines cross join unnest(user.tags) as tag',
    rows: (all) => all.flatMap(({ seq, user }) => (user?.tags ?? []).map((tag) => ({ seq, tag }))),
  },
  {
    sql: "select seq, e.v from lines, unnest(items) as e where e.k = 'a' and e.v > 5",
    rows: (all) =>
      all.flatMap(({ seq, items }) => items.filter(({ k, v = 0 }) => k === 'a' && v > 5).map(({ v }) => ({ seq, v }))),
  },
  {
    sql: 'select seq from lines limit 10',
    rows: (all) => all.slice(0, 10).map(({ seq }) => ({ seq })),
    isOfService: false,
  },
  {
    sql: 'select seq from lines limit 10 offset 25',
    rows: (all) => all.slice(25, 35).map(({ seq }) => ({ seq })),
    isOfService: false,
  },
  {
    sql: "select seq from lines where level = 'warn' limit 7 offset 3",
    rows: (all) =>
      truths(all, ({ level }) => level === 'warn')
        .slice(3, 10)
        .map(({ seq }) => ({ seq })),
    isOfService: false,
  },
  { sql: 'select seq from lines limit 0', rows: () => [] },
  { sql: 'select 1 as one from lines where seq = 4', rows: () => [{ one: 1 }] },
  {
    sql: 'select s from (select seq as s, level as l from lines) where l is null',
    rows: (all) => truths(all, ({ level }) => level == null).map(({ seq }) => ({ s: seq })),
  },
  {
    sql: 'select s + 1 as t from (select seq as s from lines where ok) where s > 10',
    rows: (all) => truths(all, ({ ok, seq }) => ok === true && seq > 10).map(({ seq }) => ({ t: seq + 1 })),
  },
  {
    sql: "select format_timestamp('%F %H:%M', timestamp) as t from lines",
    rows: (all) =>
      all.map(({ us }) => ({
        t: us === null ? null : new Date(us / 1000).toISOString().slice(0, 16).replace('T', ' '),
      })),
  },
  {
    sql: 'select seq, timestamp_trunc(timestamp, minute) as m, extract(minute from timestamp) as n from lines',
    rows: (all) =>
      all.map(({ seq, us }) => ({
        seq,
        m: startOf(us, MINUTE_US),
        n: us === null ? null : new Date(us / 1000).getUTCMinutes(),
      })),
  },
  {
    sql: 'select seq, timestamp_diff(timestamp, timestamp("2026-11-20T10:00:00Z"), minute) as n from lines',
    rows: (all) =>
      all.map(({ seq, us }) => ({
        seq,
        n: us === null ? null : Math.floor((us - Date.UTC(2026, 10, 20, 10) * 1000) / MINUTE_US),
      })),
  },
  {
    sql: "select json_value(line, '$.user.name') as name from lines",
    rows: (all) => all.map(({ user }) => ({ name: orNull(user?.name) })),
  },
]
