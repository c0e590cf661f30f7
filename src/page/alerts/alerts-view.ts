/** The view of alerts: those that are active or were resolved lately, and the rules with their timelines. */
import { type Alert, type AlertHistory, type AlertRule, fetchAlerts, fetchHistory, fetchRules } from '../api/alerts.js'
import type { Failure } from '../api/api.js'
import { failureOf } from '../api/explore.js'
import type { TimelineRange } from '../plot/spans.js'
import { element } from '../shared/dom.js'
import { createKeyedList } from '../shared/keyed-list.js'
import { labelsText } from '../shared/labels-text.js'
import { boundsOf, closedAt, isoBounds } from '../shared/range.js'
import { rangeLabel } from '../shared/range-label.js'
import { timestamp } from '../shared/times.js'
import { createAlertItem, type ShownAlert } from './alert-item.js'
import type { AlertsShown, LinkHost } from './links.js'
import { createRuleCard, type ShownRule } from './rule-card.js'
import type { RuleHistory } from './rule-timeline.js'

/** Time between two requests of alerts and rules, and the age at which the history is requested again. */
const [POLL_MS, HISTORY_MS] = [5_000, 60_000]
/** Most alerts in the list. */
const MAX_ALERTS = 200

/** Callbacks of the view to the page. */
export interface AlertsHost extends LinkHost {
  /** Called with the alerts of each answer. */
  onAlerts(alerts: readonly Alert[]): void
  /** Returns true if the page handled the failure by signing out. */
  isHandled(failure: Failure): boolean
}

/** The interface of the view to the page. */
export interface AlertsView {
  /** Shows alerts and rules, with timelines of the project over the range. Loads again every five seconds. */
  show(shown: AlertsShown): void
  refresh(): void
  stop(): void
  redraw(): void
}

/** The history of all rules of a project over a range. */
interface Happened {
  history: AlertHistory
  range: TimelineRange
  /** When and for which alerts the history was requested. */
  atMs: number
  key: string
}

interface AlertsElements {
  readonly host: AlertsHost
  readonly state: HTMLElement
  readonly size: HTMLElement
  readonly about: HTMLElement
  readonly showAlerts: (alerts: readonly ShownAlert[]) => void
  readonly showRules: (rules: readonly ShownRule[]) => void
  shown: AlertsShown
  alerts: readonly Alert[]
  rules: readonly AlertRule[]
  happened: Happened | undefined
  /** The histories by rule that are drawn. */
  drawn: ReadonlyMap<string, RuleHistory>
  loading: AbortController
  isLoading: boolean
  timer: ReturnType<typeof setInterval> | undefined
}

const keyOf = ({ rule, labels }: Alert) => JSON.stringify([rule, labelsText(labels)])

/** Creates the view in an element. */
export function createAlertsView(root: HTMLElement, host: AlertsHost): AlertsView {
  const [list, cards] = [element('ul', { class: 'alert-list' }), element('div', { class: 'rule-list' })]
  const view: AlertsElements = {
    host,
    state: element('p', { class: 'alerts-note', role: 'status' }, 'Loading …'),
    size: element('p', { class: 'fine' }),
    about: element('p', { class: 'fine' }),
    showAlerts: createKeyedList(
      list,
      ({ alert }) => keyOf(alert),
      () => createAlertItem(host),
    ),
    showRules: createKeyedList(
      cards,
      ({ rule }) => rule.name,
      () => createRuleCard(host),
    ),
    ...{ shown: { project: '', range: { preset: '1hr' } }, alerts: [], rules: [] },
    ...{ happened: undefined, drawn: new Map(), loading: new AbortController(), isLoading: false, timer: undefined },
  }
  const active = element(
    'section',
    { class: 'card', 'aria-label': 'Alerts' },
    element('h2', {}, 'Alerts'),
    view.size,
    list,
  )
  const rules = element(
    'section',
    { class: 'rules', 'aria-label': 'Rules' },
    element('h2', {}, 'Rules'),
    view.about,
    cards,
  )
  root.replaceChildren(view.state, active, rules)
  return {
    show({ project, range }) {
      view.shown = { project, range }
      view.timer ??= setInterval(
        () => document.visibilityState === 'visible' && !view.isLoading && void load(view),
        POLL_MS,
      )
      void load(view)
    },
    refresh() {
      view.happened = undefined
      void load(view)
    },
    stop() {
      clearInterval(view.timer)
      view.timer = undefined
      cancel(view)
    },
    redraw() {
      view.drawn = new Map()
      draw(view)
    },
  }
}

