import { usageError } from '../../base/failures.js'
import { SECOND_US } from '../../base/units.js'
import { ENDPOINT_NAME, MAX_ENDPOINT_NAME_CHARACTERS } from '../../common/limits.js'
import { HISTORY_SOURCE } from '../../common/sources.js'
import { durationText } from '../../front-matter/duration.js'
import { type FilePlace, lineError, placeError } from '../../front-matter/place-error.js'
import { answerColumns, type Row } from '../../plan/answer.js'
import { type Plan, readsOf, sourcesOf } from '../../plan/plan.js'
import { withinTime } from '../../plan/within-time.js'
import type { SqlQuery } from '../../sql/read-sql.js'
import type { LabelledRow } from '../states/collect.js'
import { BROKEN_RULE } from '../states/state.js'
import type { JudgedRule } from '../states/transition.js'
import { type RuleMatter, readRuleMatter } from './front-matter.js'
import { labelColumns } from './label-columns.js'
import type { Mute } from './mute.js'
import { rowReader } from './row-content.js'
import { compileText } from './text-template.js'

/** A rule of alerts: a query with rows that are alerts. */
export interface Rule extends JudgedRule {
  /** The text of the file. */
  text: string
  summary: string | undefined
  severity: string
  /** The receiver. Undefined: the page alone shows the alerts. */
  notify: string | undefined
  muted: Mute | undefined
  /** The columns that are labels, in the order of the query or of `-- labels:`. */
  labelNames: readonly string[]
  /** Returns the plan of the evaluation at an instant. */
  planAt(instantUs: number): Plan
  /** Whether only bounds of scans depend on the instant: fixed times, and times that move with the instant. */
  movesBounds: boolean
  /** Reads a row of the answer. */
  labelled(row: Row): LabelledRow
}

/** The most columns of a rule's query: all values of an alert fit into a request of a receiver. */
export const MAX_RULE_COLUMNS = 50
/** `every` may always be this long, whatever the window. */
const ALWAYS_ALLOWED_EVERY_US = 10 * SECOND_US
/** A shorter `every` is at least this part of the window. */
const WINDOW_SHARE = 100

/**
 * Makes the rule of a file. `readSql` parses the text. Throws `usage`, and the errors of `readSql`, with the place in
 * the file.
 */
export function ruleOf(text: string, name: string, readSql: (text: string) => SqlQuery, nowUs: number): Rule {
  checkName(name)
  const matter = readRuleMatter(text)
  // The whole text: front matter is SQL comments, and places count from the start of the file.
  const query = readSql(text)
  query.refuseParameters()
  if (query.isExplain) throw lineError('a rule cannot be EXPLAIN: delete the word', matter.queryLine)
  const { timing, notify, muted } = matter
  const planAt = (instantUs: number) => planOf(query, instantUs - timing.delayUs)
  const plan = planAt(nowUs)
  checkPlan(plan, matter)
  checkEvery(plan, nowUs - timing.delayUs, matter)
  const mutedUntilUs = notify === undefined ? Number.POSITIVE_INFINITY : (muted?.untilUs ?? Number.NEGATIVE_INFINITY)
  const { severity, summary } = matter
  const labelNames = labelColumns(plan, matter.labels, matter.queryLine)
  const labelled = rowsOf(name, plan, labelNames, matter)
  const movesBounds = query.readsTimeAsBound
  const judged = { name, timing, mutedUntilUs }
  return { ...judged, text, summary, severity, notify, muted, labelNames, planAt, movesBounds, labelled }
}

function checkName(name: string): void {
  if (name === BROKEN_RULE)
    throw usageError(`the name ${name} is taken by the alert that a rule is broken: rename the file`)
  if (ENDPOINT_NAME.test(name) && name.length <= MAX_ENDPOINT_NAME_CHARACTERS) return
  throw usageError(
    `the name ${JSON.stringify(name.slice(0, MAX_ENDPOINT_NAME_CHARACTERS))} is invalid: rename the file to at most ` +
      `${MAX_ENDPOINT_NAME_CHARACTERS} letters, digits, dots, dashes and _, beginning with a letter`,
  )
}

/** The plan at the time that `current_timestamp()` is. Later rows are not read. */
function planOf(query: SqlQuery, timeUs: number): Plan {
  const plan = query.plan({}, timeUs)
  return withinTime(plan, { fromUs: Number.NEGATIVE_INFINITY, throughUs: timeUs })
}

function checkPlan(plan: Plan, { queryLine }: RuleMatter): void {
  const columns = answerColumns(plan)
  if (columns.length > MAX_RULE_COLUMNS)
    throw lineError(
      `the query has ${columns.length} columns, and a rule may have ${MAX_RULE_COLUMNS}: select fewer`,
      queryLine,
    )
  if (sourcesOf(plan).includes(HISTORY_SOURCE))
    throw lineError(
      `a rule cannot read ${HISTORY_SOURCE}, the history of alerts: read the source that the alerts are about`,
      queryLine,
    )
}

function checkEvery(plan: Plan, timeUs: number, { timing: { everyUs }, alertPlace }: RuleMatter): void {
  const windowUs = Math.max(0, ...readsOf(plan).map(({ fromUs }) => timeUs - fromUs))
  if (everyUs >= ALWAYS_ALLOWED_EVERY_US || everyUs * WINDOW_SHARE >= windowUs) return
  const window = Number.isFinite(windowUs)
    ? `a window of ${durationText(windowUs)}`
    : 'a query without a lower bound of time'
  const least = durationText(ALWAYS_ALLOWED_EVERY_US)
  throw placeError(
    `"every ${durationText(everyUs)}" is too often for ${window}: write "every ${least}" or more, ` +
      'or at least a hundredth of the window',
    alertPlace,
  )
}

const FIRST: FilePlace = { line: 1, column: 1 }

function rowsOf(name: string, plan: Plan, labels: readonly string[], { text, summary }: RuleMatter): Rule['labelled'] {
  const names = answerColumns(plan).map((column) => column.name)
  // A summary is no template: its braces stay.
  const fixed = text === undefined ? compileText((summary ?? name).replace(/[{}]/g, ''), names, FIRST) : undefined
  return rowReader(names, labels, fixed ?? compileText(text!.value, names, text!))
}
