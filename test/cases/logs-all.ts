import type { Params, PlainRow } from '../oracle/oracle.js'
import { NINE_AND_OWN } from '../support/own-source.js'
import { edge, type PartialRecord, type TestRecord } from '../support/records.js'
import { AWKWARD_NAMES, at, type Case, shown, upTo } from './case.js'

const NOW = '2026-11-20T10:37:42.500000Z'
const nowUs = at(NOW)

function logsAll(name: string, records: readonly TestRecord[], params: Params, rows: readonly PlainRow[]): Case {
  return { name: `logs.all: ${name}`, endpoint: 'logs.all', records, params: { project: 'a', ...params }, nowUs, rows }
}

/** The row of an answer for a record. */
const rowOf = (record: TestRecord): PlainRow => ({
  id: record.id,
  timestamp: record.timestampUs,
  event_message: record.event_message,
  metadata: { json: record.metadata },
})

const edgeAt = (time: string, given: PartialRecord = {}) => edge({ id: time, timestampUs: at(time), ...given })

/** Records in order of arrival, with the time as id. The answer has the listed ids, in that order. */
function shows(name: string, times: readonly string[], params: Params, ids: readonly string[]): Case {
  const records = times.map((time) => edgeAt(time))
  return logsAll(
    name,
    records,
    params,
    ids.map((id) => rowOf(records.find((record) => record.id === id)!)),
  )
}

const DAY_BEFORE = '2026-11-19T10:37:42.500000Z'
const DAY_BEFORE_INSIDE = '2026-11-19T10:37:42.500001Z'
const WEEK_BEFORE = '2026-11-13T10:37:42.500000Z'
const WEEK_BEFORE_INSIDE = '2026-11-13T10:37:42.500001Z'
const NINETY_DAYS_BEFORE = '2026-08-22T10:37:42.500000Z'
const NINETY_DAYS_BEFORE_INSIDE = '2026-08-22T10:37:42.500001Z'
const AGES = [
  NINETY_DAYS_BEFORE,
  NINETY_DAYS_BEFORE_INSIDE,
  WEEK_BEFORE,
  WEEK_BEFORE_INSIDE,
  DAY_BEFORE,
  DAY_BEFORE_INSIDE,
]
const OF_ONE_DAY = [DAY_BEFORE_INSIDE]
const OF_SEVEN_DAYS = [...OF_ONE_DAY, DAY_BEFORE, WEEK_BEFORE_INSIDE]
const OF_NINETY_DAYS = [...OF_SEVEN_DAYS, WEEK_BEFORE, NINETY_DAYS_BEFORE_INSIDE]

const RETENTION = [
  logsAll(
    'no tier is the tier FREE',
    AGES.map((time) => edgeAt(time)),
    {},
    [rowOf(edgeAt(DAY_BEFORE_INSIDE))],
  ),
  ...['FREE', '', 'free', 'pro', 'TEAM', '__proto__', 'constructor', 'PRO '].map((project_tier) =>
    shows(`the tier "${project_tier}" keeps 1 day`, AGES, { project_tier }, OF_ONE_DAY),
  ),
  shows('the tier PRO keeps 7 days', AGES, { project_tier: 'PRO' }, OF_SEVEN_DAYS),
  shows('the tier PAYG keeps 90 days', AGES, { project_tier: 'PAYG' }, OF_NINETY_DAYS),
  shows('the tier ENTERPRISE keeps 90 days', AGES, { project_tier: 'ENTERPRISE' }, OF_NINETY_DAYS),
  shows('the future is shown', ['2026-11-20T10:37:42.500001Z', '2026-11-21T10:37:42.5Z', NOW], {}, [
    '2026-11-21T10:37:42.5Z',
    '2026-11-20T10:37:42.500001Z',
    NOW,
  ]),
]

const BEFORE = '2026-11-20T09:00:00.123455Z'
const EXACT = '2026-11-20T09:00:00.123456Z'
const AFTER = '2026-11-20T09:00:00.123457Z'
const AROUND = [EXACT, AFTER, BEFORE]
const ALL_AROUND = [AFTER, EXACT, BEFORE]

