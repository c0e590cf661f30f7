import type { Yielder } from '../../../base/time-slices.js'
import type { Expression } from '../../../plan/expression.js'
import { expressionKey } from '../../../plan/expression-key.js'
import type { TimeRange } from '../../../plan/plan.js'
import { type Batch, hotColumnOf, type Part, type TextColumn } from '../columns/batch.js'
import { ABSENT, findEntries, findEntry } from '../columns/dictionary.js'
import { bytesOfSelection, none, range, type Selection, sizeOf } from '../columns/selection.js'
import { type StoredKinds, storedFrame } from '../expressions/frame.js'
import { createFieldReader } from '../fields/read-fields.js'
import { filterTime, narrowByHits } from './filter-rows.js'
import type { LazyBatch, RunContext } from './lazy-batch.js'
import { createMatcher, matchEntries } from './match-pattern.js'
import { Key } from './partial-cache.js'

/** A condition that is decided for a whole batch at once, without an error and without a look at most rows. */
type FastFilter = (batch: Batch, selection: Selection, yieldIfDue: Yielder) => Selection | Promise<Selection>

/** How the columns of a source are stored. */
export interface SourceKinds extends StoredKinds {
  kindOf(column: string): 'text' | 'number' | 'areas' | undefined
}

/** Filters that a scan takes over from the steps behind it, and the steps that remain. */
export interface ScanFilters {
  filters: readonly FastFilter[]
  /** Identifies the filters. */
  conditions: readonly Expression[]
  /** If the filters are worth keeping: finding the rows of a project is not. */
  isCostly: boolean
}

/**
 * Takes over the first conditions that it has a faster way for: a project, a text that equals another, a pattern. It
 * stops at the first other one, since a condition must not be evaluated in rows that an earlier one removes.
 */
export function fastFilters(conditions: readonly Expression[], kinds: SourceKinds): ScanFilters {
  const filters: FastFilter[] = []
  for (const condition of conditions) {
    const filter = fastFilter(condition, kinds, filters.length === 0)
    if (filter === undefined) break
    filters.push(filter)
  }
  const taken = conditions.slice(0, filters.length)
  return { filters, conditions: taken, isCostly: taken.length > 1 || !taken.every(isProjectTest) }
}

const isProjectTest = (condition: Expression) =>
  condition.kind === 'call' && condition.args[0]?.kind === 'column' && condition.args[0].name === 'project'

function fastFilter(condition: Expression, kinds: SourceKinds, isFirst: boolean): FastFilter | undefined {
  if (condition.kind !== 'call') return undefined
  const [column, operand] = condition.args
  if (column?.kind !== 'column' || operand?.kind !== 'literal' || typeof operand.value !== 'string') return undefined
  const { value } = operand
  const isText = kinds.kindOf(column.name) === 'text'
  if (condition.fn === 'eq' && column.name === 'project' && isFirst) return (batch) => batch.projectRows(value)
  if (condition.fn === 'eq' && isText) return equalsFilter(column.name, value, kinds)
  if (condition.fn === 'regexp_contains' && isText) return matchesFilter(column.name, value, kinds)
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

/** What is read of parts: the rows in a range of time, and these hot columns of them. */
export interface ScanRange extends TimeRange {
  columns: ReadonlySet<string>
}

/**
 * Returns the rows of parts in a range of time that pass the filters; `columns` has the columns that these read, and
 * those that are read of the result. If the range cuts a sealed part, the rows that
 * pass are cached, whatever their time: the next run's range has moved on.
 */
export function scan(
  parts: readonly Part[],
  scanned: ScanRange,
  { filters, conditions, isCostly }: ScanFilters,
  kinds: StoredKinds,
  context: RunContext,
): LazyBatch[] {
  const { yieldIfDue, partialCache } = context
  const key = new Key(() => conditions.map(expressionKey))

  async function passing(batch: Batch): Promise<Selection> {
    let selection: Selection = range(0, batch.rows, false)
    for (const filter of filters) selection = await filter(batch, selection, yieldIfDue)
    return selection
  }

  async function keptOrPassing(part: Part, batch: Batch): Promise<Selection> {
    const kept = partialCache.get<Selection>(part, key.hash)
    if (kept !== undefined) return kept
    const selection = await passing(batch)
    partialCache.put(part, key.hash, selection, bytesOfSelection(selection))
    return selection
  }

  return parts.map((part) => {
    const isWhole = part.minUs >= scanned.fromUs && part.maxUs <= scanned.throughUs
    return {
      minUs: part.minUs,
      maxUs: part.maxUs,
      ...(part.isSealed && isWhole ? { cached: { part, key } } : {}),
      async read(use) {
        context.onOpen()
        const batch = await part.open(yieldIfDue, scanned.columns)
        try {
          const isKept = isCostly && part.isSealed && !isWhole
          const rows = isKept ? await keptOrPassing(part, batch) : await passing(batch)
          const selection = filterTime(batch, rows, scanned)
          context.onScan(sizeOf(selection))
          const fields = createFieldReader(batch, part.owner, context.fieldCache)
          return await use(storedFrame(batch, selection, kinds, fields))
        } finally {
          part.close()
        }
      },
    }
  })
}
