import { conjunctsOf, type Expression, pathOfField } from '../../../plan/expression.js'
import { placedError } from '../../../plan/place.js'
import type { Scalar } from '../../../plan/values/values.js'
import { type Batch, holdsField } from '../columns/batch.js'
import { anyOf, type Selection, without } from '../columns/selection.js'
import type { StoredKinds } from '../expressions/stored-frame.js'
import { createTextTest, type TextTest } from '../matching/match-texts.js'
import { type ColdFilter, coldFilter } from './cold-filter.js'
import { columnNarrowing, memberNarrowing, type Narrow, presenceNarrowing, type TestedColumn } from './narrow-column.js'

/** A condition that is decided for a whole batch at once, if the batch holds the column of the condition. */
export interface FastFilter {
  condition: Expression
  narrow: Narrow
  /**
   * Whether hot columns of a batch have all the values that the condition reads. If not, the condition is evaluated in
   * each row.
   */
  isHeld(batch: Batch): boolean
  /** Whether that is not so for every batch. */
  isField: boolean
}

/** How the columns of a source are stored. */
export interface SourceKinds extends StoredKinds {
  kindOf(column: string): 'text' | 'number' | 'areas' | undefined
}

/** Filters that a scan takes over from the next steps, and the remaining steps. */
export interface ScanFilters {
  /** On hot columns. Applied first, since none of the filters raises an error. */
  filters: readonly FastFilter[]
  /** On cold columns, which are read in the range of time alone. */
  coldFilters: readonly ColdFilter[]
  /** Identifies all filters. */
  conditions: readonly Expression[]
  /** Whether the rows that `filters` find are worth keeping. The rows of a project are not. */
  isCostly: boolean
  /** Set if the filters find all rows of this project. */
  project: string | undefined
}

/**
 * Takes over the first conditions that have a faster way: a project, a text that equals another or any of a few, a
 * pattern, a number within bounds or among others, an absent value, any of several such conditions, the opposite of a
 * condition, a part of a message, an id. Stops at the first condition without a faster way, since a condition must not
 * be evaluated in rows that an earlier condition removes.
 */
export function fastFilters(conditions: readonly Expression[], kinds: SourceKinds): ScanFilters {
  const filters: FastFilter[] = []
  const coldFilters: ColdFilter[] = []
  for (const condition of conditions) {
    const filter = fastFilter(condition, kinds, filters.length === 0)
    const onCold = coldTextFilter(condition)
    if (filter !== undefined) filters.push(filter)
    else if (onCold !== undefined) coldFilters.push(onCold)
    else break
  }
  const isCostly = filters.length > 1 || !filters.every(({ condition }) => isProjectTest(condition))
  return {
    filters,
    coldFilters,
    conditions: conditions.slice(0, filters.length + coldFilters.length),
    isCostly,
    project: filters.length === 1 && coldFilters.length === 0 ? projectOf(filters[0].condition) : undefined,
  }
}

/** The filter of a condition on the id or the message, and a literal. */
function coldTextFilter(condition: Expression): ColdFilter | undefined {
  const { fn, first, value } = withLiteral(condition) ?? {}
  if (first?.kind !== 'column' || typeof value !== 'string') return undefined
  if (first.name !== 'event_message' && first.name !== 'id') return undefined
  const test = createTextTest(fn!, value)
  const passing: TextTest['passing'] = (...args) => withPlace(test!.passing(...args), condition)
  return test && coldFilter(first.name, { ...test, passing })
}

/** The parts of a call with a literal as the second and last argument. Undefined for other expressions. */
function withLiteral(condition: Expression) {
  if (condition.kind !== 'call' || condition.args.length !== 2) return undefined
  const { fn, args } = condition
  const [first, second] = args
  return second?.kind === 'literal' ? { fn, first: first!, value: second.value } : undefined
}

const isProjectTest = (condition: Expression) =>
  condition.kind === 'call' && condition.args[0]?.kind === 'column' && condition.args[0].name === 'project'

/** Returns the project if a condition selects the rows of a single project, else undefined. */
function projectOf(condition: Expression): string | undefined {
  const { fn, value } = withLiteral(condition) ?? {}
  return isProjectTest(condition) && fn === 'eq' && typeof value === 'string' ? value : undefined
}

