import { describe, expect, it } from 'vitest'
import { ruleOf } from '../../../src/alerts/rules/rule.js'
import { createCollector } from '../../../src/alerts/states/collect.js'
import { NEW_STATE } from '../../../src/alerts/states/state.js'
import { HOUR_US, MILLISECOND_US, MINUTE_US, SECOND_US } from '../../../src/base/units.js'
import type { Row } from '../../../src/plan/answer.js'
import { scansOf } from '../../../src/plan/plan.js'
import { RawJson } from '../../../src/plan/values/values.js'
import { readSql } from '../../../src/sql/read-sql.js'

const NOW_US = Date.UTC(2026, 10, 29, 12) * MILLISECOND_US
const read = (text: string, name = 'edge.errors') => ruleOf(text, name, readSql, NOW_US)

const QUERY = `select project, request.path, count(*) as requests, countif(response.status_code >= 500) as errors
from edge_logs
where timestamp >= timestamp_sub(current_timestamp(), interval 5 minute)
group by project, path
having requests >= 20 and safe_divide(errors, requests) > 0.05`

const WHOLE = `-- Paths of which more than a twentieth failed.
-- alert: every 30s, for 2m, keep firing 5m, delay 20s, notify ops, repeat 1h
-- severity: critical
-- text: {path} fails: {errors} of {requests} requests in 5 minutes
-- muted: until 2026-12-01T08:00Z, the new proxy
${QUERY}`

const withEvery = (comments: string, query = QUERY) => `-- alert: every 30s\n${comments}${query}`

/** The content of a row, as shown. */
function contentOf(text: string, row: Row) {
  const { labels, contentOf: make } = read(text).labelled(row)
  return make(labels)
}

