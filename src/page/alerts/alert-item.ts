/** An alert in the list: state, rule, text, labels and values. */
import type { Alert, AlertRule } from '../api/alerts.js'
import { element, showText } from '../shared/dom.js'
import type { ListPart } from '../shared/keyed-list.js'
import { type AlertsShown, createLink, historyOfAlert, type LinkHost, queryOfRule } from './links.js'
import { namedList, sinceText } from './texts.js'

/** An alert with its rule, if the rule is known, with the project and the range that the page shows. */
export interface ShownAlert {
  alert: Alert
  rule: AlertRule | undefined
  shown: AlertsShown
}

/** Creates the element of an alert. */
export function createAlertItem(host: LinkHost): ListPart<ShownAlert> {
  const state = element('span', { class: 'alert-state' })
  const [name, severity] = [element('b', { class: 'alert-rule' }), element('span', { class: 'fine' })]
  const since = element('span', { class: 'fine alert-since' })
  const text = element('p', { class: 'alert-text', dir: 'auto' })
  const names = element('div', { class: 'alert-all-names' })
  const history = createLink('History', 'Changes of this alert')
  const query = createLink('Query', 'The query of the rule, in the SQL view')
  const links = element('p', { class: 'alert-links' }, history.root, ' ', query.root)
  const head = element('p', { class: 'alert-head' }, state, name, severity, since)
  const root = element('li', { class: 'alert' }, head, text, names, links)
  let named = ''

  return {
    root,
    show({ alert, rule, shown }) {
      root.dataset.state = alert.state
      state.textContent = alert.state
      name.textContent = alert.rule
      severity.textContent = `${alert.severity}${alert.is_muted ? ', not notified' : ''}`
      since.textContent = sinceText(alert)
      showText(text, alert.text)
      const all = JSON.stringify([alert.labels, alert.values])
      // An unchanged text stays selected.
      if (all !== named)
        names.replaceChildren(...namedList('Labels', alert.labels), ...namedList('Values', alert.values))
      named = all
      const ofHistory = historyOfAlert(alert, rule?.labels ?? [], shown)
      history.show(ofHistory && host.hrefOf(ofHistory))
      const ofQuery = queryOfRule(rule, alert.labels.project ?? shown.project, host)
      query.show(ofQuery && host.hrefOf(ofQuery))
    },
  }
}
