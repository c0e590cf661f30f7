import { MAX_RESOLVED, RESOLVED_FOR_US } from './limits.js'
import { type Alert, type Broken, type Content, NEW_STATE, type Resolved, type RuleState } from './state.js'

/** The difference between two states of a rule as JSON. The difference from {@link NEW_STATE} is a whole state. */
export interface StateChange {
  lastUs: number | null
  okUs: number | null
  failures: number
  broken: (Omit<Broken, 'notifiedUs'> & { notifiedUs?: number }) | null
  /** Alerts that are new or have changed, by identity. */
  set: readonly (readonly [identity: string, alert: AlertJson])[]
  /** The identities of alerts that have ended. */
  gone: readonly string[]
  resolved: readonly (readonly [identity: string, alert: Resolved])[]
}

interface AlertJson extends Content {
  sinceUs: number
  startsUs?: number
  missingUs?: number
  notifiedUs?: number
}

/**
 * Returns the difference as JSON. An alert of which only values and text differ has not changed: an alert that has lost
 * its row has changed, and then the last values are written. `holdUntilUs` ends with the process.
 */
export function changeOf(before: RuleState, after: RuleState): StateChange {
  const { lastUs, okUs, failures, broken } = after
  return {
    lastUs: lastUs ?? null,
    okUs: okUs ?? null,
    failures,
    broken: broken ?? null,
    set: [...after.alerts].filter(([identity, alert]) => hasChanged(before.alerts.get(identity), alert)),
    gone: [...before.alerts.keys()].filter((identity) => !after.alerts.has(identity)),
    resolved: [...after.resolved].filter(([identity, { endsUs }]) => before.resolved.get(identity)?.endsUs !== endsUs),
  } as StateChange
}

function hasChanged(before: Alert | undefined, after: Alert): boolean {
  if (before === undefined) return true
  return (['sinceUs', 'startsUs', 'missingUs', 'notifiedUs'] as const).some((time) => before[time] !== after[time])
}

/** Returns the state after a change. */
export function changed(before: RuleState, change: StateChange): RuleState {
  const alerts = new Map(before.alerts)
  const resolved = new Map([...before.resolved, ...change.resolved])
  for (const identity of change.gone) alerts.delete(identity)
  for (const [identity, { labels, values, text, sinceUs, startsUs, missingUs, notifiedUs }] of change.set) {
    alerts.set(identity, { labels, values, text, sinceUs, startsUs, missingUs, notifiedUs })
    if (startsUs !== undefined) resolved.delete(identity)
  }
  const lastUs = change.lastUs ?? undefined
  const recent = [...resolved].filter(([, { endsUs }]) => lastUs === undefined || endsUs + RESOLVED_FOR_US > lastUs)
  const { okUs, failures, broken } = change
  return {
    lastUs,
    okUs: okUs ?? undefined,
    failures,
    broken: broken === null ? undefined : readBroken(broken),
    holdUntilUs: before.holdUntilUs,
    alerts,
    resolved: new Map(recent.slice(-MAX_RESOLVED)),
  }
}

const readBroken = ({ startsUs, notifiedUs, reason }: NonNullable<StateChange['broken']>): Broken => {
  return { startsUs, notifiedUs, reason }
}

/** Returns a whole state as JSON. */
export const stateToJson = (state: RuleState): StateChange => changeOf(NEW_STATE, state)

/** Checks the JSON of a change. Throws a TypeError that names the field. */
export function readChange(json: unknown): StateChange {
  const change = objectOf(json, 'change')
  orNull(change.lastUs, isTime, 'lastUs')
  orNull(change.okUs, isTime, 'okUs')
  check(isTime(change.failures), 'failures')
  orNull(change.broken, isBroken, 'broken')
  check(isListOf(change.gone, isText), 'gone')
  check(isListOf(change.set, isPairOf(isAlert)), 'set')
  check(isListOf(change.resolved, isPairOf(isResolved)), 'resolved')
  return change as unknown as StateChange
}

type Test = (value: unknown) => boolean

const isText: Test = (value) => typeof value === 'string'
/** Instants are whole microseconds since 1970. */
const isTime: Test = (value) => Number.isSafeInteger(value) && (value as number) >= 0
const isTimeIfAny: Test = (value) => value === undefined || isTime(value)
const isListOf = (value: unknown, test: Test): boolean => Array.isArray(value) && value.every(test)
const isPairOf =
  (test: Test): Test =>
  (value) =>
    Array.isArray(value) && value.length === 2 && isText(value[0]) && test(value[1])

const isContent: Test = (value) => {
  const { labels, values, text } = Object(value) as Record<string, unknown>
  return (
    isListOf(labels, isPairOf(isText)) &&
    isListOf(
      values,
      isPairOf(() => true),
    ) &&
    isText(text)
  )
}

const isAlert: Test = (value) => {
  const { sinceUs, startsUs, missingUs, notifiedUs } = Object(value) as Record<string, unknown>
  return isContent(value) && isTime(sinceUs) && [startsUs, missingUs, notifiedUs].every(isTimeIfAny)
}

const isResolved: Test = (value) => {
  const { startsUs, endsUs } = Object(value) as Record<string, unknown>
  return isContent(value) && isTime(startsUs) && isTime(endsUs)
}

const isBroken: Test = (value) => {
  const { startsUs, notifiedUs, reason } = Object(value) as Record<string, unknown>
  return isTime(startsUs) && isTimeIfAny(notifiedUs) && isText(reason)
}

function objectOf(json: unknown, name: string): Record<string, unknown> {
  check(typeof json === 'object' && json !== null && !Array.isArray(json), name)
  return json as Record<string, unknown>
}

function orNull(value: unknown, test: Test, name: string): void {
  check(value === null || test(value), name)
}

function check(isRight: boolean, name: string): void {
  if (!isRight) throw new TypeError(`The field ${name} of a state is wrong.`)
}
