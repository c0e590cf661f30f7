/** Answers of a service with alerts, in place of those of the service that the page is opened from. */
import type { Page, Route } from 'playwright-core'
import type { Alert, AlertRule } from '../../src/page/api/alerts.js'

/** A stored change of an alert. */
export interface StubEvent {
  timestamp: number
  event_message: string
  metadata: { rule: string; state: string; labels: Record<string, string>; values: object; severity: string }
}

/** The answers, which a test may change, and the requests. */
export interface AlertStub {
  alerts: Alert[]
  rules: AlertRule[]
  events: StubEvent[]
  /** Answers a backtest. */
  test(rule: string): { status: number; body: object }
  /** The paths of the requests, in order. */
  asked: string[]
  /** The parameters of the requests for the history. */
  histories: URLSearchParams[]
  /** The bodies of the backtests that were requested. */
  tests: { rule: string; last: string }[]
}

/** Returns a stub without rules. */
export const emptyStub = (): AlertStub => ({
  ...{ alerts: [], rules: [], events: [], asked: [], histories: [], tests: [] },
  test: () => ({ status: 404, body: { error: { code: 'not_found', message: 'There is nothing here.' } } }),
})

/** Answers the requests of a page about alerts from a stub. */
export async function answerAlerts(page: Page, stub: AlertStub): Promise<void> {
  const json = (route: Route, body: object, status = 200) =>
    route.fulfill({ status, contentType: 'application/json', body: JSON.stringify(body) })
  await page.route('**/api/alerting/*', (route) => {
    const path = new URL(route.request().url()).pathname
    stub.asked.push(path.split('/').at(-1)!)
    if (path.endsWith('/alerts')) return json(route, { result: stub.alerts })
    if (path.endsWith('/rules')) return json(route, { result: stub.rules })
    const sent = route.request().postDataJSON()
    stub.tests.push(sent)
    const { status, body } = stub.test(sent.rule)
    return json(route, body, status)
  })
  await page.route(/logs\.(?:histogram|fields)\?.*source=alert_events/, (route) => json(route, { result: [] }))
  await page.route('**/logs.explore?*source=alert_events*', (route) => {
    const params = new URL(route.request().url()).searchParams
    stub.histories.push(params)
    const beforeUs = Number(params.get('before')?.split('.')[0] ?? Number.POSITIVE_INFINITY)
    const rows = stub.events
      .filter(({ timestamp }) => timestamp < beforeUs)
      .toSorted((a, b) => b.timestamp - a.timestamp)
      .slice(0, Number(params.get('limit')))
      .map((event) => JSON.stringify({ id: String(event.timestamp), ...event, rank: 1 }))
    return route.fulfill({ contentType: 'application/x-ndjson', body: rows.map((row) => `${row}\n`).join('') })
  })
}

/** Returns an alert that fires. */
export const alertOf = (given: Partial<Alert> = {}): Alert => ({
  ...{ rule: 'errors', severity: 'critical', state: 'firing', text: '/x fails: 12 of 40 requests' },
  ...{ labels: { project: 'a', path: '/x' }, values: { errors: 12, requests: 40 }, is_muted: false },
  ...{ active_at: agoIso(600), starts_at: agoIso(480), ends_at: null },
  ...given,
})

/** Returns a rule, as a token sees it that is not bound to projects. */
export const ruleOf = (given: Partial<AlertRule> = {}): AlertRule => ({
  ...{ name: 'errors', summary: 'Paths of which more than a twentieth failed', severity: 'critical' },
  ...{ every: 30, for: 120, keep_firing: 300, delay: 10, repeat: 14_400, labels: ['project', 'path'], notify: 'ops' },
  ...{ muted: null, health: 'ok', reason: null, last_evaluation: agoIso(5), pending: 0, firing: 1 },
  query: '-- alert: every 30s, for 2m\nselect project, count(*) as n from edge_logs group by project',
  ...given,
})

/** Returns a change of an alert, some seconds ago. */
export const eventOf = (
  secondsAgo: number,
  state: string,
  labels: Record<string, string> = { project: 'a', path: '/x' },
  rule = 'errors',
): StubEvent => ({
  timestamp: Math.floor(Date.now() / 1_000 - secondsAgo) * 1e6,
  event_message: `${rule} is ${state}`,
  metadata: { rule, state, labels, values: { errors: 12 }, severity: 'critical' },
})

/** Returns a time some seconds ago, in whole seconds. */
export const agoIso = (seconds: number): string =>
  new Date(Math.floor(Date.now() / 1_000 - seconds) * 1_000).toISOString()
