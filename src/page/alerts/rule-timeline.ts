/** The timeline of a rule: its alerts over the range that is shown, as spans and as a table. */
import { tableOf } from '../answer/table.js'
import type { Alert, AlertChange, AlertHistory } from '../api/alerts.js'
import { type LaneChange, lanesOf, type TimelineRange } from '../plot/spans.js'
import { timelineOf } from '../plot/timeline.js'
import { element } from '../shared/dom.js'
import { labelsText } from '../shared/labels-text.js'
import { usOf } from '../shared/range.js'
import { timestamp } from '../shared/times.js'

/** Most changes in the table: the newest. */
const MAX_CHANGES = 100

/** The parts of the timeline of a rule. */
export interface RuleHistory {
  /** Changes of the rule, oldest first, and the time from which none is missing. */
  history: AlertHistory
  /** The alerts of the rule that are active or were resolved lately. */
  alerts: readonly Alert[]
  range: TimelineRange
}

/** The element, and the function that shows a history. */
export interface RuleTimeline {
  readonly root: HTMLElement
  show(shown: RuleHistory): void
}

/** Creates the timeline of a rule. The table is made when the user opens it. */
export function createRuleTimeline(rule: string): RuleTimeline {
  const lanes = element('div')
  const scroll = element('div', { class: 'scroll', role: 'region', tabindex: '0', 'aria-label': `Changes of ${rule}` })
  const details = element('details', { class: 'values' }, element('summary', {}, 'Changes as a table'), scroll)
  const root = element('div', { class: 'rule-timeline' }, lanes, details)
  let shown: RuleHistory | undefined
  const fill = () => {
    if (details.open && shown !== undefined) scroll.replaceChildren(changesTable(shown.history.changes))
  }
  details.addEventListener('toggle', fill)
  return {
    root,
    show(next) {
      shown = next
      const { history, alerts, range } = next
      const active = new Set(alerts.filter(({ state }) => state === 'pending').map(({ labels }) => labelsText(labels)))
      const whole = { ...range, fromUs: Math.max(range.fromUs, history.cutAtUs ?? range.fromUs) }
      const made = lanesOf(laneChanges(next), whole, (lane) => active.has(lane))
      lanes.replaceChildren(timelineOf(made, range, 'Nothing happened in this time range.'))
      details.hidden = history.changes.length === 0
      fill()
    },
  }
}

/** The changes of the history, and those that the active alerts tell: they may have begun before the range. */
function laneChanges({ history, alerts, range }: RuleHistory): LaneChange[] {
  const stored = history.changes.map(({ labels, timeUs, state }) => ({ lane: labelsText(labels), timeUs, state }))
  const known = new Set(stored.map((change) => JSON.stringify(change)))
  const told = alerts.flatMap(changesOfAlert).filter((change) => !known.has(JSON.stringify(change)))
  return [...stored, ...told].filter(({ timeUs }) => timeUs <= range.toUs)
}

function changesOfAlert({ labels, active_at, starts_at, ends_at }: Alert): LaneChange[] {
  const lane = labelsText(labels)
  const times = [
    ...(starts_at === active_at ? [] : [['pending', active_at] as const]),
    ...(starts_at === null ? [] : [['firing', starts_at] as const]),
    ...(ends_at === null ? [] : [['resolved', ends_at] as const]),
  ]
  return times.map(([state, iso]) => ({ lane, timeUs: usOf(iso), state }))
}

function changesTable(changes: readonly AlertChange[]): HTMLElement {
  const rows = changes
    .slice(-MAX_CHANGES)
    .reverse()
    .map(({ timeUs, state, labels, text }) => [
      timestamp(timeUs).slice(0, 19),
      state,
      { text: element('bdi', {}, labelsText(labels)) },
      { text: element('bdi', {}, text) },
    ])
  return tableOf(['Time', 'State', 'Labels', 'Text'], rows)
}
