import type { AlertEvent, EventState, JsonValue } from '../states/state.js'
import { instantText } from '../states/timing.js'
import type { Backtest, Method } from './backtest.js'
import { instantAt } from './instants.js'

/** The answer of `POST /api/alerting/test`, as plain JSON. */
export interface TestedRule {
  /** The latest transitions, oldest first. */
  result: readonly TestedTransition[]
  /** Evaluations, and how many of them failed. */
  steps: number
  failed: number
  method: Method
  /** The first and the last instant, in ISO 8601. */
  from: string
  to: string
  /** Earlier transitions that are left out. */
  omitted: number
  note: string
}

/** A transition of an alert. */
interface TestedTransition {
  instant: string
  state: EventState
  labels: Readonly<Record<string, string>>
  values: Readonly<Record<string, JsonValue>>
  text: string
}

const NOTE = 'by timestamps of the rows that are there now'

/** Returns the answer. */
export function backtestAnswer({ events, instants, wanted, failed, method, omitted }: Backtest): TestedRule {
  const { count } = instants
  const cut = `; only the latest ${numberText(count)} of ${numberText(wanted)} instants, ${WHY[method]}`
  return {
    result: events.map(transitionOf),
    steps: count,
    failed,
    method,
    from: instantText(instants.firstUs),
    to: instantText(instantAt(instants, count - 1)),
    omitted,
    note: count < wanted ? NOTE + cut : NOTE,
  }
}

const WHY: Readonly<Record<Method, string>> = {
  buckets: 'which are the most of a test',
  steps: 'since each is a query of its own',
}

const transitionOf = ({ instantUs, state, labels, values, text }: AlertEvent): TestedTransition => ({
  instant: instantText(instantUs),
  state,
  labels: Object.fromEntries(labels),
  values: Object.fromEntries(values),
  text,
})

const numberText = (number: number): string => number.toLocaleString('en-US')
