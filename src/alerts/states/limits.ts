import { MINUTE_US } from '../../base/units.js'

/** How many alerts may be active. Tests lower the numbers. */
export interface AlertLimits {
  /** Alerts of a rule with the same label `project`. */
  ofProject: number
  /** Alerts of a rule. */
  ofRule: number
}

/** The limits of every rule. */
export const ALERT_LIMITS: AlertLimits = { ofProject: 100, ofRule: 1_000 }
/** Failed evaluations in a row after which a rule is broken. */
export const FAILURES_TO_BREAK = 3
/** How long a resolved alert is sent to Alertmanager. */
export const RESOLVED_FOR_US = 15 * MINUTE_US
/** The most resolved alerts of a rule that are sent to Alertmanager: the newest. */
export const MAX_RESOLVED = 1_000
