import { type LineQuery, orNull, truths } from './oracle.js'

/** Queries of rows, in the order of the lines. */
export const FIELDS: readonly LineQuery[] = [
  {
    sql: 'select * from lines',
    rows: (all) => all.map(({ us, line }) => ({ timestamp: us, line })),
    isOfService: false,
  },
  {
    sql: 'select * from lines where seq < 3',
    rows: (all) => all.filter(({ seq }) => seq < 3).map(({ us, line }) => ({ timestamp: us, line })),
    isOfService: false,
  },
  { sql: 'select line from lines', rows: (all) => all.map(({ line }) => ({ line })) },
  { sql: 'select seq, level from lines', rows: (all) => all.map(({ seq, level }) => ({ seq, level: orNull(level) })) },
  {
    sql: "select seq from lines where level = 'error'",
    rows: (all) => truths(all, ({ level }) => level === 'error').map(({ seq }) => ({ seq })),
  },
  {
    sql: "select seq from lines where level != 'error'",
    rows: (all) => truths(all, ({ level }) => level != null && level !== 'error').map(({ seq }) => ({ seq })),
  },
  {
    sql: "select seq from lines where not (level = 'error')",
    rows: (all) => truths(all, ({ level }) => level != null && level !== 'error').map(({ seq }) => ({ seq })),
  },
  {
    sql: 'select seq from lines where level is null',
    rows: (all) => truths(all, ({ level }) => level == null).map(({ seq }) => ({ seq })),
  },
  {
    sql: 'select seq from lines where level is not null and status is null',
    rows: (all) =>
      truths(all, ({ level, status }) => level != null && status === undefined).map(({ seq }) => ({ seq })),
  },
  {
    sql: 'select seq, user.name from lines where user.id = 7',
    rows: (all) =>
      truths(all, ({ user }) => user?.id === 7).map(({ seq, user }) => ({ seq, name: orNull(user!.name) })),
  },
  {
    sql: 'select `user`.`name` as who from lines where seq < 20',
    rows: (all) => truths(all, ({ seq }) => seq < 20).map(({ user }) => ({ who: orNull(user?.name) })),
  },
  {
    sql: 'select `a.b` as ab from lines where `a.b` > 0',
    rows: (all) => truths(all, (line) => line['a.b']! > 0).map((line) => ({ ab: line['a.b'] })),
  },
  { sql: 'select lines.seq, l.seq as same from lines as l where l.seq < 5', isOfService: false },
  {
    sql: 'select l.seq from lines as l where l.`seq` < 5',
    rows: (all) => truths(all, ({ seq }) => seq < 5).map(({ seq }) => ({ seq })),
  },
  {
    sql: 'select lines.`timestamp` from lines',
    rows: (all) => all.map(({ timestamp }) => ({ timestamp: orNull(timestamp) })),
    isOfService: false,
  },
  {
    sql: 'select seq, user from lines where seq < 30',
    rows: (all) => truths(all, ({ seq }) => seq < 30).map(({ seq, user }) => ({ seq, user: orNull(user) })),
    isOfService: false,
  },
  { sql: 'select items from lines', rows: (all) => all.map(({ items }) => ({ items })), isOfService: false },
  { sql: 'select items.k from lines', rows: (all) => all.map(({ items }) => ({ k: orNull(items[0]?.k) })) },
  {
    sql: "select seq from lines where line like '%/p/3%'",
    rows: (all) => truths(all, ({ line }) => line.includes('/p/3')).map(({ seq }) => ({ seq })),
  },
  {
    sql: "select seq from lines where msg like 'a\\\\_b'",
    rows: (all) => truths(all, ({ msg }) => msg === 'a_b').map(({ seq }) => ({ seq })),
  },
  {
    sql: "select seq from lines where msg like '%ö%😀'",
    rows: (all) => truths(all, ({ msg }) => msg === 'größe 😀').map(({ seq }) => ({ seq })),
  },
  {
    sql: "select seq from lines where msg not like '%e%'",
    rows: (all) => truths(all, ({ msg }) => !msg.includes('e')).map(({ seq }) => ({ seq })),
  },
  {
    sql: 'select seq from lines where regexp_contains(line, r\'"status":[45]\\d\\d\')',
    rows: (all) => truths(all, ({ status }) => status! >= 400).map(({ seq }) => ({ seq })),
  },
  {
    sql: "select seq, regexp_extract(path, r'(\\d+)$') as n from lines",
    rows: (all) => all.map(({ seq, path }) => ({ seq, n: path.slice(3) })),
  },
  {
    sql: "select seq from lines where contains_substr(line, 'USER 3')",
    rows: (all) => truths(all, ({ line }) => line.includes('user 3')).map(({ seq }) => ({ seq })),
  },
  {
    sql: "select seq from lines where starts_with(msg, 'GET') or ends_with(msg, '12')",
    rows: (all) => truths(all, ({ msg }) => msg.startsWith('GET') || msg.endsWith('12')).map(({ seq }) => ({ seq })),
  },
]
