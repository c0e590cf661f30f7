import { identityOf, type Labels } from './labels.js'

/** A value of an alert, as JSON. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue }
/** The columns of an alert's row that are no labels, in the order of the query. */
export type Values = readonly (readonly [column: string, value: JsonValue])[]

/** The row of an alert: the labels as shown, the values, and the text of the rule with both. */
export interface Content {
  labels: Labels
  values: Values
  text: string
}

/** An alert that is pending or fires. Times are instants, in microseconds since the epoch. */
export interface Alert extends Content {
  /** The first instant with the row. */
  sinceUs: number
  /** The instant at which the alert fired. Undefined: the alert is pending. */
  startsUs: number | undefined
  /** The last instant with the row, of an alert without its row. Undefined: the last evaluation had the row. */
  missingUs: number | undefined
  /** The instant of the last notification. Undefined: the alert was not notified. */
  notifiedUs: number | undefined
}

/** An alert that was resolved a short time ago. */
export interface Resolved extends Content {
  startsUs: number
  endsUs: number
}

/** A rule that fails: three evaluations in a row, or more. */
export interface Broken {
  startsUs: number
  notifiedUs: number | undefined
  /** The message of the last failure. */
  reason: string
}

/** The state of a rule. Never changed in place. */
export interface RuleState {
  /** The last instant that was evaluated, with or without success. */
  lastUs: number | undefined
  /** The last instant with an evaluation that succeeded. */
  okUs: number | undefined
  /** Failed evaluations in a row. */
  failures: number
  broken: Broken | undefined
  /** Before this instant nothing is resolved. */
  holdUntilUs: number
  /** By identity. */
  alerts: ReadonlyMap<string, Alert>
  /** By identity, for {@link RESOLVED_FOR_US}: Alertmanager gets the whole state. */
  resolved: ReadonlyMap<string, Resolved>
}

/** The state of a rule that was never evaluated. */
export const NEW_STATE: RuleState = {
  lastUs: undefined,
  okUs: undefined,
  failures: 0,
  broken: undefined,
  holdUntilUs: Number.NEGATIVE_INFINITY,
  alerts: new Map(),
  resolved: new Map(),
}

/** A change of state that is recorded. */
export type EventState = 'pending' | 'firing' | 'resolved'

/** A change of the state of an alert, at an instant. */
export interface AlertEvent extends Content {
  /** The name of the rule, or {@link BROKEN_RULE}. */
  rule: string
  identity: string
  state: EventState
  instantUs: number
  /** The instant at which the alert fired. Undefined while pending. */
  startsUs: number | undefined
}

/** The name of the alert about a rule that fails. */
export const BROKEN_RULE = 'LogweirRuleBroken'

/** Returns the content of the alert that a rule is broken, given the reason. Undefined: the rule is well again. */
export const brokenContent = (rule: string, reason: string | undefined): Content => ({
  labels: [['rule', rule]],
  values: [],
  text: reason === undefined ? `The rule ${rule} is well again` : `The rule ${rule} fails: ${reason}`,
})

/** Returns the identity of the alert that a rule is broken. */
export const brokenIdentity = (rule: string): string => identityOf(BROKEN_RULE, [['rule', rule]])
