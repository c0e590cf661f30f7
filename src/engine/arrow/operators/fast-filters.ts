import { conjunctsOf, type Expression, pathOfField } from '../../../plan/expression.js'
import { type Batch, holdsField } from '../columns/batch.js'
import { anyOf, type Selection } from '../columns/selection.js'
import type { StoredKinds } from '../expressions/frame.js'
import { type ColdFilter, coldFilter } from './cold-filter.js'
import { createTextTest } from './match-texts.js'
import { columnNarrowing, type Narrow, presenceNarrowing } from './narrow-column.js'

/** A condition that is decided for a whole batch at once, if it holds the column of the condition. */
export interface FastFilter {
  condition: Expression
  narrow: Narrow
  /** Whether hot columns of a batch have all the values that the condition reads; else it is evaluated in its rows. */
  isHeld(batch: Batch): boolean
  /** Whether that is not so for every batch. */
  isField: boolean
}

/** How the columns of a source are stored. */
export interface SourceKinds extends StoredKinds {
  kindOf(column: string): 'text' | 'number' | 'areas' | undefined
}

/** Filters that a scan takes over from the steps behind it, and the steps that remain. */
export interface ScanFilters {
  /** On hot columns; applied first, since none of the filters raises an error. */
  filters: readonly FastFilter[]
  /** On cold columns, which are read in the range of time alone. */
  coldFilters: readonly ColdFilter[]
  /** Identifies all filters. */
  conditions: readonly Expression[]
  /** If `filters` are worth keeping: finding the rows of a project is not. */
  isCostly: boolean
}

/**
 * Takes over the first conditions that it has a faster way for: a project, a text that equals another, a pattern, a
 * number within bounds, an absent value, any of such conditions, a part of a message. It stops at the first other one,
 * since a condition must not be evaluated in rows that an earlier one removes.
 */
export function fastFilters(conditions: readonly Expression[], kinds: SourceKinds): ScanFilters {
  const filters: FastFilter[] = []
  const coldFilters: ColdFilter[] = []
  for (const condition of conditions) {
    const filter = fastFilter(condition, kinds, filters.length === 0)
    const onCold = messageFilter(condition)
    if (filter !== undefined) filters.push(filter)
    else if (onCold !== undefined) coldFilters.push(onCold)
    else break
  }
  return {
    filters,
    coldFilters,
    conditions: conditions.slice(0, filters.length + coldFilters.length),
    isCostly: filters.length > 1 || !filters.every(({ condition }) => isProjectTest(condition)),
  }
}

/** The filter of a condition on the message and a literal. */
function messageFilter(condition: Expression): ColdFilter | undefined {
  const { fn, first, value } = withLiteral(condition) ?? {}
  if (first?.kind !== 'column' || first.name !== 'event_message' || typeof value !== 'string') return undefined
  const test = createTextTest(fn!, value)
  return test && coldFilter('event_message', test)
}

/** The parts of a call with a literal as its second and last argument; undefined of other expressions. */
function withLiteral(condition: Expression) {
  if (condition.kind !== 'call' || condition.args.length !== 2) return undefined
  const { fn, args } = condition
  const [first, second] = args
  return second?.kind === 'literal' ? { fn, first: first!, value: second.value } : undefined
}

const isProjectTest = (condition: Expression) =>
  condition.kind === 'call' && condition.args[0]?.kind === 'column' && condition.args[0].name === 'project'

/** Returns the filter of a condition; if `isFirst`, it narrows all rows of a batch. */
function fastFilter(condition: Expression, kinds: SourceKinds, isFirst: boolean): FastFilter | undefined {
  if (condition.kind === 'call' && condition.fn === 'or') return anyFilter(condition, kinds, isFirst)
  return presenceFilter(condition, kinds) ?? literalFilter(condition, kinds, isFirst)
}

/** Returns the filter of `or`, if each part has one, or is an `and` of conditions that have. */
function anyFilter(
  condition: Expression & { kind: 'call' },
  kinds: SourceKinds,
  isFirst: boolean,
): FastFilter | undefined {
  const parts: FastFilter[][] = []
  for (const arg of condition.args) {
    const filters = conjunctsOf(arg).map((one, i) => fastFilter(one, kinds, isFirst && i === 0))
    if (filters.includes(undefined)) return undefined
    parts.push(filters as FastFilter[])
  }
  return {
    condition,
    async narrow(batch, selection, yieldIfDue) {
      const found: Selection[] = []
      for (const filters of parts) {
        let left = selection
        for (const { narrow } of filters) left = await narrow(batch, left, yieldIfDue)
        found.push(left)
      }
      return anyOf(selection, found)
    },
    isHeld: (batch) => parts.flat().every(({ isHeld }) => isHeld(batch)),
    isField: parts.flat().some(({ isField }) => isField),
  }
}

/** Returns the filter of `is_null` of a column, or of its opposite. */
function presenceFilter(condition: Expression, kinds: SourceKinds): FastFilter | undefined {
  const isPresent = condition.kind === 'call' && condition.fn === 'not'
  const test = isPresent ? condition.args[0]! : condition
  if (test.kind !== 'call' || test.fn !== 'is_null' || test.args[0]!.kind !== 'column') return undefined
  const { name } = test.args[0]!
  const tested = { name, kind: kinds.kindOf(name), hasEmptyTexts: kinds.hasEmptyTexts(name) }
  const narrow = presenceNarrowing(tested, isPresent)
  return narrow && { condition, narrow, isHeld: () => true, isField: false }
}

/** Returns the filter of a comparison with a literal. */
function literalFilter(condition: Expression, kinds: SourceKinds, isFirst: boolean): FastFilter | undefined {
  const { fn, first, value } = withLiteral(condition) ?? {}
  if (first === undefined) return undefined
  if (first.kind === 'column') {
    const { name } = first
    const isProject = fn === 'eq' && name === 'project' && typeof value === 'string' && isFirst
    const narrow: Narrow | undefined = isProject
      ? (batch) => batch.projectRows(value)
      : columnNarrowing(fn!, { name, kind: kinds.kindOf(name), hasEmptyTexts: kinds.hasEmptyTexts(name) }, value!)
    return narrow && { condition, narrow, isHeld: () => true, isField: false }
  }
  const path = pathOfField(first)
  const own = path && kinds.fieldColumn(path.keys)
  if (own === undefined) return undefined
  const kind = own.isNumber ? 'number' : 'text'
  const narrow = columnNarrowing(fn!, { name: own.name, kind, hasEmptyTexts: true }, value!)
  return narrow && { condition, narrow, isHeld: (batch) => holdsField(batch, own.place), isField: true }
}