function cancel(view: AlertsElements): void {
  view.loading.abort()
  view.isLoading = false
}

/** Loads alerts and rules, then the history if it is old or an alert has changed. */
async function load(view: AlertsElements): Promise<void> {
  cancel(view)
  view.loading = new AbortController()
  const { signal } = view.loading
  view.isLoading = true
  try {
    const [alerts, rules] = await Promise.all([fetchAlerts(signal), fetchRules(signal)])
    Object.assign(view, { alerts, rules })
    view.host.onAlerts(alerts)
    draw(view)
    await loadHistory(view, signal)
    view.state.textContent = ''
    draw(view)
  } catch (error) {
    if (!signal.aborted) failed(view, failureOf(error))
  } finally {
    if (!signal.aborted) view.isLoading = false
  }
}

async function loadHistory(view: AlertsElements, signal: AbortSignal): Promise<void> {
  const { shown, alerts, happened } = view
  const key = JSON.stringify([shown, alerts.map((alert) => [keyOf(alert), alert.state, alert.active_at])])
  if (happened?.key === key && Date.now() - happened.atMs < HISTORY_MS) return
  const nowUs = Date.now() * 1_000
  const bounds = boundsOf(shown.range, nowUs)
  const { fromUs, toUs } = closedAt(bounds, nowUs)
  const none = { changes: [], cutAtUs: undefined }
  const history = shown.project === '' ? none : await fetchHistory(shown.project, isoBounds(bounds), signal)
  view.happened = { history, range: { fromUs, toUs: toUs! }, atMs: Date.now(), key }
  view.drawn = new Map()
}

/** Alerts and rules that are shown stay. The next poll tries again. */
function failed(view: AlertsElements, failure: Failure): void {
  if (view.host.isHandled(failure)) return
  view.state.textContent = `${failure.message}${failure.retryS === undefined ? '' : ' Retrying …'}`
}

const ORDER = { firing: 0, pending: 1, resolved: 2 } as const

function draw(view: AlertsElements): void {
  const { shown, alerts, rules, happened, drawn } = view
  const ofRule = new Map(rules.map((rule) => [rule.name, rule]))
  const sorted = alerts.toSorted((a, b) => ORDER[a.state] - ORDER[b.state]).slice(0, MAX_ALERTS)
  view.size.textContent = sizeText(alerts)
  view.showAlerts(sorted.map((alert) => ({ alert, rule: ofRule.get(alert.rule), shown })))
  if (happened !== undefined && drawn.size === 0)
    view.drawn = new Map(rules.map(({ name }) => [name, historyOf(name, view, happened)]))
  view.about.textContent = rules.length === 0 ? 'There is no rule.' : aboutText(shown, happened)
  view.showRules(rules.map((rule) => ({ rule, shown, history: view.drawn.get(rule.name) })))
}

/** The alerts of the project, and those of none, which have no history. Without a project, all alerts. */
function historyOf(name: string, { shown, alerts }: AlertsElements, { history, range }: Happened): RuleHistory {
  const isShown = ({ rule, labels }: Alert) =>
    rule === name && (shown.project === '' || (labels.project ?? shown.project) === shown.project)
  const changes = history.changes.filter(({ rule }) => rule === name)
  return { history: { ...history, changes }, alerts: alerts.filter(isShown), range }
}

function sizeText(alerts: readonly Alert[]): string {
  if (alerts.length === 0) return 'Nothing fires.'
  const count = (state: Alert['state']) => alerts.filter((alert) => alert.state === state).length
  const more = alerts.length > MAX_ALERTS ? `. The first ${MAX_ALERTS} are shown` : ''
  return `${count('firing')} firing, ${count('pending')} pending, ${count('resolved')} resolved lately${more}`
}

function aboutText({ project, range }: AlertsShown, happened: Happened | undefined): string {
  if (project === '') return 'Choose a project to see what happened before.'
  const cutAtUs = happened?.history.cutAtUs
  const cut = cutAtUs === undefined ? '' : `. Changes before ${timestamp(cutAtUs).slice(0, 19)} are too many to show`
  return `Timelines of project ${project}: ${rangeLabel(range)}${cut}`
}
