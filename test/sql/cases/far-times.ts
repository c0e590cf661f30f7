import { MORE, query, Spelled, type SqlCase, values, valuesIn, wrong } from './case.js'

/** The last two moments, and the second and the third. Their microseconds have more bits than a double. */
const LAST = "timestamp '9999-12-31 23:59:59.999999'"
const BEFORE_LAST = "timestamp '9999-12-31 23:59:59.999998'"
const SECOND = "timestamp '0001-01-01 00:00:00.000001'"
const THIRD = "timestamp '0001-01-01 00:00:00.000002'"

/** A whole number with all digits. */
const digits = (text: string) => new Spelled(text)

/** Rows of neighbours, which are equal as doubles, each twice. */
const NEIGHBOURS = `(${[LAST, BEFORE_LAST, SECOND, THIRD, LAST, BEFORE_LAST, SECOND, THIRD]
  .map((text, i) => `select ${i} as i, ${text} as t`)
  .join(' union all ')})`

/** The moments from 9 microseconds before the last moment. */
const NINE = Array.from({ length: 9 }, (_, i) => `timestamp_micros(25340230079999999${i})`).join(', ')

/** 2026-11-24T10:01:20.123456Z. */
const E4 = "edge_logs as e where id = 'e4'"

const OUT_OF_RANGE = 'A time of the result is outside of the years 1 to 9999. (line 1, column 8)'