/** Returns the filter of a condition. If `isFirst`, the filter narrows all rows of a batch. */
function fastFilter(condition: Expression, kinds: SourceKinds, isFirst: boolean): FastFilter | undefined {
  if (condition.kind !== 'call') return undefined
  if (condition.fn === 'or') return anyFilter(condition, kinds, isFirst)
  if (condition.fn === 'in') return memberFilter(condition, kinds)
  return (
    presenceFilter(condition, kinds) ?? oppositeFilter(condition, kinds) ?? literalFilter(condition, kinds, isFirst)
  )
}

/** Returns the filter of `or`, if each part has a filter, or is an `and` of conditions with filters. */
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

/** Returns the filter of the rows in which a condition that has a filter is false or null: `not(is_true(…))`. */
function oppositeFilter(condition: Expression & { kind: 'call' }, kinds: SourceKinds): FastFilter | undefined {
  const [test] = condition.args
  if (condition.fn !== 'not' || test?.kind !== 'call' || test.fn !== 'is_true') return undefined
  const filter = fastFilter(test.args[0], kinds, false)
  if (filter === undefined) return undefined
  return {
    ...filter,
    condition,
    narrow: async (batch, selection, yieldIfDue) =>
      without(selection, await filter.narrow(batch, selection, yieldIfDue)),
  }
}

/** A stored column that an expression reads. */
interface StoredOperand extends Pick<FastFilter, 'isHeld' | 'isField'> {
  column: TestedColumn
}

/** Returns the column that an expression reads, or the column of a declared field. Undefined for other expressions. */
function operandOf(expression: Expression, kinds: SourceKinds): StoredOperand | undefined {
  if (expression.kind === 'column') {
    const { name } = expression
    const column = { name, kind: kinds.kindOf(name), hasEmptyTexts: kinds.hasEmptyTexts(name) }
    return { column, isHeld: () => true, isField: false }
  }
  const path = pathOfField(expression)
  const own = path && kinds.fieldColumn(path.keys)
  // The digits of a number as sent are in the metadata alone.
  if (own === undefined || (own.isNumber && path?.isText)) return undefined
  const column: TestedColumn = { name: own.name, kind: own.isNumber ? 'number' : 'text', hasEmptyTexts: true }
  return { column, isHeld: (batch) => holdsField(batch, own.place), isField: true }
}

const filterOf = (condition: Expression, { isHeld, isField }: StoredOperand, narrow: Narrow | undefined) =>
  narrow && {
    condition,
    narrow: (...args: Parameters<Narrow>) => withPlace(narrow(...args), condition),
    isHeld,
    isField,
  }

/** Adds the place of the condition to the error of a background search with a pattern that takes too long. */
function withPlace<T>(found: T | Promise<T>, condition: Expression): T | Promise<T> {
  if (!(found instanceof Promise)) return found
  return found.catch((error: unknown) => {
    throw placedError(error, condition)
  })
}

/** Returns the filter of `is_null`, or of the opposite. */
function presenceFilter(condition: Expression & { kind: 'call' }, kinds: SourceKinds): FastFilter | undefined {
  const isPresent = condition.fn === 'not'
  const test = isPresent ? condition.args[0] : condition
  const operand = test.kind === 'call' && test.fn === 'is_null' ? operandOf(test.args[0], kinds) : undefined
  return operand && filterOf(condition, operand, presenceNarrowing(operand.column, isPresent))
}

/** Returns the filter of a comparison with a literal. */
function literalFilter(
  condition: Expression & { kind: 'call' },
  kinds: SourceKinds,
  isFirst: boolean,
): FastFilter | undefined {
  const { fn, first, value } = withLiteral(condition) ?? {}
  const operand = first && operandOf(first, kinds)
  if (operand === undefined) return undefined
  const project = isFirst ? projectOf(condition) : undefined
  const narrow: Narrow | undefined =
    project === undefined ? columnNarrowing(fn!, operand.column, value!) : projectNarrowing(project)
  return filterOf(condition, operand, narrow)
}

/** Narrows all rows from a row on to those of a project. */
const projectNarrowing =
  (project: string): Narrow =>
  (batch, selection) =>
    batch.projectRows(project, selection.kind === 'range' ? selection.start : 0)

/** Returns the filter of `in` with literals. */
function memberFilter(condition: Expression & { kind: 'call' }, kinds: SourceKinds): FastFilter | undefined {
  const [first, ...items] = condition.args
  const operand = operandOf(first!, kinds)
  const values = items.flatMap((item): Scalar[] => (item.kind === 'literal' ? [item.value] : []))
  if (operand === undefined || values.length < items.length) return undefined
  return filterOf(condition, operand, memberNarrowing(operand.column, values))
}
