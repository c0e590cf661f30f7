import { FAILURES_TO_BREAK, MAX_RESOLVED, RESOLVED_FOR_US } from './limits.js'
import {
  type Alert,
  type AlertEvent,
  BROKEN_RULE,
  type Broken,
  brokenContent,
  brokenIdentity,
  type Content,
  type EventState,
  type Resolved,
  type RuleState,
} from './state.js'
import { holdUs, type Timing } from './timing.js'

/** The parts of a rule on which states depend. */
export interface JudgedRule {
  name: string
  timing: Timing
  /** Before this instant nothing is notified. Infinity: the rule has no receivers. */
  mutedUntilUs: number
}

/** The result of an evaluation: the contents of the alerts that have a row now, by identity, or a failure. */
export type Outcome = { kind: 'rows'; rows: ReadonlyMap<string, Content> } | { kind: 'failed'; reason: string }

/** The next state of a rule, and the events and notices on the way there. */
export interface Transition {
  state: RuleState
  /** The changes of state, for the history. */
  events: readonly AlertEvent[]
  /** The notified changes: to `firing` and `resolved`, and repeats, which are `firing` with a later instant. */
  notices: readonly AlertEvent[]
}

/** A transition under construction. */
interface Draft {
  rule: JudgedRule
  instantUs: number
  alerts: Map<string, Alert>
  resolved: Map<string, Resolved>
  events: AlertEvent[]
  notices: AlertEvent[]
}

/**
 * Returns the state of a rule after an evaluation at an instant, which is later than the last instant. A failure
 * changes no alert. Pure.
 */
export function transition(rule: JudgedRule, state: RuleState, outcome: Outcome, instantUs: number): Transition {
  const draft = createDraft(rule, state, instantUs)
  const broken =
    outcome.kind === 'failed' ? failed(draft, state, outcome.reason) : succeeded(draft, state, outcome.rows)
  const { alerts, resolved, events, notices } = draft
  const failures = outcome.kind === 'failed' ? state.failures + 1 : 0
  const okUs = outcome.kind === 'failed' ? state.okUs : instantUs
  return { state: { ...state, lastUs: instantUs, okUs, failures, broken, alerts, resolved }, events, notices }
}

/** Returns the state in which nothing is resolved for a while: after a start, and after a jump of the clock. */
export function held(state: RuleState, timing: Timing, nowUs: number): RuleState {
  return { ...state, holdUntilUs: Math.max(state.holdUntilUs, nowUs + holdUs(timing)) }
}

/** Returns the last transition of a rule that was deleted: everything that fires is resolved. */
export function closed(rule: JudgedRule, state: RuleState, instantUs: number): Transition {
  const draft = createDraft(rule, state, instantUs)
  for (const [identity, alert] of state.alerts) resolve(draft, identity, alert)
  recover(draft, state.broken)
  const { resolved, events, notices } = draft
  return { state: { ...state, failures: 0, broken: undefined, alerts: new Map(), resolved }, events, notices }
}

function createDraft(rule: JudgedRule, { alerts, resolved }: RuleState, instantUs: number): Draft {
  const recent = [...resolved].filter(([, { endsUs }]) => endsUs + RESOLVED_FOR_US > instantUs)
  return { rule, instantUs, alerts: new Map(alerts), resolved: new Map(recent), events: [], notices: [] }
}

function succeeded(draft: Draft, state: RuleState, rows: ReadonlyMap<string, Content>): undefined {
  for (const [identity, alert] of state.alerts) {
    const content = rows.get(identity)
    if (content === undefined) miss(draft, state, identity, alert)
    else see(draft, identity, { ...alert, ...content, missingUs: undefined })
  }
  for (const [identity, content] of rows) if (!state.alerts.has(identity)) appear(draft, identity, content)
  recover(draft, state.broken)
  return undefined
}

/** An alert with a row for the first time. */
function appear(draft: Draft, identity: string, content: Content): void {
  const { instantUs, rule } = draft
  const times = { sinceUs: instantUs, startsUs: undefined, missingUs: undefined, notifiedUs: undefined }
  const alert: Alert = { ...content, ...times }
  if (rule.timing.forUs > 0) draft.events.push(eventOf(draft, identity, alert, 'pending'))
  see(draft, identity, alert)
}