/** Times before 1685 and after 2255, with microseconds that no double holds. */
export const FAR_TIME_CASES: readonly SqlCase[] = [
  values('literals', [
    [LAST, digits('253402300799999999')],
    [BEFORE_LAST, digits('253402300799999998')],
    [SECOND, digits('-62135596799999999')],
    ["timestamp '1684-07-28 00:12:25.259007'", digits('-9007199254740993')],
    ["timestamp '1684-07-28 00:12:25.259009'", -9007199254740991],
    ["timestamp '2255-06-05 23:47:34.740991'", 9007199254740991],
    ["timestamp '2255-06-05 23:47:34.740993'", digits('9007199254740993')],
    ["timestamp '2300-01-01 00:00:00.000001+00:01'", digits('10413791940000001')],
    ["datetime '9999-12-31 23:59:59.999999'", '9999-12-31T23:59:59.999999'],
    ["datetime '0001-01-01 00:00:00.000001'", '0001-01-01T00:00:00.000001'],
    ["date '9999-12-31'", '9999-12-31'],
    ["date '0001-01-01'", '0001-01-01'],
  ]),
  values('comparisons', [
    [`${LAST} = ${BEFORE_LAST}`, false],
    [`${LAST} != ${BEFORE_LAST}`, true],
    [`${LAST} > ${BEFORE_LAST}`, true],
    [`${SECOND} < ${THIRD}`, true],
    [`${SECOND} >= ${THIRD}`, false],
    [`${LAST} = '9999-12-31 23:59:59.999998'`, false],
    [`${LAST} = '9999-12-31 23:59:59.999999'`, true],
    [`'9999-12-31 23:59:59.999998' < ${LAST}`, true],
    [`timestamp '2600-01-01 00:00:00.000001' = 19880899200000001`, true],
    [`timestamp '2600-01-01 00:00:00.000001' = 19880899200000002`, false],
    [`${LAST} in (${BEFORE_LAST}, ${SECOND})`, false],
    [`${LAST} in (${BEFORE_LAST}, ${LAST})`, true],
    [`${LAST} not in ('9999-12-31 23:59:59.999998')`, true],
    [`${LAST} between ${BEFORE_LAST} and ${BEFORE_LAST}`, false],
    [`nullif(${LAST}, ${BEFORE_LAST})`, digits('253402300799999999')],
    [`greatest(${BEFORE_LAST}, ${LAST})`, digits('253402300799999999')],
    [`least(${THIRD}, ${SECOND})`, digits('-62135596799999999')],
    ["datetime '9999-12-31 23:59:59.999999' = datetime '9999-12-31 23:59:59.999998'", false],
    ["datetime '9999-12-31 23:59:59.999999' > date '9999-12-31'", true],
    ["date '9999-12-31' = datetime '9999-12-31'", true],
    ["date '9999-12-31' = datetime '9999-12-31 00:00:00.000001'", false],
  ]),
  query('groups', `select t, count(*) as n from ${NEIGHBOURS} group by t order by t`, [
    '{"t":-62135596799999999,"n":2}',
    '{"t":-62135596799999998,"n":2}',
    '{"t":253402300799999998,"n":2}',
    '{"t":253402300799999999,"n":2}',
  ]),
  query('groups of datetimes', `select datetime(t) as t, count(*) as n from ${NEIGHBOURS} group by 1 order by 1 desc`, [
    { t: '9999-12-31T23:59:59.999999', n: 2 },
    { t: '9999-12-31T23:59:59.999998', n: 2 },
    { t: '0001-01-01T00:00:00.000002', n: 2 },
    { t: '0001-01-01T00:00:00.000001', n: 2 },
  ]),
  query('distinct', `select distinct t from ${NEIGHBOURS} order by t desc limit 2`, [
    '{"t":253402300799999999}',
    '{"t":253402300799999998}',
  ]),
  query(
    'aggregates',
    `select count(distinct t) as n, approx_count_distinct(t) as a, min(t) as least, max(t) as most,
      min(datetime(t)) as first, max(datetime(t)) as last from ${NEIGHBOURS}`,
    [
      '{"n":4,"a":4,"least":-62135596799999999,"most":253402300799999999,' +
        '"first":"0001-01-01T00:00:00.000001","last":"9999-12-31T23:59:59.999999"}',
    ],
  ),
  query('lists', `select array_agg(t limit 1) as l from ${NEIGHBOURS} where t = ${LAST}`, [
    '{"l":[253402300799999999]}',
  ]),
  query(
    'order',
    `select i from ${NEIGHBOURS} order by t desc, i`,
    [0, 4, 1, 5, 3, 7, 2, 6].map((i) => ({ i })),
  ),
  query('filters', `select i from ${NEIGHBOURS} where t > ${BEFORE_LAST} or t < ${THIRD} order by i`, [
    { i: 0 },
    { i: 2 },
    { i: 4 },
    { i: 6 },
  ]),
  query(
    'IN of many values, and of a query',
    `select i from ${NEIGHBOURS} where t in (${NINE})
      and t in (select t from ${NEIGHBOURS} where t != ${LAST}) order by i`,
    [{ i: 1 }, { i: 5 }],
  ),
  values('sums', [
    [`timestamp_add(${BEFORE_LAST}, interval 1 microsecond)`, digits('253402300799999999')],
    [`timestamp_sub(${LAST}, interval 1 microsecond)`, digits('253402300799999998')],
    [`${THIRD} - interval 1 microsecond`, digits('-62135596799999999')],
    [`timestamp_sub(${LAST}, interval 1 day)`, digits('253402214399999999')],
    [`timestamp_sub(${LAST}, interval 1 month)`, digits('253399622399999999')],
    [`timestamp_add(${SECOND}, interval 1 year)`, digits('-62104060799999999')],
    ["timestamp_add(timestamp '1970-01-01', interval 253402300799999999 microsecond)", digits('253402300799999999')],
    [`timestamp_sub(${LAST}, interval 253402300799999999 microsecond)`, 0],
    ["timestamp_add(timestamp '2255-06-05 23:47:34.740991', interval 2 microsecond)", digits('9007199254740993')],
    ["timestamp_sub(timestamp '2255-06-05 23:47:34.740993', interval 2 microsecond)", 9007199254740991],
  ]),
  values('differences', [
    [`timestamp_diff(${LAST}, ${BEFORE_LAST}, microsecond)`, 1],
    [`timestamp_diff(${BEFORE_LAST}, ${LAST}, microsecond)`, -1],
    [`timestamp_diff(${LAST}, ${SECOND}, microsecond)`, digits('315537897599999998')],
    [`timestamp_diff(${LAST}, ${SECOND}, millisecond)`, 315537897599999],
    [`timestamp_diff(${LAST}, ${SECOND}, day)`, 3652058],
    [
      "timestamp_diff(timestamp '2255-06-05 23:47:34.740991', timestamp '1684-07-28 00:12:25.259009', microsecond)",
      digits('18014398509481982'),
    ],
  ]),
  values(
    'times of other types and formats',
    [
      ["datetime_sub(datetime '9999-12-31 23:59:59.999999', interval 1 hour)", '9999-12-31T22:59:59.999999'],
      ["date_sub(date '9999-12-31', interval 1 week)", '9999-12-24'],
      [
        "datetime_diff(datetime '9999-12-31 23:59:59.999999', datetime '0001-01-01', microsecond)",
        digits('315537897599999999'),
      ],
      ["datetime_diff(datetime '9999-12-31 23:59:59.999999', datetime '0001-01-01', second)", 315537897599],
      ["date_diff(date '9999-12-31', date '0001-01-01', day)", 3652058],
      ["date_diff(date '9999-12-31', date '0001-01-01', year)", 9998],
      ["parse_timestamp('%F %H:%M:%E6S %z', '2300-01-01 00:00:00.000001 +0100')", digits('10413788400000001')],
      ["parse_timestamp('%s', '253402300799')", digits('253402300799000000')],
      ["interval 90 minute + date '2026-11-24'", '2026-11-24T01:30:00'],
    ],
    MORE,
  ),
  values('starts of units', [
    [`timestamp_trunc(${LAST}, microsecond)`, digits('253402300799999999')],
    [`timestamp_trunc(${LAST}, millisecond)`, digits('253402300799999000')],
    [`timestamp_trunc(${LAST}, second)`, digits('253402300799000000')],
    [`timestamp_trunc(${LAST}, week)`, digits('253401782400000000')],
    [`timestamp_trunc(${LAST}, year)`, digits('253370764800000000')],
    ["timestamp_trunc(timestamp '1684-07-28 00:12:25.259009', second)", digits('-9007199255000000')],
    [`timestamp_trunc(${SECOND}, isoweek)`, digits('-62135596800000000')],
    ["datetime_trunc(datetime '9999-12-31 23:59:59.999999', millisecond)", '9999-12-31T23:59:59.999000'],
    ["date_trunc(date '9999-12-31', month)", '9999-12-01'],
  ]),
  wrong('the week before the year 1', `select timestamp_trunc(${SECOND}, week) as x`, OUT_OF_RANGE),
  values('parts', [
    [`extract(microsecond from ${LAST})`, 999999],
    [`extract(microsecond from ${SECOND})`, 1],
    [`extract(millisecond from ${LAST})`, 999],
    [`extract(second from ${LAST})`, 59],
    [`extract(date from ${LAST})`, '9999-12-31'],
    [`extract(dayofyear from ${LAST})`, 365],
    [`extract(isoweek from ${LAST})`, 52],
    [`extract(dayofweek from ${SECOND})`, 2],
    ["extract(microsecond from datetime '2300-01-01 00:00:00.000001')", 1],
  ]),
  values('formats', [
    [`format_timestamp('%Y-%m-%d %H:%M:%E6S', ${LAST})`, '9999-12-31 23:59:59.999999'],
    [`format_timestamp('%E4Y-%m-%d %H:%M:%E*S', ${SECOND})`, '0001-01-01 00:00:00.000001'],
    [`format_timestamp('%F', ${SECOND})`, '1-01-01'],
    [`format_timestamp('%s %j %A %u', ${LAST})`, '253402300799 365 Friday 5'],
    ["parse_timestamp('%F %H:%M:%E*S', '9999-12-31 23:59:59.999999')", digits('253402300799999999')],
    ["parse_timestamp('%F %H:%M:%E*S', '0001-01-01 00:00:00.000001')", digits('-62135596799999999')],
  ]),
  values('numbers', [
    [`unix_micros(${LAST})`, digits('253402300799999999')],
    [`unix_micros(${SECOND})`, digits('-62135596799999999')],
    [`unix_millis(${LAST})`, 253402300799999],
    [`unix_millis(${SECOND})`, -62135596800000],
    [`unix_seconds(${LAST})`, 253402300799],
    ['timestamp_micros(253402300799999999)', digits('253402300799999999')],
    ['timestamp_micros(-62135596799999999)', digits('-62135596799999999')],
    ["timestamp_micros(cast('253402300799999998' as int64))", digits('253402300799999998')],
    ['timestamp_millis(253402300799999)', digits('253402300799999000')],
    ['timestamp_seconds(-62135596800)', digits('-62135596800000000')],
    [`unix_micros(${LAST}) - unix_micros(${BEFORE_LAST})`, 1],
  ]),
  wrong(
    'the first microsecond after the year 9999',
    'select timestamp_micros(253402300800000000) as x',
    'A number is no time in the years 1 to 9999. (line 1, column 8)',
  ),
  wrong(
    'the last microsecond before the year 1',
    `select timestamp_sub(${SECOND}, interval 2 microsecond) as x`,
    OUT_OF_RANGE,
  ),
  values('casts', [
    [`cast(${LAST} as string)`, '9999-12-31 23:59:59.999999+00'],
    [`cast(${SECOND} as string)`, '0001-01-01 00:00:00.000001+00'],
    ["cast(datetime '9999-12-31 23:59:59.999999' as string)", '9999-12-31 23:59:59.999999'],
    ["cast('9999-12-31 23:59:59.999999' as timestamp)", digits('253402300799999999')],
    ["cast('9999-12-31 23:59:59.999999' as datetime)", '9999-12-31T23:59:59.999999'],
    [`cast(${LAST} as datetime)`, '9999-12-31T23:59:59.999999'],
    [`cast(${LAST} as date)`, '9999-12-31'],
    ["cast(date '9999-12-31' as timestamp)", digits('253402214400000000')],
    ["safe_cast('9999-12-31 23:59:59.999999-00:01' as timestamp)", null],
    [`to_json_string(${LAST})`, '"9999-12-31T23:59:59.999999Z"'],
    [`json_object('t', ${SECOND})`, { t: '0001-01-01T00:00:00.000001Z' }],
    [`concat(${LAST}, '')`, '9999-12-31 23:59:59.999999+00'],
  ]),
  valuesIn('times of rows', E4, [
    [`timestamp < ${LAST}`, true],
    [`timestamp > ${SECOND}`, true],
    ['timestamp_add(timestamp, interval 7000 year)', digits('222694135280123456')],
    ['unix_micros(timestamp_sub(timestamp, interval 2000 year))', digits('-61318389519876544')],
    [`timestamp_diff(${LAST}, timestamp, microsecond)`, digits('251606786319876543')],
    ['timestamp in (timestamp_add(timestamp, interval 7000 year), timestamp)', true],
  ]),
  query(
    'times of rows in a range without an end',
    `select id from edge_logs as t where id = 'e4' and timestamp <= ${LAST}`,
    [{ id: 'e4' }],
  ),
  query('no row after the last moment', `select id from edge_logs as t where timestamp >= ${BEFORE_LAST}`, []),
  query(
    'groups of far times of rows',
    `select timestamp_add(timestamp_trunc(timestamp, day), interval 999999 microsecond) + interval 7000 year as t
      from edge_logs as e group by 1 order by 1 limit 1`,
    ['{"t":222694099200999999}'],
    MORE,
  ),
  ...(
    [
      [`timestamp <= ${LAST}`, '', 6],
      [`timestamp >= ${SECOND}`, '', 6],
      [`timestamp < '9999-12-31 23:59:59.999999' and timestamp >= '2026-11-24'`, ' from 2026-11-24T00:00:00', 6],
      [`timestamp >= ${LAST}`, ' at no time', 0],
      [`timestamp < ${SECOND}`, ' at no time', 0],
    ] as const
  ).map(([where, range, rows]) =>
    query(
      `EXPLAIN of ${where}`,
      `explain select id from edge_logs where ${where}`,
      [
        { step: 1, operator: 'scan', detail: `edge_logs${range}`, rows },
        { step: 2, operator: 'select', detail: 'id', rows },
      ],
      { notForOracle: 'EXPLAIN' },
    ),
  ),
  values('a date plus hours is a datetime', [
    ["date '2026-11-24' + interval 1 hour", '2026-11-24T01:00:00'],
    ["date '2026-11-24' + interval 25 hour", '2026-11-25T01:00:00'],
    ["date '2026-11-24' - interval 1 second", '2026-11-23T23:59:59'],
    ["date '2026-11-24' + interval 1 microsecond", '2026-11-24T00:00:00.000001'],
    ["date '2026-11-24' + interval 1 millisecond > date '2026-11-24'", true],
    ["date '9999-12-31' + interval 86399999999 microsecond", '9999-12-31T23:59:59.999999'],
    ["date '2026-11-24' + interval 1 day", '2026-11-25'],
  ]),
  valuesIn('a date of a row plus hours', E4, [['date(timestamp) + interval 12 hour', '2026-11-24T12:00:00']]),
  ...(
    [
      ['date_add', 'hour'],
      ['date_sub', 'minute'],
      ['date_add', 'second'],
      ['date_sub', 'millisecond'],
      ['date_add', 'microsecond'],
    ] as const
  ).map(([name, unit]) =>
    wrong(
      `${name} of a ${unit}`,
      `select ${name}(date '2026-11-24', interval 1 ${unit}) as x`,
      `${name} has units from day: write ${name.replace('date', 'datetime')}(date, interval …). (line 1, column 36)`,
    ),
  ),
]
