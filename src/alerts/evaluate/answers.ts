import { SECOND_US } from '../../base/units.js'
import { type Labels, labelOf } from '../states/labels.js'
import { BROKEN_RULE, brokenContent, type Content, type RuleState } from '../states/state.js'
import { instantText } from '../states/timing.js'
import type { RuleView } from './evaluator.js'

/** The most alerts of an answer, the newest. */
export const MAX_LISTED_ALERTS = 5_000

/** The projects that a caller may see. Undefined: all, and alerts without a project. */
export type SeenProjects = ReadonlySet<string> | undefined

const isSeen = (labels: Labels, projects: SeenProjects): boolean =>
  projects === undefined || projects.has(labelOf(labels, 'project') ?? '')

const timeOf = (us: number | undefined): string | null => (us === undefined ? null : instantText(us))

interface Listed {
  /** The instant of the state. */
  sinceUs: number
  json: object
}

/** Returns the alerts that a caller may see, as JSON, those of the newest state first. */
export function alertsAnswer(views: readonly RuleView[], nowUs: number, projects: SeenProjects): object[] {
  const listed = views.flatMap((view) => listedAlerts(view, nowUs, projects))
  return listed
    .sort((a, b) => b.sinceUs - a.sinceUs)
    .slice(0, MAX_LISTED_ALERTS)
    .map(({ json }) => json)
}

function listedAlerts({ rule, state }: RuleView, nowUs: number, projects: SeenProjects): Listed[] {
  const { name, severity, muted } = rule
  const isMuted = muted !== undefined && nowUs < muted.untilUs
  const listed = (
    word: 'pending' | 'firing' | 'resolved',
    { labels, values, text }: Content,
    { activeUs, startsUs, endsUs }: { activeUs: number; startsUs?: number | undefined; endsUs?: number },
    ofRule = name,
  ): Listed => ({
    sinceUs: endsUs ?? startsUs ?? activeUs,
    json: {
      ...{ rule: ofRule, severity, state: word, labels: Object.fromEntries(labels) },
      ...{ values: Object.fromEntries(values), text, active_at: timeOf(activeUs) },
      ...{ starts_at: timeOf(startsUs), ends_at: timeOf(endsUs), is_muted: isMuted },
    },
  })
  const active = seenAlerts(state, projects).map((alert) => {
    const { startsUs, sinceUs } = alert
    return listed(startsUs === undefined ? 'pending' : 'firing', alert, { activeUs: sinceUs, startsUs })
  })
  const resolved = [...state.resolved.values()]
    .filter(({ labels }) => isSeen(labels, projects))
    .map((alert) => listed('resolved', alert, { activeUs: alert.startsUs, ...alert }))
  return [...active, ...resolved, ...(projects === undefined ? brokenAlerts() : [])]

  function brokenAlerts(): Listed[] {
    if (state.broken === undefined) return []
    const { startsUs, reason } = state.broken
    return [listed('firing', brokenContent(name, reason), { activeUs: startsUs, startsUs }, BROKEN_RULE)]
  }
}

const seenAlerts = (state: RuleState, projects: SeenProjects) =>
  [...state.alerts.values()].filter(({ labels }) => isSeen(labels, projects))

/**
 * Returns the rules as JSON, by name. A caller that is bound to projects sees neither the query nor the receiver nor
 * why a rule fails, since an error may quote labels, and counts the own alerts only.
 */
export function rulesAnswer(views: readonly RuleView[], nowUs: number, projects: SeenProjects): object[] {
  return views
    .toSorted((a, b) => (a.rule.name < b.rule.name ? -1 : 1))
    .map((view) => ({ ...commonPart(view, nowUs, projects), ...(projects === undefined && privatePart(view)) }))
}

function commonPart({ rule, state }: RuleView, nowUs: number, projects: SeenProjects): object {
  const { name, summary, severity, timing, labelNames, muted } = rule
  const alerts = seenAlerts(state, projects)
  const firing = alerts.filter(({ startsUs }) => startsUs !== undefined).length
  return {
    ...{ name, summary: summary ?? null, severity },
    every: timing.everyUs / SECOND_US,
    for: timing.forUs / SECOND_US,
    keep_firing: timing.keepFiringUs / SECOND_US,
    delay: timing.delayUs / SECOND_US,
    repeat: timing.repeatUs / SECOND_US,
    labels: labelNames,
    muted:
      muted === undefined || muted.untilUs <= nowUs
        ? null
        : { until: instantText(muted.untilUs), reason: muted.reason ?? null },
    health: state.broken !== undefined ? 'broken' : state.lastUs === undefined ? 'new' : 'ok',
    last_evaluation: timeOf(state.lastUs),
    ...{ pending: alerts.length - firing, firing },
  }
}

const privatePart = ({ rule, state, failure }: RuleView): object => ({
  notify: rule.notify ?? null,
  reason: state.broken?.reason ?? failure ?? null,
  query: rule.text,
})
