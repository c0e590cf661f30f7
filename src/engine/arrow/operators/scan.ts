import type { Yielder } from '../../../base/time-slices.js'
import type { Expression } from '../../../plan/expression.js'
import { expressionKey } from '../../../plan/expression-key.js'
import type { TimeRange } from '../../../plan/plan.js'
import { type Batch, hotColumnOf, type Part, type TextColumn } from '../columns/batch.js'
import { ABSENT, findEntries, findEntry } from '../columns/dictionary.js'
import { bytesOfSelection, none, range, type Selection, sizeOf } from '../columns/selection.js'
import { type Frame, type StoredKinds, storedFrame } from '../expressions/frame.js'
import { createFieldReader } from '../fields/read-fields.js'
import { type ColdFilter, coldFilter } from './cold-filter.js'
import { filterTime, narrowByHits } from './filter-rows.js'
import type { LazyBatch, ReadByTime, RunContext } from './lazy-batch.js'
import { createMatcher, matchEntries } from './match-pattern.js'
import { createTextTest } from './match-texts.js'
import { Key } from './partial-cache.js'
import { chunksByTime } from './time-chunks.js'

/** A condition that is decided for a whole batch at once, without an error and without a look at most rows. */
type FastFilter = (batch: Batch, selection: Selection, yieldIfDue: Yielder) => Selection | Promise<Selection>

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
  /** Identifies `filters`. */
  hotConditions: readonly Expression[]
  /** If `filters` are worth keeping: finding the rows of a project is not. */
  isCostly: boolean
}

/**
 * Takes over the first conditions that it has a faster way for: a project, a text that equals another, a pattern, a
 * part of a message. It stops at the first other one, since a condition must not be evaluated in rows that an earlier
 * one removes.
 */
export function fastFilters(conditions: readonly Expression[], kinds: SourceKinds): ScanFilters {
  const filters: FastFilter[] = []
  const coldFilters: ColdFilter[] = []
  const hotConditions: Expression[] = []
  for (const condition of conditions) {
    const filter = fastFilter(condition, kinds, filters.length === 0)
    const onCold = messageFilter(condition)
    if (filter !== undefined) {
      filters.push(filter)
      hotConditions.push(condition)
    } else if (onCold !== undefined) coldFilters.push(onCold)
    else break
  }
  return {
    filters,
    coldFilters,
    conditions: conditions.slice(0, filters.length + coldFilters.length),
    hotConditions,
    isCostly: hotConditions.length > 1 || !hotConditions.every(isProjectTest),
  }
}

/** The filter of a condition on the message and a literal. */
function messageFilter(condition: Expression): ColdFilter | undefined {
  const literal = textLiteral(condition)
  if (literal?.name !== 'event_message') return undefined
  const test = createTextTest(literal.fn, literal.value)
  return test && coldFilter('event_message', test)
}

/** The parts of a call with a column and a text literal as its only arguments; undefined of other expressions. */
function textLiteral(condition: Expression) {
  if (condition.kind !== 'call') return undefined
  const { fn, args } = condition
  const [column, operand] = args
  if (args.length !== 2 || column?.kind !== 'column' || operand?.kind !== 'literal') return undefined
  return typeof operand.value === 'string' ? { fn, name: column.name, value: operand.value } : undefined
}

const isProjectTest = (condition: Expression) =>
  condition.kind === 'call' && condition.args[0]?.kind === 'column' && condition.args[0].name === 'project'

function fastFilter(condition: Expression, kinds: SourceKinds, isFirst: boolean): FastFilter | undefined {
  const literal = textLiteral(condition)
  if (literal === undefined) return undefined
  const { fn, name, value } = literal
  const isText = kinds.kindOf(name) === 'text'
  if (fn === 'eq' && name === 'project' && isFirst) return (batch) => batch.projectRows(value)
  if (fn === 'eq' && isText) return equalsFilter(name, value, kinds)
  if (fn === 'regexp_contains' && isText) return matchesFilter(name, value, kinds)
  return undefined
}

function equalsFilter(name: string, value: string, kinds: StoredKinds): FastFilter {
  if (value === '' && !kinds.hasEmptyTexts(name)) return () => none
  return async (batch, selection, yieldIfDue) => {
    const column = hotColumnOf(batch, name) as TextColumn
    const hits = new Uint8Array(column.dictionary.count)
    let first = ABSENT
    let last = ABSENT
    for (const code of findEntries(column.dictionary, value)) {
      if (first === ABSENT) first = code
      last = code
      hits[code] = 1
      const pause = yieldIfDue()
      if (pause !== undefined) await pause
    }
    return first === ABSENT ? none : narrowByHits(column, selection, { hits, first, last })
  }
}

