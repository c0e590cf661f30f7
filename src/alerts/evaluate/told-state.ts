import { type ToldAlert, toldLabels } from '../delivery/told-alert.js'
import type { Rule } from '../rules/rule.js'
import { BROKEN_RULE, brokenContent, brokenIdentity, type Content, type RuleState } from '../states/state.js'

/** Returns the alerts of a rule that an Alertmanager gets: those that fire, and those resolved a short time ago. */
export function toldState(rule: Rule, state: RuleState): ToldAlert[] {
  const told = (identity: string, { labels, values, text }: Content, startsUs: number, endsUs?: number): ToldAlert => {
    const own = { identity, labels: toldLabels(rule.name, rule.severity, labels), values, text, startsUs, endsUs }
    return { ...own, state: endsUs === undefined ? 'firing' : 'resolved' }
  }
  const firing = [...state.alerts].flatMap(([identity, alert]) =>
    alert.startsUs === undefined ? [] : [told(identity, alert, alert.startsUs)],
  )
  const resolved = [...state.resolved].map(([identity, alert]) => told(identity, alert, alert.startsUs, alert.endsUs))
  return [...firing, ...resolved, ...toldBroken(rule, state)]
}

/** The alert of a rule that is broken. A rule that is well again is not told: Alertmanager ends the alert itself. */
function toldBroken({ name, severity }: Rule, { broken }: RuleState): ToldAlert[] {
  if (broken === undefined) return []
  const content = brokenContent(name, broken.reason)
  const labels = toldLabels(BROKEN_RULE, severity, content.labels)
  const alert = { ...content, identity: brokenIdentity(name), labels }
  return [{ ...alert, state: 'firing', startsUs: broken.startsUs, endsUs: undefined }]
}