describe('a rule', () => {
  it('is read whole', () => {
    expect(read(WHOLE)).toMatchObject({
      name: 'edge.errors',
      summary: 'Paths of which more than a twentieth failed',
      severity: 'critical',
      notify: 'ops',
      muted: { untilUs: Date.UTC(2026, 11, 1, 8) * MILLISECOND_US, reason: 'the new proxy' },
      mutedUntilUs: Date.UTC(2026, 11, 1, 8) * MILLISECOND_US,
      timing: {
        everyUs: 30 * SECOND_US,
        forUs: 2 * MINUTE_US,
        keepFiringUs: 5 * MINUTE_US,
        delayUs: 20 * SECOND_US,
        repeatUs: HOUR_US,
      },
    })
  })

  it('has defaults for all but every', () => {
    const { timing, notify, severity, muted, mutedUntilUs } = read(withEvery(''))
    const times = { forUs: 0, keepFiringUs: 0, delayUs: 10 * SECOND_US, repeatUs: 4 * HOUR_US }
    expect(timing).toEqual({ everyUs: 30 * SECOND_US, ...times })
    expect([notify, severity, muted]).toEqual([undefined, 'warning', undefined])
    // Without a receiver there is nobody to notify.
    expect(mutedUntilUs).toBe(Number.POSITIVE_INFINITY)
  })

  it('reads rows up to the delay, and none behind', () => {
    const [scan] = scansOf(read(WHOLE).planAt(NOW_US))
    expect(scan).toMatchObject({
      fromUs: NOW_US - 20 * SECOND_US - 5 * MINUTE_US,
      throughUs: NOW_US - 20 * SECOND_US,
    })
  })

  it('makes labels of the keys, values of the rest, and a text of both', () => {
    expect(contentOf(WHOLE, { project: 'a', path: '/x', requests: 40, errors: 4 })).toEqual({
      labels: [
        ['path', '/x'],
        ['project', 'a'],
      ],
      values: [
        ['requests', 40],
        ['errors', 4],
      ],
      text: '/x fails: 4 of 40 requests in 5 minutes',
    })
    expect(contentOf(WHOLE, { project: 'a', path: null, requests: 40, errors: 4 })).toMatchObject({
      labels: [['project', 'a']],
      text: '– fails: 4 of 40 requests in 5 minutes',
    })
  })

  it('follows keys through other names and outer queries', () => {
    const outer =
      'select p as tenant, n from (select project as p, count(*) as n from edge_logs group by p) where n > 3'
    expect(contentOf(withEvery('', outer), { tenant: 'a', n: 4 })).toMatchObject({
      labels: [['tenant', 'a']],
      values: [['n', 4]],
    })
    const rounded = 'select round(execution_time_ms / 3, 1) as ms, count(*) as n from function_edge_logs group by ms'
    expect(contentOf(withEvery('', rounded), { ms: 1.5, n: 4 }).labels).toEqual([['ms', '1.5']])
  })

  it('has the labels that it names, or none', () => {
    const rows = 'select project, id, timestamp from edge_logs limit 3'
    expect(
      contentOf(withEvery('-- labels: id, project\n', rows), { project: 'a', id: 'b', timestamp: 1 }),
    ).toMatchObject({
      labels: [
        ['id', 'b'],
        ['project', 'a'],
      ],
      values: [['timestamp', 1]],
    })
    const none = withEvery('-- labels:\n', 'select count(*) as n from edge_logs having n = 0')
    expect(contentOf(none, { n: 0 })).toMatchObject({ labels: [], values: [['n', 0]], text: 'edge.errors' })
  })

  it('escapes and cuts texts, and replaces each name once', () => {
    const text = withEvery('-- text: {path}{path}|{errors}\n')
    const row = (path: string) => contentOf(text, { project: 'a', path, requests: 1, errors: 2 }).text
    expect(row('{errors} \r\n\u202e')).toBe('{errors} \\r\\n\\u202e{errors} \\r\\n\\u202e|2')
    expect(row('x'.repeat(1_000_000))).toBe(`${'x'.repeat(199)}…${'x'.repeat(199)}…|2`)
    const long = withEvery(`-- text: ${'{path} '.repeat(9)}\n`)
    const all = contentOf(long, { project: 'a', path: 'y'.repeat(300), requests: 1, errors: 2 }).text
    expect([all.length, all.endsWith('…')]).toEqual([1000, true])
  })

  it('keeps values as JSON, with all digits, and cuts long ones', () => {
    const text = withEvery('-- labels: project\n', 'select project, metadata from edge_logs')
    const metadataOf = (metadata: string) =>
      contentOf(text, { project: 'a', metadata: new RawJson(metadata) }).values[0]![1]
    expect(metadataOf('[{"a":1}]')).toEqual([{ a: 1 }])
    expect(metadataOf('9223372036854775807')).toBe('9223372036854775807')
    expect(metadataOf(JSON.stringify(['x'.repeat(600)]))).toBe(`["${'x'.repeat(498)}…`)
  })

  it('fails at the second row with the same labels', () => {
    const collector = createCollector('edge.errors', NEW_STATE, { ofProject: 9, ofRule: 9 })
    const row = { project: 'a', path: '/x', requests: 40, errors: 4 }
    collector.add(read(WHOLE).labelled(row))
    expect(() => collector.add(read(WHOLE).labelled(row))).toThrow(
      'Two rows have the labels {"path":"/x","project":"a"}. Group by all labels, or name in "-- labels:" columns ' +
        'in which rows differ.',
    )
  })
})