function matchesFilter(name: string, pattern: string, kinds: StoredKinds): FastFilter {
  const matcher = createMatcher(pattern)
  return async (batch, selection, yieldIfDue) => {
    const column = hotColumnOf(batch, name) as TextColumn
    const { hits, from, to } = await matchEntries(column.dictionary, matcher, yieldIfDue)
    if (!kinds.hasEmptyTexts(name)) {
      const empty = findEntry(column.dictionary, '')
      if (empty > ABSENT) hits[empty] = 0
    }
    const first = hits.subarray(0, to).indexOf(1, from)
    if (first < 0) return none
    return narrowByHits(column, selection, { hits, first, last: hits.lastIndexOf(1, to) })
  }
}

/** The rows of parts that are read, by their time, and the hot columns that are read of them. */
export interface ScanRange extends TimeRange {
  columns: ReadonlySet<string>
}

/** Returns the rows of a batch that pass the filters on hot columns; with `isKept` they are cached. */
function hotFilter(
  { filters, hotConditions }: Pick<ScanFilters, 'filters' | 'hotConditions'>,
  { yieldIfDue, partialCache }: RunContext,
): (part: Part, batch: Batch, isKept: boolean) => Promise<Selection> {
  const key = new Key(() => hotConditions.map(expressionKey))
  return async (part, batch, isKept) => {
    const kept = isKept ? partialCache.get<Selection>(part, key.hash) : undefined
    if (kept !== undefined) return kept
    let selection: Selection = range(0, batch.rows, false)
    for (const filter of filters) selection = await filter(batch, selection, yieldIfDue)
    if (isKept) partialCache.put(part, key.hash, selection, bytesOfSelection(selection))
    return selection
  }
}

/**
 * Returns the rows of parts in a range of time that pass the filters; `columns` has the columns that these read, and
 * those that are read of the result. If the range cuts a sealed part, the rows that pass those on hot columns are
 * cached, whatever their time: the next run's range has moved on. If `isSlow`, the rows can be read in chunks too, of
 * which each passes the filters on cold columns by itself.
 */
export function scan(
  parts: readonly Part[],
  scanned: ScanRange,
  { filters, coldFilters, conditions, hotConditions, isCostly }: ScanFilters,
  kinds: StoredKinds,
  context: RunContext & { isSlow?: boolean },
): LazyBatch[] {
  const { yieldIfDue } = context
  const key = new Key(() => conditions.map(expressionKey))
  const isWhole = (part: Part) => part.minUs >= scanned.fromUs && part.maxUs <= scanned.throughUs
  const passing = hotFilter({ filters, hotConditions }, context)

  /** Opens a part for `use`, which gets the rows that pass the filters on hot columns, and a filter for the others. */
  async function opened<T>(part: Part, use: (rows: OpenedRows) => Promise<T>): Promise<T> {
    context.onOpen()
    const batch = await part.open(yieldIfDue, scanned.columns)
    try {
      const rows = await passing(part, batch, isCostly && part.isSealed && !isWhole(part))
      const fields = createFieldReader(batch, part.owner, context.fieldCache)
      const onCold = coldFilters.map((open) => open(batch))
      const frameOf = async (selection: Selection) => {
        context.onScan(sizeOf(selection))
        let kept = selection
        for (const filter of onCold) kept = await filter(kept, yieldIfDue)
        return storedFrame(batch, kept, kinds, fields)
      }
      return await use({ batch, selection: filterTime(batch, rows, scanned), frameOf })
    } finally {
      part.close()
    }
  }

  const readByTime =
    (part: Part): ReadByTime =>
    (direction, isWanted, use) =>
      opened(part, async ({ batch, selection, frameOf }) => {
        for (const { selection: rows, boundUs } of chunksByTime(batch.times, selection, direction)) {
          if (!(await isWanted(boundUs))) return
          await use(await frameOf(rows))
          await yieldIfDue()
        }
      })

  return parts.map((part) => {
    return {
      minUs: part.minUs,
      maxUs: part.maxUs,
      ...(part.isSealed && isWhole(part) ? { cached: { part, key } } : {}),
      read: (use) => opened(part, async ({ selection, frameOf }) => use(await frameOf(selection))),
      ...(context.isSlow && { readByTime: readByTime(part) }),
    }
  })
}

/** The rows of a part in the range of time, before the filters on cold columns. */
interface OpenedRows {
  batch: Batch
  selection: Selection
  /** Counts rows as scanned, and returns those that pass the filters on cold columns. */
  frameOf(selection: Selection): Promise<Frame>
}