/** The time EXACT in other notations. */
const SAME_MOMENT = [
  EXACT,
  '2026-11-20 09:00:00.123456',
  '2026-11-20t09:00:00.123456z',
  '2026-11-20T09:00:00.123456999Z',
  '2026-11-20T14:30:00.123456+05:30',
  '2026-11-20T14:30:00.123456+0530',
  '2026-11-20T07:00:00.123456-02',
]

const BOUNDS = [
  ...SAME_MOMENT.flatMap((time) => [
    shows(`after the start ${time}`, AROUND, { iso_timestamp_start: time }, [AFTER]),
    shows(`up to the end ${time}`, AROUND, { iso_timestamp_end: time }, [EXACT, BEFORE]),
  ]),
  shows('empty bounds are none', AROUND, { iso_timestamp_start: '', iso_timestamp_end: '' }, ALL_AROUND),
  shows('both bounds', AROUND, { iso_timestamp_start: BEFORE, iso_timestamp_end: EXACT }, [EXACT]),
  shows('equal bounds leave nothing', AROUND, { iso_timestamp_start: EXACT, iso_timestamp_end: EXACT }, []),
  shows('bounds that cross leave nothing', AROUND, { iso_timestamp_start: AFTER, iso_timestamp_end: BEFORE }, []),
  shows('an end before all leaves nothing', AROUND, { iso_timestamp_end: '2026-11-20' }, []),
  shows(
    'a date alone is its midnight',
    ['2026-11-20T00:00:00Z', '2026-11-20T00:00:00.000001Z'],
    {
      iso_timestamp_start: '2026-11-20',
    },
    ['2026-11-20T00:00:00.000001Z'],
  ),
  shows(
    'no seconds are second 0',
    ['2026-11-20T09:00:00Z', '2026-11-20T09:00:00.000001Z'],
    {
      iso_timestamp_end: '2026-11-20T09:00',
    },
    ['2026-11-20T09:00:00Z'],
  ),
  shows('a start before the retention does not widen it', AGES, { iso_timestamp_start: '1970-01-01' }, OF_ONE_DAY),
  shows('an end beyond the calendar of microseconds', AROUND, { iso_timestamp_end: '9999-12-31' }, ALL_AROUND),
  shows('a start in the year 0', AROUND, { iso_timestamp_start: '0000-01-01' }, ALL_AROUND),
]

const day = (n: number) => `2026-11-${String(n).padStart(2, '0')}T12:00:00Z`

const ORDER = [
  shows('newest first, however they arrive', [day(18), day(20), day(17), day(19)], { project_tier: 'PRO' }, [
    day(20),
    day(19),
    day(18),
    day(17),
  ]),
  logsAll(
    'equal times: the latest arrival first',
    upTo(7).map((n) => edge({ id: `${n}`, timestampUs: nowUs - (n % 2) })),
    {},
    [6, 4, 2, 7, 5, 3, 1].map((n) => rowOf(edge({ id: `${n}`, timestampUs: nowUs - (n % 2) }))),
  ),
  logsAll(
    'of 101 the newest 100',
    upTo(101).map((n) => edge({ id: `${n}`, timestampUs: nowUs - n })),
    {},
    upTo(100).map((n) => rowOf(edge({ id: `${n}`, timestampUs: nowUs - n }))),
  ),
  logsAll(
    'of 250 at one moment the last 100 to arrive',
    upTo(250).map((n) => edge({ id: `${n}`, timestampUs: nowUs })),
    {},
    upTo(100).map((n) => rowOf(edge({ id: `${251 - n}`, timestampUs: nowUs }))),
  ),
  logsAll(
    'the newest 100 of many days, which arrived mixed',
    upTo(140).map((n) => edge({ id: `${n}`, timestampUs: nowUs - ((n * 37) % 140) * 3_600_000_000 })),
    { project_tier: 'PRO' },
    upTo(140)
      .map((n) => ({ n, hours: (n * 37) % 140 }))
      .filter(({ hours }) => hours < 100)
      .sort((a, b) => a.hours - b.hours)
      .map(({ n, hours }) => rowOf(edge({ id: `${n}`, timestampUs: nowUs - hours * 3_600_000_000 }))),
  ),
]

