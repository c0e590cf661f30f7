import { nearest } from '../../base/text/nearest.js'
import type { Entry } from '../../front-matter/comment-entries.js'
import { lineError, placeError } from '../../front-matter/place-error.js'
import { type Group, keysBehind, keysOf, lastGrouping } from '../../plan/answer-keys.js'
import type { Expression } from '../../plan/expression.js'
import type { NamedExpression, Operator, Plan } from '../../plan/plan.js'
import { schemaOf, typeOf } from '../../plan/schema.js'
import { isTimeType } from '../../plan/values/values.js'
import { TOO_MANY_LABEL } from '../states/collect.js'

/** Names of labels that every alert has, and of the label of the alert that there are more. */
const TAKEN = ['alertname', 'severity', TOO_MANY_LABEL]
/** A name that Alertmanager accepts. */
const NAME = /^[a-z_]\w{0,127}$/i

/**
 * Returns the columns that are labels: those of `-- labels:`, or the columns that are keys of the last grouping. Throws
 * `usage` if there is neither, if a key is a time or an unrounded double, and for a name that no label can have.
 */
export function labelColumns(plan: Plan, entry: Entry | undefined, queryLine: number): readonly string[] {
  const columns = [...schemaOf(plan).keys()]
  for (const name of TAKEN) {
    if (!columns.includes(name)) continue
    throw lineError(
      `the column ${name} has the name of a label that alerts have: give it another name with AS`,
      queryLine,
    )
  }
  const labels = entry === undefined ? keyColumns(plan, queryLine) : namedColumns(entry, columns)
  for (const name of labels) {
    if (NAME.test(name)) continue
    throw lineError(`the label ${name.slice(0, 64)} is not a name of letters, digits and _: name it with AS`, queryLine)
  }
  return labels
}

/** Reads `project, path`. May be empty: then the query has at most one row. */
function namedColumns({ value, ...place }: Entry, columns: readonly string[]): string[] {
  if (value === '') return []
  const names = value.split(',').map((name) => name.trim())
  for (const [i, name] of names.entries()) {
    if (names.indexOf(name) < i) throw placeError(`"labels:" has ${name.slice(0, 64)} twice`, place)
    if (columns.includes(name)) continue
    const meant = nearest(name, columns)
    const hint = meant === undefined ? `There are: ${columns.join(', ')}.` : `Did you mean ${meant}?`
    throw placeError(`"labels:" names "${name.slice(0, 64)}", which is no column of the query. ${hint}`, place)
  }
  return names
}

const REMEDY = 'Write "-- labels: project, path" with the columns that tell alerts apart'

function keyColumns(plan: Plan, queryLine: number): string[] {
  const at = lastGrouping(plan)
  const group = plan[at] as Group | undefined
  if (group === undefined || group.keys.length === 0)
    throw lineError(
      `the query has no GROUP BY, so that it does not say which rows are the same alert. ${REMEDY}`,
      queryLine,
    )
  const before = plan.slice(0, at)
  const keys = plan.slice(at + 1).reduce(keysBehind, keysOf(group))
  for (const { name, value } of group.keys) {
    const fault = faultOfKey(value, before)
    if (fault === undefined) continue
    const shown = [...keys].find(([, key]) => key === name)?.[0] ?? 'that is not selected'
    throw lineError(`the key ${shown} of GROUP BY is ${fault}. ${REMEDY}`, queryLine)
  }
  return [...schemaOf(plan).keys()].filter((name) => keys.has(name))
}

/** A time, and a double that is not rounded, differ at each evaluation: alerts would never stay the same. */
function faultOfKey(value: Expression, before: Plan): string | undefined {
  const type = typeOf(value, schemaOf(before))
  if (isTimeType(type)) return 'a time, which changes by itself'
  return type === 'number' && !isRounded(value, before) ? 'an unrounded number: write round(…, 2)' : undefined
}

/** Whether an expression is `round(x, n)`, also through columns that earlier operators have made. */
function isRounded(value: Expression, before: Plan): boolean {
  if (value.kind === 'call') return value.fn === 'round' && value.args.length === 2
  if (value.kind !== 'column') return true
  const at = before.findLastIndex((operator) => columnMadeBy(operator, value.name) !== undefined)
  const made = at < 0 ? undefined : columnMadeBy(before[at], value.name)
  return made !== undefined && isRounded(made.value, before.slice(0, at))
}

function columnMadeBy(operator: Operator, name: string): NamedExpression | undefined {
  if (operator.op === 'select' || operator.op === 'extend') return operator.columns.find((one) => one.name === name)
  return operator.op === 'group' ? operator.keys.find((one) => one.name === name) : undefined
}
