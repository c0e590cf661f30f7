/** A rule of alerts: its description, its health, and its history. */
import type { AlertRule } from '../api/alerts.js'
import { element, showText } from '../shared/dom.js'
import type { ListPart } from '../shared/keyed-list.js'
import { type AlertsShown, createLink, historyOfRule, type LinkHost, queryOfRule } from './links.js'
import { createRuleTimeline, type RuleHistory, type RuleTimeline } from './rule-timeline.js'
import { activeText, timeAndAge, timeText, timingText } from './texts.js'

/** A rule with the project and the range that the page shows. */
export interface ShownRule {
  rule: AlertRule
  shown: AlertsShown
  /** Undefined while unknown. The same object as before if nothing is to be drawn again. */
  history: RuleHistory | undefined
}

const HEALTH: Readonly<Record<AlertRule['health'], string>> = { ok: 'ok', broken: 'broken', new: 'not evaluated yet' }

/** Creates the element of a rule. */
export function createRuleCard(host: LinkHost): ListPart<ShownRule> {
  const [name, severity] = [element('h3'), element('span', { class: 'fine' })]
  const [health, active] = [element('span', { class: 'rule-health' }), element('span', { class: 'rule-active' })]
  const summary = element('p', { class: 'rule-summary', dir: 'auto' })
  const [timing, muted] = [element('p', { class: 'fine' }), element('p', { class: 'rule-muted' })]
  const reason = element('p', { class: 'error rule-reason' })
  const history = createLink('History', 'Changes of the alerts of this rule')
  const query = createLink('Query', 'The query of the rule, in the SQL view')
  const links = element('p', { class: 'alert-links' }, history.root, ' ', query.root)
  const head = element('header', {}, name, severity, health, active)
  const root = element('article', { class: 'card rule' }, head, summary, timing, muted, reason, links)
  let timeline: RuleTimeline | undefined
  let drawn: RuleHistory | undefined

  return {
    root,
    show({ rule, shown, history: happened }) {
      root.dataset.health = rule.health
      root.setAttribute('aria-label', `Rule ${rule.name}`)
      name.textContent = rule.name
      severity.textContent = rule.severity
      health.textContent = HEALTH[rule.health]
      active.textContent = activeText(rule)
      showText(summary, rule.summary ?? '')
      const evaluated = rule.last_evaluation === null ? '' : `. Evaluated at ${timeAndAge(rule.last_evaluation)}`
      timing.textContent = `${timingText(rule)}${evaluated}`
      showText(muted, mutedText(rule))
      showText(reason, reasonText(rule))
      const ofHistory = historyOfRule(rule, shown)
      history.show(ofHistory && host.hrefOf(ofHistory))
      const ofQuery = queryOfRule(rule, shown.project, host)
      query.show(ofQuery && host.hrefOf(ofQuery))
      if (happened === undefined || happened === drawn) return
      if (timeline === undefined) {
        timeline = createRuleTimeline(rule.name)
        links.before(timeline.root)
      }
      timeline.show(happened)
      drawn = happened
    },
  }
}

function mutedText({ muted }: AlertRule): string {
  if (muted === null) return ''
  const why = muted.reason === null ? '' : `: ${muted.reason}`
  return `Muted until ${timeText(muted.until)}${why}`
}

function reasonText({ health, reason }: AlertRule): string {
  if (reason === undefined || reason === null || reason === '') return ''
  return `${health === 'broken' ? 'Broken' : 'The last evaluation failed'}: ${reason}`
}
