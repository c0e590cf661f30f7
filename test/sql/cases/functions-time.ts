import { at } from '../../cases/case.js'
import { each, MORE, query, refused, type SqlCase, values, valuesIn, wrong } from './case.js'
import { time } from './records.js'

const NO_SUM =
  'A time is moved by an interval, as timestamp + interval 1 hour, and subtracted with timestamp_diff(a, b, second).'

const OUT_OF_RANGE = 'A time of the result is outside of the years 1 to 9999. (line 1, column 8)'

/** 2026-11-24T10:01:20.123456Z, a Tuesday. */
const E4 = "edge_logs as t where id = 'e4'"

/** Functions over times, all in UTC. The query runs at 12:00. */
export const TIME_CASES: readonly SqlCase[] = [
  valuesIn('timestamp_trunc', E4, [
    ['timestamp_trunc(timestamp, microsecond)', time('10:01:20.123456')],
    ['timestamp_trunc(timestamp, millisecond)', time('10:01:20.123')],
    ['timestamp_trunc(timestamp, second)', time('10:01:20')],
    ['timestamp_trunc(timestamp, minute)', time('10:01:00')],
    ['timestamp_trunc(timestamp, HOUR)', time('10:00:00')],
    ['timestamp_trunc(timestamp, day)', time('00:00:00')],
    ['timestamp_trunc(timestamp, week)', at('2026-11-22')],
    ['timestamp_trunc(timestamp, isoweek)', at('2026-11-23')],
    ['timestamp_trunc(timestamp, month)', at('2026-11-01')],
    ['timestamp_trunc(timestamp, quarter)', at('2026-10-01')],
    ['timestamp_trunc(timestamp, year)', at('2026-01-01')],
    ["timestamp_trunc('2026-11-24T10:59:59Z', hour)", time('10:00:00')],
    ['timestamp_trunc(timestamp_micros(-1), second)', -1_000_000],
    ['timestamp_trunc(null, hour)', null],
  ]),
  valuesIn(
    'other forms of times in records',
    E4,
    [
      ['interval 1 minute + timestamp', time('10:02:20.123456')],
      ['timestamp_trunc(timestamp, week(sunday))', at('2026-11-22')],
      ['timestamp_trunc(timestamp, week(monday))', at('2026-11-23')],
      ["timestamp_trunc(timestamp, hour, 'UTC')", time('10:00:00')],
      ['date_sub(date(timestamp), interval 1 week)', '2026-11-17'],
      ['date_add(date(timestamp), interval 3 month)', '2027-02-24'],
      ['datetime_add(datetime(timestamp), interval 1 year)', '2027-11-24T10:01:20.123456'],
      ['datetime_sub(timestamp, interval 1 day)', '2026-11-23T10:01:20.123456'],
      ["extract(hour from timestamp at time zone 'UTC')", 10],
      ["format_timestamp('%F %T', timestamp, 'UTC')", '2026-11-24 10:01:20'],
    ],
    MORE,
  ),
  values(
    'other forms of times',
    [
      ['current_timestamp', time('12:00:00')],
      ['current_date', '2026-11-24'],
      ["current_date('UTC')", '2026-11-24'],
      ['current_datetime()', '2026-11-24T12:00:00'],
      ["timestamp('2026-11-24T10:01:20', 'UTC')", time('10:01:20')],
      ["string(timestamp '2026-11-24 10:01:20.5')", '2026-11-24 10:01:20.500+00'],
    ],
    MORE,
  ),
  valuesIn('datetime_trunc and date_trunc', E4, [
    ['datetime_trunc(datetime(timestamp), hour)', '2026-11-24T10:00:00'],
    ['datetime_trunc(datetime(timestamp), millisecond)', '2026-11-24T10:01:20.123000'],
    ['date_trunc(date(timestamp), month)', '2026-11-01'],
    ['date_trunc(date(timestamp), week)', '2026-11-22'],
    ['date_trunc(date(timestamp), isoweek)', '2026-11-23'],
  ]),
  valuesIn('a datetime in a list', E4, [
    ['array_agg(datetime_trunc(datetime(timestamp), millisecond))', ['2026-11-24T10:01:20.123000']],
  ]),
  valuesIn(
    'a truncated time keeps its type',
    E4,
    [
      ['datetime_trunc(timestamp, hour)', time('10:00:00')],
      ['date_trunc(timestamp, week)', at('2026-11-22')],
      ['date_trunc(timestamp, hour)', time('10:00:00')],
      ['date_trunc(datetime(timestamp), minute)', '2026-11-24T10:01:00'],
      ['timestamp_trunc(datetime(timestamp), minute)', '2026-11-24T10:01:00'],
      ['timestamp_trunc(date(timestamp), month)', '2026-11-01'],
    ],
    { notForOracle: 'the oracle has no static types' },
  ),
  values(
    'a difference follows the types of the times',
    [
      ["datetime_diff(timestamp '2026-11-24 11:00:00', timestamp '2026-11-24 10:59:59', hour)", 0],
      ["date_diff(timestamp '2026-11-25 00:00:00', timestamp '2026-11-24 23:59:59', day)", 0],
      ["timestamp_diff(datetime '2026-11-24 11:00:00', datetime '2026-11-24 10:59:59', hour)", 1],
      ["timestamp_diff(date '2017-10-15', date '2017-10-14', week)", 1],
      ["datetime_diff('2026-11-24 11:00:00', '2026-11-24 10:59:59', hour)", 1],
    ],
    { notForOracle: 'the oracle has no static types' },
  ),
  valuesIn('sums of times and intervals', E4, [
    ['timestamp_sub(timestamp, interval 1 hour)', time('09:01:20.123456')],
    ['timestamp_add(timestamp, interval 90 second)', time('10:02:50.123456')],
    ['timestamp_add(timestamp, interval -1 microsecond)', time('10:01:20.123455')],
    ['timestamp_sub(timestamp, interval 7 day)', at('2026-11-17T10:01:20.123456Z')],
    ['timestamp + interval 1 minute', time('10:02:20.123456')],
    ['timestamp - interval 1 minute', time('10:00:20.123456')],
    ['timestamp - interval 1 day + interval 1 hour', at('2026-11-23T11:01:20.123456Z')],
    ['timestamp_sub(timestamp, interval length(id) hour)', time('08:01:20.123456')],
  ]),
  values(
    'the last day of a shorter month',
    [
      ["date_add(date '2026-01-31', interval 1 month)", '2026-02-28'],
      ["date_add(date '2024-01-31', interval 1 month)", '2024-02-29'],
      ["date_sub(date '2026-05-31', interval 1 quarter)", '2026-02-28'],
      ["date_add(date '2024-02-29', interval 1 year)", '2025-02-28'],
      ["date_sub(date '2026-01-15', interval 13 month)", '2024-12-15'],
    ],
    MORE,
  ),
  values('now', [
    ['current_timestamp()', time('12:00:00')],
    ['current_date()', '2026-11-24'],
    ['timestamp_sub(current_timestamp(), interval 1 hour)', time('11:00:00')],
  ]),
  query(
    'the hour before now',
    'select id from function_edge_logs where timestamp > timestamp_sub(current_timestamp(), interval 1 hour)',
    [{ id: 'f3' }],
  ),
  values('timestamp_diff counts whole units of elapsed time', [
    ["timestamp_diff(timestamp '2026-11-24 10:59:59', timestamp '2026-11-24 10:00:00', hour)", 0],
    ["timestamp_diff(timestamp '2026-11-24 12:00:00', timestamp '2026-11-24 10:00:00', hour)", 2],
    ["timestamp_diff(timestamp '2026-11-24 10:00:00', timestamp '2026-11-24 12:30:00', hour)", -2],
    ["timestamp_diff('2026-11-25', '2026-11-24T10:00:00Z', minute)", 840],
    ["timestamp_diff('2026-11-25', '2026-11-24T00:00:00.000001Z', day)", 0],
    ["timestamp_diff('2026-11-25', '2026-11-24T23:59:59.5Z', millisecond)", 500],
    ['timestamp_diff(null, current_timestamp(), day)', null],
  ]),
  values(
    'date_diff and datetime_diff count starts of units',
    [
      ["date_diff(date '2027-01-01', date '2026-12-31', year)", 1],
      ["date_diff(date '2026-11-24', date '2026-11-01', month)", 0],
      ["date_diff(date '2026-11-24', date '2026-10-31', month)", 1],
      ["date_diff(date '2026-11-22', date '2026-11-21', week)", 1],
      ["date_diff(date '2026-11-22', date '2026-11-21', isoweek)", 0],
      ["datetime_diff(datetime '2026-11-24T11:00:00', datetime '2026-11-24T10:59:59', hour)", 1],
      ["datetime_diff(datetime '2026-11-24T11:00:00', datetime '2026-11-24T12:01:00', hour)", -1],
    ],
    MORE,
  ),
  valuesIn('extract', E4, [
    ['extract(microsecond from timestamp)', 123456],
    ['extract(millisecond from timestamp)', 123],
    ['extract(second from timestamp)', 20],
    ['extract(minute from timestamp)', 1],
    ['extract(HOUR from timestamp)', 10],
    ['extract(day from timestamp)', 24],
    ['extract(dayofweek from timestamp)', 3],
    ['extract(dayofyear from timestamp)', 328],
    ['extract(week from timestamp)', 47],
    ['extract(isoweek from timestamp)', 48],
    ['extract(isoyear from timestamp)', 2026],
    ['extract(month from timestamp)', 11],
    ['extract(quarter from timestamp)', 4],
    ['extract(year from timestamp)', 2026],
    ['extract(date from timestamp)', '2026-11-24'],
    ["extract(isoweek from date '2027-01-01')", 53],
    ["extract(isoyear from date '2027-01-01')", 2026],
    ["extract(week from date '2027-01-01')", 0],
  ]),
  valuesIn('format_timestamp', E4, [
    ["format_timestamp('%Y-%m-%d %H:%M:%S', timestamp)", '2026-11-24 10:01:20'],
    ["format_timestamp('%d/%m/%y %I:%M %p', timestamp)", '24/11/26 10:01 AM'],
    ["format_timestamp('%E3S %E*S', timestamp)", '20.123 20.123456'],
    ["format_timestamp('%A %a %B %b %e %j', timestamp)", 'Tuesday Tue November Nov 24 328'],
    ["format_timestamp('%FT%T%Ez %Z %z', timestamp)", '2026-11-24T10:01:20+00:00 UTC +0000'],
    ["format_timestamp('100%%', timestamp)", '100%'],
    ["format_timestamp('%s', timestamp)", '1795514480'],
  ]),
  values(
    'parse_timestamp with elements that the oracle does not know',
    [
      ["parse_timestamp('%d/%b/%Y:%H:%M:%S %z', '24/Nov/2026:11:01:20 +0100')", time('10:01:20')],
      ["parse_timestamp('%F %I:%M %p', '2026-11-24 1:05 PM')", time('13:05:00')],
      ["parse_timestamp('%s', '1795514480')", time('10:01:20')],
    ],
    MORE,
  ),
  values('parse_timestamp', [
    ["parse_timestamp('%Y-%m-%d %H:%M:%S', '2026-11-24 10:01:20')", time('10:01:20')],
    ["parse_timestamp('%F', '2026-11-24')", time('00:00:00')],
    ["parse_timestamp('%FT%H:%M:%E*SZ', '2026-11-24T10:01:20.123456Z')", time('10:01:20.123456')],
    ["parse_timestamp('%F', null)", null],
  ]),
  valuesIn('epochs', E4, [
    ['unix_seconds(timestamp)', 1795514480],
    ['unix_millis(timestamp)', 1795514480123],
    ['unix_micros(timestamp)', 1795514480123456],
    ['timestamp_seconds(1795514480)', time('10:01:20')],
    ['timestamp_millis(1795514480123)', time('10:01:20.123')],
    ['timestamp_micros(1795514480123456)', time('10:01:20.123456')],
    ["timestamp_seconds(cast('1795514480' as int64))", time('10:01:20')],
    ['timestamp_micros(null)', null],
  ]),
  values('timestamp(), datetime(), date(), string()', [
    ["timestamp('2026-11-24T10:01:20Z')", time('10:01:20')],
    ["timestamp('2026-11-24 10:01:20+02:00')", time('08:01:20')],
    ["timestamp('2026-11-24')", time('00:00:00')],
    ['timestamp(1795514480)', time('10:01:20')],
    ["datetime('2026-11-24T10:01:20.5Z')", '2026-11-24T10:01:20.500000'],
    ["datetime(timestamp '2026-11-24 10:01:20')", '2026-11-24T10:01:20'],
    ["date('2026-11-24T23:59:59Z')", '2026-11-24'],
    ["date(timestamp '2026-11-24 23:59:59')", '2026-11-24'],
  ]),
  query(
    'times in comparisons',
    `select id from edge_logs as t where date(timestamp) = '2026-11-24'
    and datetime(timestamp) >= datetime '2026-11-24 10:01:20.123456' 
      and t.timestamp < timestamp('2026-11-24T10:02:01Z')`,
    [{ id: 'e4' }, { id: 'e5' }],
  ),
  ...each("timestamp_trunc(x, hour) = timestamp '2026-11-24 10:00:00'", [
    ['2026-11-24T10:59:00Z', true],
    ['2026-11-24 11:00:00', false],
    [1795514480, true],
    [1795514480123, true],
    [1795514480123456, true],
    ['1795514480', true],
    [null, null],
  ]),

  wrong(
    'a value that is no time',
    "select timestamp_trunc(level, hour) as x from auth_logs where id = 'a1'",
    'A function over times got another value: use safe_cast(… as timestamp). (line 1, column 8)',
  ),
  wrong(
    'a unit in quotes',
    "select timestamp_trunc(timestamp, 'hour') from edge_logs",
    'A unit of time is a word without quotes: one of microsecond, millisecond, second, minute, hour, day, week, ' +
      'isoweek, month, quarter, year. (line 1, column 35)',
  ),
  wrong(
    'a unit in plural',
    'select timestamp_trunc(timestamp, hours) from edge_logs',
    'hours is no unit of time. Write hour. (line 1, column 35)',
  ),
  wrong(
    'an unknown unit',
    'select timestamp_trunc(timestamp, decade) from edge_logs',
    'decade is no unit of time. Use one of microsecond, millisecond, second, minute, hour, day, week, isoweek, ' +
      'month, quarter, year. (line 1, column 35)',
  ),
  wrong(
    'a short unit of date_trunc',
    'select date_trunc(date(timestamp), hour) from edge_logs',
    'date_trunc of a date has units from day: write timestamp_trunc(time, hour). (line 1, column 36)',
  ),
  wrong(
    'a plural unit of an interval',
    'select timestamp_sub(timestamp, interval 2 days) from edge_logs',
    'days is no unit of time. Write day. (line 1, column 33)',
  ),
  refused('a difference of times', 'select timestamp - timestamp from edge_logs', `${NO_SUM} (line 1, column 8)`),
  refused('a sum of a date and a number', 'select current_date() + 1', `${NO_SUM} (line 1, column 8)`),
  wrong(
    'timestamp_sub without an interval',
    'select timestamp_sub(timestamp, 5) from edge_logs',
    'timestamp_sub takes a time and an interval: timestamp_sub(timestamp, interval 1 hour). (line 1, column 8)',
  ),
  wrong(
    'an interval alone',
    'select interval 1 hour',
    'An interval stands behind + or -, or in timestamp_sub and timestamp_add. (line 1, column 8)',
  ),
  wrong(
    'a time beyond the year 9999',
    "select timestamp_add(timestamp, interval 9000 year) as x from edge_logs where id = 'e1'",
    OUT_OF_RANGE,
  ),
  ...[
    "timestamp_add(timestamp '9999-12-31', interval 1 day)",
    "timestamp_add(timestamp '9999-12-31 23:59:59', interval 1 second)",
    "timestamp '9999-12-31' + interval 24 hour",
    "datetime_add(datetime '9999-12-01', interval 1 month)",
    "date_add(date '9999-12-31', interval 1 day)",
    "timestamp_sub(timestamp '0001-01-01', interval 1 second)",
  ].map((sql) => wrong(`the first moment out of range: ${sql}`, `select ${sql} as x`, OUT_OF_RANGE)),
  wrong(
    'the first second out of range',
    'select timestamp_seconds(253402300800) as x',
    'A number is no time in the years 1 to 9999. (line 1, column 8)',
  ),
  values('the last moments in range', [
    ["cast(timestamp_add(timestamp '9999-12-30', interval 1 day) as string)", '9999-12-31 00:00:00+00'],
    ["timestamp '9999-12-31T23:59:59.999999Z' < timestamp '9999-12-31T23:59:59.9Z'", false],
    ["extract(year from timestamp '9999-12-31T23:59:59.999999Z')", 9999],
    ["safe_cast('9999-12-31T23:00:00.999999-01:00' as timestamp)", null],
    ['cast(timestamp_seconds(253402300799) as string)', '9999-12-31 23:59:59+00'],
  ]),
  wrong(
    'an unknown part in extract',
    'select extract(decade from timestamp) from edge_logs',
    'extract knows no decade, but microsecond, millisecond, second, minute, hour, day, dayofweek, dayofyear, week, ' +
      'isoweek, isoyear, month, quarter, year, date. (line 1, column 8)',
  ),
  wrong(
    'an unknown element of a format',
    "select format_timestamp('%q', timestamp) as x from edge_logs where id = 'e1'",
    "%q is no element of a time's format here. (line 1, column 8)",
  ),
  wrong(
    'a text that does not have the form',
    "select parse_timestamp('%F', event_message) as x from edge_logs where id = 'e1'",
    'A text does not have the form %F that parse_timestamp reads. (line 1, column 8)',
  ),
  wrong(
    'a literal that is no time',
    "select timestamp 'soon'",
    "This text is no timestamp. Write it as ISO 8601: timestamp '2026-11-24'. (line 1, column 18)",
  ),
  refused(
    'an interval in quotes',
    "select timestamp - interval '5 minutes' from edge_logs",
    'An interval is written without quotes: interval 5 minute. (line 1, column 20)',
  ),
  refused(
    'another time zone',
    "select timestamp_trunc(timestamp, day, 'Europe/Berlin') from edge_logs",
    'Time zones other than UTC are not covered. (line 1, column 40)',
  ),
  refused(
    'another time zone in extract',
    "select extract(hour from timestamp at time zone 'Asia/Tokyo') from edge_logs",
    'Time zones other than UTC are not covered. (line 1, column 49)',
  ),
  refused(
    'another time zone in datetime()',
    "select datetime(timestamp, '+02:00') from edge_logs",
    'Time zones other than UTC are not covered. (line 1, column 28)',
  ),
  refused(
    'weeks from Tuesday',
    'select timestamp_trunc(timestamp, week(tuesday)) from edge_logs',
    'Weeks start on Sunday (week) or Monday (isoweek). (line 1, column 35)',
  ),
]
