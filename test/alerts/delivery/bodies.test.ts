import { describe, expect, it } from 'vitest'
import { alertmanagerBody, alertmanagerUrl } from '../../../src/alerts/delivery/alertmanager.js'
import { notificationsOf } from '../../../src/alerts/delivery/requests.js'
import type { AlertEvent } from '../../../src/alerts/states/state.js'
import { MILLISECOND_US, MINUTE_US } from '../../../src/base/units.js'

const NOW_US = Date.UTC(2026, 10, 29, 12) * MILLISECOND_US
const ODD = '<!channel> {errors} \r\nX: y "\u202e'

function eventOf(path: string, change: Partial<AlertEvent> = {}): AlertEvent {
  const labels = [
    ['path', path],
    ['project', 'a'],
  ] as const
  const times = { instantUs: NOW_US, startsUs: NOW_US - MINUTE_US }
  return {
    rule: 'edge.errors',
    identity: `id${path}`,
    state: 'firing',
    ...times,
    labels,
    values: [['errors', 4]],
    text: `${path} fails`,
    ...change,
  }
}

function requests(kind: 'webhook' | 'slack', events: readonly AlertEvent[], name = 'ops') {
  let id = 0
  return notificationsOf({ name, kind }, events, { severity: 'critical', nextId: () => ++id, nowUs: NOW_US })
}

describe('the body of a webhook', () => {
  it('has the form of Alertmanager, version 4, and the values', () => {
    const [request] = requests('webhook', [eventOf('/x'), eventOf('/y', { state: 'resolved' })])
    expect(JSON.parse(request!.body)).toEqual({
      version: '4',
      groupKey: '{}:{alertname="edge.errors"}',
      truncatedAlerts: 0,
      status: 'firing',
      receiver: 'ops',
      groupLabels: { alertname: 'edge.errors' },
      commonLabels: { alertname: 'edge.errors', project: 'a', severity: 'critical' },
      commonAnnotations: {},
      externalURL: '',
      alerts: [
        {
          status: 'firing',
          labels: { alertname: 'edge.errors', path: '/x', project: 'a', severity: 'critical' },
          annotations: { summary: '/x fails' },
          startsAt: '2026-11-29T11:59:00Z',
          endsAt: '0001-01-01T00:00:00Z',
          generatorURL: '',
          fingerprint: 'id/x',
          values: { errors: 4 },
        },
        expect.objectContaining({ status: 'resolved', endsAt: '2026-11-29T12:00:00Z' }),
      ],
    })
  })

  it('escapes control and direction characters without changing a value', () => {
    const [request] = requests('webhook', [eventOf(ODD)])
    expect(request!.body).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
    expect(JSON.parse(request!.body).alerts[0].labels.path).toBe(ODD)
  })

  it('is split at 100 alerts and 256 KiB, and repeats and loses none', () => {
    const many = Array.from({ length: 250 }, (_, i) => eventOf(`/${i}`))
    const few = Array.from({ length: 7 }, (_, i) => eventOf(`/${i}`, { values: [['text', '\u0001'.repeat(20_000)]] }))
    for (const [events, sizes] of [
      [many, [100, 100, 50]],
      [few, [1, 2, 2, 2]],
    ] as const) {
      const made = requests('webhook', events)
      expect(made.map(({ body }) => JSON.parse(body).alerts.length)).toEqual(sizes)
      expect(Math.max(...made.map(({ body }) => Buffer.byteLength(body)))).toBeLessThanOrEqual(256 * 1024)
      expect(made.flatMap(({ identities }) => identities)).toEqual(events.map(({ identity }) => identity))
      expect(made.map(({ id }) => id)).toEqual(made.map((_, i) => i + 1))
    }
  })
})

describe('the idempotency key', () => {
  const keyOf = (events: readonly AlertEvent[], receiver?: string) => requests('webhook', events, receiver)[0]!.key

  it('is a SHA-256, the same for the same alerts in any order', () => {
    expect(keyOf([eventOf('/x'), eventOf('/y')])).toMatch(/^[\da-f]{64}$/)
    expect(keyOf([eventOf('/y'), eventOf('/x')])).toBe(keyOf([eventOf('/x'), eventOf('/y')]))
    expect(keyOf([eventOf('/x', { text: 'other', values: [] })])).toBe(keyOf([eventOf('/x')]))
  })

  it('differs by receiver, rule, labels, state and instant', () => {
    const changes = [{ rule: 'b' }, { labels: [] }, { state: 'resolved' }, { instantUs: 1 }] as const
    const keys = [
      keyOf([eventOf('/x')]),
      keyOf([eventOf('/x')], 'b'),
      ...changes.map((change) => keyOf([eventOf('/x', change)])),
    ]
    expect(new Set(keys).size).toBe(keys.length)
  })
})

describe('a message of Slack', () => {
  const textOf = (events: readonly AlertEvent[]) => JSON.parse(requests('slack', events)[0]!.body).text as string

  it('is a line for each alert, with everything escaped', () => {
    expect(textOf([eventOf('/x'), eventOf(ODD)])).toBe(
      'FIRING critical edge.errors: /x fails (path=/x, project=a)\n' +
        'FIRING critical edge.errors: &lt;!channel&gt; {errors} \\r\\nX: y "\\u202e fails ' +
        '(path=&lt;!channel&gt; {errors} \\r\\nX: y "\\u202e, project=a)',
    )
  })

  it('has at most 20 alerts and 3,000 characters, and the number of the others', () => {
    const many = textOf(Array.from({ length: 321 }, (_, i) => eventOf(`/${i}`)))
    expect(many.split('\n').length).toBe(21)
    expect(many.endsWith('\n… and 301 more')).toBe(true)
    for (const text of ['<'.repeat(1_000), '\u0001'.repeat(900), 'x'.repeat(1_000)]) {
      const long = textOf(Array.from({ length: 20 }, (_, i) => eventOf(`/${i}`, { text })))
      expect(long.length).toBeLessThanOrEqual(3_000)
      expect(long).toMatch(/^FIRING critical edge.errors: .*\n… and \d+ more$/s)
      expect(long).not.toMatch(/&(?!amp;|lt;|gt;)/)
    }
  })
})

describe('the state for an Alertmanager', () => {
  it('ends four minutes ahead, or when the alert was resolved', () => {
    const alert = { identity: 'i', labels: [['alertname', 'a']] as const, text: 't', values: [], startsUs: NOW_US }
    const body = alertmanagerBody(
      [
        { ...alert, state: 'firing', endsUs: undefined },
        { ...alert, state: 'resolved', endsUs: NOW_US + MINUTE_US },
      ],
      NOW_US,
    )
    const own = { labels: { alertname: 'a' }, annotations: { summary: 't' }, startsAt: '2026-11-29T12:00:00Z' }
    expect(JSON.parse(body)).toEqual([
      { ...own, endsAt: '2026-11-29T12:04:00Z' },
      { ...own, endsAt: '2026-11-29T12:01:00Z' },
    ])
  })

  it('goes to /api/v2/alerts, also behind a prefix', () => {
    expect(alertmanagerUrl('http://a:9093')).toBe('http://a:9093/api/v2/alerts')
    expect(alertmanagerUrl('http://a/am/')).toBe('http://a/am/api/v2/alerts')
    expect(alertmanagerUrl('http://a/api/v2/alerts')).toBe('http://a/api/v2/alerts')
  })
})