/** An alert that has a row. */
function see(draft: Draft, identity: string, alert: Alert): void {
  const { instantUs, rule } = draft
  if (alert.startsUs !== undefined || instantUs - alert.sinceUs < rule.timing.forUs) {
    draft.alerts.set(identity, repeated(draft, identity, alert))
    return
  }
  const firing = { ...alert, startsUs: instantUs }
  draft.events.push(eventOf(draft, identity, firing, 'firing'))
  draft.resolved.delete(identity)
  draft.alerts.set(identity, repeated(draft, identity, firing))
}

/** An alert that has no row. A pending alert ends without a record. */
function miss(draft: Draft, state: RuleState, identity: string, alert: Alert): void {
  const { instantUs, rule } = draft
  const missingUs = alert.missingUs ?? state.okUs ?? instantUs
  const isKept = instantUs < state.holdUntilUs || instantUs - missingUs < rule.timing.keepFiringUs
  if (alert.startsUs === undefined) draft.alerts.delete(identity)
  else if (isKept) draft.alerts.set(identity, repeated(draft, identity, { ...alert, missingUs }))
  else resolve(draft, identity, alert)
}

function resolve(draft: Draft, identity: string, alert: Alert): void {
  draft.alerts.delete(identity)
  const { startsUs } = alert
  if (startsUs === undefined) return
  const { labels, values, text } = alert
  draft.resolved.set(identity, { labels, values, text, startsUs, endsUs: draft.instantUs })
  if (draft.resolved.size > MAX_RESOLVED) draft.resolved.delete(draft.resolved.keys().next().value!)
  note(draft, eventOf(draft, identity, alert, 'resolved'), alert.notifiedUs)
}

/** Records that something is resolved, and notifies receivers that were notified that it fires. */
function note(draft: Draft, event: AlertEvent, notifiedUs: number | undefined): void {
  draft.events.push(event)
  if (notifiedUs !== undefined && !isMuted(draft)) draft.notices.push(event)
}

/** Notifies an alert that fires and was not notified, or was notified long ago. Returns the alert with the time. */
function repeated(draft: Draft, identity: string, alert: Alert): Alert {
  if (alert.startsUs === undefined || !isDue(draft, alert.notifiedUs)) return alert
  draft.notices.push(eventOf(draft, identity, alert, 'firing'))
  return { ...alert, notifiedUs: draft.instantUs }
}

function isDue(draft: Draft, notifiedUs: number | undefined): boolean {
  const isOld = notifiedUs === undefined || draft.instantUs - notifiedUs >= draft.rule.timing.repeatUs
  return isOld && !isMuted(draft)
}

const isMuted = ({ instantUs, rule }: Draft): boolean => instantUs < rule.mutedUntilUs

function eventOf({ instantUs, rule }: Draft, identity: string, alert: Alert, state: EventState): AlertEvent {
  const { labels, values, text, startsUs } = alert
  return { rule: rule.name, identity, state, instantUs, startsUs, labels, values, text }
}

/** Counts a failure: the third in a row breaks the rule. */
function failed(draft: Draft, state: RuleState, reason: string): Broken | undefined {
  if (state.failures + 1 < FAILURES_TO_BREAK) return state.broken
  const broken: Broken = { startsUs: draft.instantUs, notifiedUs: undefined, ...state.broken, reason }
  if (state.broken === undefined) draft.events.push(eventOfBroken(draft, broken, 'firing'))
  if (!isDue(draft, broken.notifiedUs)) return broken
  draft.notices.push(eventOfBroken(draft, broken, 'firing'))
  return { ...broken, notifiedUs: draft.instantUs }
}

/** Records that a broken rule is well again. */
function recover(draft: Draft, broken: Broken | undefined): void {
  if (broken !== undefined) note(draft, eventOfBroken(draft, broken, 'resolved'), broken.notifiedUs)
}

function eventOfBroken({ instantUs, rule }: Draft, { startsUs, reason }: Broken, state: EventState): AlertEvent {
  const content = brokenContent(rule.name, state === 'firing' ? reason : undefined)
  return { rule: BROKEN_RULE, identity: brokenIdentity(rule.name), state, instantUs, startsUs, ...content }
}
