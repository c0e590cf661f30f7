import type { RuleView } from '../../src/alerts/evaluate/evaluator.js'
import { ruleOf } from '../../src/alerts/rules/rule.js'
import type { Labels } from '../../src/alerts/states/labels.js'
import { type Alert, NEW_STATE, type Resolved, type RuleState } from '../../src/alerts/states/state.js'
import { SECOND_US } from '../../src/base/units.js'
import { readSql } from '../../src/sql/read-sql.js'

const QUERY = 'select project, path, count(*) as n from edge_logs group by project, path'

/** Returns a rule with a state. `more` are further lines of its front matter. */
export function viewOf(name: string, state: Partial<RuleState>, more = '', failure?: string): RuleView {
  const text = `-- A rule.\n-- alert: every 30s, for 1m, notify ops\n${more}${QUERY}`
  return { rule: ruleOf(text, name, readSql, 0), state: { ...NEW_STATE, ...state }, failure }
}

/** Returns an alert that began at a second, and fired at another one if given. */
export function alertOf(labels: Labels, sinceS: number, startsS?: number): Alert {
  return {
    ...{ labels, values: [['n', 1]], text: labels.map(([, text]) => text).join(' ') },
    ...{ sinceUs: sinceS * SECOND_US, startsUs: startsS === undefined ? undefined : startsS * SECOND_US },
    ...{ missingUs: undefined, notifiedUs: undefined },
  }
}

/** Returns an alert that was resolved. */
export const resolvedOf = (labels: Labels, startsS: number, endsS: number): Resolved => ({
  ...{ labels, values: [], text: 'over', startsUs: startsS * SECOND_US, endsUs: endsS * SECOND_US },
})
