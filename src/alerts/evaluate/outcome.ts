import { createYielder } from '../../base/scheduling/time-slices.js'
import { escapeControl } from '../../base/text/escape-control.js'
import { shorten } from '../../base/text/shorten.js'
import type { Row } from '../../plan/answer.js'
import type { Rule } from '../rules/rule.js'
import { createCollector } from '../states/collect.js'
import { ALERT_LIMITS, type AlertLimits } from '../states/limits.js'
import type { RuleState } from '../states/state.js'
import type { Outcome } from '../states/transition.js'

/** The longest reason of a failure that is kept. */
const MAX_REASON_CHARACTERS = 300

/** Runs the query of a rule and reads the rows, in slices of time. Never rejects: an error is a failed outcome. */
export async function outcomeOf(
  rule: Rule,
  state: RuleState,
  rows: () => Promise<AsyncIterable<Row>>,
  limits: AlertLimits = ALERT_LIMITS,
): Promise<Outcome> {
  try {
    const collector = createCollector(rule.name, state, limits)
    const answer = await rows()
    const pause = createYielder()
    for await (const row of answer) {
      collector.add(rule.labelled(row))
      await pause()
    }
    return { kind: 'rows', rows: collector.finish() }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { kind: 'failed', reason: shorten(escapeControl(message), MAX_REASON_CHARACTERS) }
  }
}