const OF_EVERY_SOURCE = NINE_AND_OWN.map((source) => ({ ...edge({ id: source, timestampUs: nowUs }), source }))
const BETWEEN_NAMES = AWKWARD_NAMES.map((project) => edge({ id: project, timestampUs: nowUs, project }))

const PROJECTS = [
  logsAll('nothing held, nothing shown', [], {}, []),
  logsAll('rows of the source edge_logs alone', OF_EVERY_SOURCE, {}, [rowOf(OF_EVERY_SOURCE[0]!)]),
  logsAll(
    'the project is equal, letter by letter',
    ['a', 'A', 'ab', ' a', '', null].map((project) => edge({ id: `${project}`, timestampUs: nowUs, project })),
    {},
    [rowOf(edge({ id: 'a', timestampUs: nowUs }))],
  ),
  logsAll('a project that nothing has', [edge({ timestampUs: nowUs })], { project: 'nobody' }, []),
  logsAll(
    'records without a project are nobody’s',
    [edge({ timestampUs: nowUs, project: null })],
    { project: 'null' },
    [],
  ),
  ...shown(
    'I4',
    AWKWARD_NAMES.map((project, i) =>
      logsAll(`project ${JSON.stringify(project).slice(0, 20)}`, BETWEEN_NAMES, { project }, [
        rowOf(BETWEEN_NAMES[i]!),
      ]),
    ),
  ),
  logsAll('parameters of other queries have no effect', [edge({ timestampUs: nowUs })], { interval: '5min', x: '1' }, [
    rowOf(edge({ timestampUs: nowUs })),
  ]),
]

const METADATA = [
  '{"n":[1.0,1e5,12345678901234567890,-0,1E+2,0.10]}',
  '{ "white" : [ "space" ,\t1 ] }',
  '{"a":1,"a":2}',
  '{"__proto__":{"x":1},"constructor":null}',
  '{"escaped":"\\u00e9\\/\\ud800","plain":"é"}',
  '[{"request":[{"url":"u"}]},{"second":true}]',
  '[]',
  '{}',
  JSON.stringify({ long: 'y'.repeat(65_536) }),
]

const TEXTS = ['', 'say "hello"\\', 'a\nb\r\n\tc', 'NUL \0 in it', 'U+2028 \u2028', '日本語 😀', 'z'.repeat(65_536)]

const VALUES = [
  ...METADATA.map((metadata) => {
    const record = edge({ timestampUs: nowUs, metadata })
    return logsAll(`metadata as it came: ${metadata.slice(0, 50)}`, [record], {}, [rowOf(record)])
  }),
  ...TEXTS.map((text) => {
    const record = edge({ timestampUs: nowUs, id: text, event_message: text })
    return logsAll(`id and message as they came: ${JSON.stringify(text).slice(0, 30)}`, [record], {}, [rowOf(record)])
  }),
  logsAll(
    'equal ids are all shown',
    upTo(3).map((n) => edge({ id: 'same', timestampUs: nowUs, event_message: `${n}` })),
    {},
    [3, 2, 1].map((n) => rowOf(edge({ id: 'same', timestampUs: nowUs, event_message: `${n}` }))),
  ),
]

const BEFORE_THE_EPOCH = ['1970-01-01T00:00:00Z', '1969-12-31T23:59:59.999999Z', '1969-12-31T12:00:00.000001Z']

const EPOCH: Case[] = [
  {
    ...shows('times before the epoch', [...BEFORE_THE_EPOCH, '1969-12-31T12:00:00Z'], {}, BEFORE_THE_EPOCH),
    nowUs: at('1970-01-01T12:00:00Z'),
  },
]

export const LOGS_ALL_CASES: readonly Case[] = [
  ...PROJECTS,
  ...RETENTION,
  ...BOUNDS,
  ...ORDER,
  ...shown('I6', VALUES),
  ...EPOCH,
]