describe('a wrong rule', () => {
  const orMore = 'write "every 10s" or more, or at least a hundredth of the window (line 1, column 11)'
  const alert = (line: string) => `${line}\n${QUERY}`
  const group = (key: string) => `select ${key} as k, count(*) as n from edge_logs group by k`
  const remedy = 'Write "-- labels: project, path" with the columns that tell alerts apart (line 2)'

  it.each([
    [QUERY, 'there is no "-- alert: every 30s" above the query (line 1)'],
    [alert('-- alert: for 2m'), '"alert:" has no "every": write how often, such as "every 30s" (line 1, column 11)'],
    [
      alert('-- alert: every 30'),
      '"every" has no length of time: write "every 30s"; units s, m, h, d (line 1, column 11)',
    ],
    [alert('-- alert: every 30s,  evry 2s'), '"evry" is not understood. Did you mean every? (line 1, column 23)'],
    [alert('-- alert: every 30s, for 2m, for 3m'), '"for" is given twice (line 1, column 30)'],
    [alert('-- alert: every 2d'), '"every" is from 1s to 1d, not 2d (line 1, column 11)'],
    [alert('-- alert: every 0s'), '"every" is from 1s to 1d, not 0s (line 1, column 11)'],
    [
      alert('-- alert: every 30s, notify'),
      '"notify" has no name of a receiver: write "notify ops", a table of --receivers (line 1, column 22)',
    ],
    [alert('-- alrt: every 30s'), 'there is no "alrt:". Did you mean "alert:"? (line 1)'],
    [`${QUERY}\n-- alert: every 30s`, 'move "-- alert: …" above the query (line 6)'],
    [alert('-- alert: every 2s'), `"every 2s" is too often for a window of 5m: ${orMore}`],
    [
      '-- alert: every 9s\nselect project, count(*) as n from edge_logs group by project',
      `"every 9s" is too often for a query without a lower bound of time: ${orMore}`,
    ],
    [withEvery('-- severity: very bad\n'), 'the severity is not a word, such as critical (line 2, column 14)'],
    [
      withEvery('-- text: {path} and {eror}\n'),
      'the text names {eror}, which is no column of the query. There are: project, path, requests, errors. ' +
        '(line 2, column 21)',
    ],
    [
      withEvery('-- text: {errorss}\n'),
      'the text names {errorss}, which is no column of the query. Did you mean errors? (line 2, column 10)',
    ],
    [
      withEvery('-- labels: project, pth\n'),
      '"labels:" names "pth", which is no column of the query. Did you mean path? (line 2, column 12)',
    ],
    [withEvery('-- labels: path, path\n'), '"labels:" has path twice (line 2, column 12)'],
    [
      withEvery('-- muted: soon\n'),
      '"muted:" has no time: write "until 2026-12-01T08:00Z, reason", in ISO 8601 (line 2, column 11)',
    ],
    [withEvery('-- param project: text\n'), 'a rule has no parameters: write their values in the query (line 2)'],
    [
      withEvery('', 'select id from edge_logs'),
      `the query has no GROUP BY, so that it does not say which rows are the same alert. ${remedy}`,
    ],
    [
      withEvery('', 'select count(*) as n from edge_logs'),
      `the query has no GROUP BY, so that it does not say which rows are the same alert. ${remedy}`,
    ],
    [
      withEvery('', group('timestamp_trunc(timestamp, hour)')),
      `the key k of GROUP BY is a time, which changes by itself. ${remedy}`,
    ],
    [
      withEvery('', group('1.5 * length(event_message)')),
      `the key k of GROUP BY is an unrounded number: write round(…, 2). ${remedy}`,
    ],
    [
      withEvery('', 'select project as severity, count(*) as n from edge_logs group by severity'),
      'the column severity has the name of a label that alerts have: give it another name with AS (line 2)',
    ],
    [
      withEvery('', 'explain select project, count(*) as n from edge_logs group by project'),
      'a rule cannot be EXPLAIN: delete the word (line 2)',
    ],
    [
      withEvery('', 'select project, count(*) as n from edge_logs where project = @p group by project'),
      'The query has the parameter @p, but only stored queries have parameters. Write its value. (line 2, column 62)',
    ],
    [withEvery('', 'select project, now() from edge_logs'), expect.stringContaining('(line 2, column 17)')],
  ])('is refused with its place: %#', (text, message) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ message }))
  })

  it('is refused by its name', () => {
    expect(() => read(WHOLE, 'LogweirRuleBroken')).toThrow('rename the file')
    expect(() => read(WHOLE, 'a b')).toThrow('the name "a b" is invalid')
  })

  it('may be evaluated each second for a short window', () => {
    const text = `-- alert: every 1s\n${QUERY.replace('5 minute', '90 second')}`
    expect(read(text).timing.everyUs).toBe(SECOND_US)
    expect(() => read(text.replace('90 second', '101 second'))).toThrow('too often')
  })
})
