/** Links from an alert or a rule to its history and to its query. */
import { type Alert, type AlertRule, HISTORY_SOURCE } from '../api/alerts.js'
import type { FilterEntry } from '../api/explore.js'
import { element } from '../shared/dom.js'
import { boundsOf, type Range, usOf } from '../shared/range.js'

/** The project and the range that the page shows. The project may be empty. */
export interface AlertsShown {
  project: string
  range: Range
}

/** The part of the page's state that a link names. */
export interface LinkTarget {
  view: 'explore' | 'sql'
  project: string
  range?: Range
  source?: string
  filters?: readonly FilterEntry[]
  sql?: string
}

/** The state of the page that links keep. */
export interface LinkHost {
  /** Whether the page has the view of queries in SQL. */
  hasSql(): boolean
  /** Returns the URL fragment of another view. */
  hrefOf(target: LinkTarget): string
}

/** Labels that only notifications have. */
const NOT_STORED = ['alertname', 'severity']

/**
 * Returns the rows of an alert's history, or undefined if the history has no project. The range begins with the alert
 * if the alert began before the range that is shown.
 */
export function historyOfAlert(
  { rule, labels, active_at }: Alert,
  names: readonly string[],
  { range }: AlertsShown,
): LinkTarget | undefined {
  const { project } = labels
  if (project === undefined) return undefined
  const stored = [...new Set([...names, ...Object.keys(labels)])].filter((name) => !NOT_STORED.includes(name))
  const ofLabels = stored.map((name) => {
    const field = ['labels', name]
    return Object.hasOwn(labels, name)
      ? ({ field, op: '=', value: labels[name] } as const)
      : ({ field, op: 'missing' } as const)
  })
  const activeUs = usOf(active_at)
  const isBefore = activeUs < boundsOf(range, Date.now() * 1_000).fromUs
  const from: Range = isBefore ? { fromUs: activeUs, toUs: undefined } : range
  return { view: 'explore', source: HISTORY_SOURCE, project, range: from, filters: [ofRule(rule), ...ofLabels] }
}

/** Returns the rows of a rule's history in the shown project, or undefined if no project is shown. */
export const historyOfRule = ({ name }: AlertRule, { project }: AlertsShown): LinkTarget | undefined =>
  project === '' ? undefined : { view: 'explore', source: HISTORY_SOURCE, project, filters: [ofRule(name)] }

/** Returns the query of a rule, or undefined if the token may not see it or the service runs no SQL. */
export const queryOfRule = (
  rule: AlertRule | undefined,
  project: string,
  { hasSql }: LinkHost,
): LinkTarget | undefined =>
  rule?.query === undefined || !hasSql() ? undefined : { view: 'sql', project, sql: rule.query }

const ofRule = (rule: string) => ({ field: 'rule', op: '=', value: rule }) as const

/** A link with a target that changes. Without a target, the link is hidden. */
export interface ChangingLink {
  readonly root: HTMLAnchorElement
  show(href: string | undefined): void
}

/** Creates a link that has no target yet. */
export function createLink(text: string, title: string): ChangingLink {
  const root = element('a', { title, hidden: '' }, text)
  return {
    root,
    show(href) {
      root.hidden = href === undefined
      if (href !== undefined) root.setAttribute('href', href)
    },
  }
}
