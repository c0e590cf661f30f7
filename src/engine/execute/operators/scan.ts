import { expressionKey } from '../../../plan/expression-key.js'
import type { TimeRange } from '../../../plan/plan.js'
import type { LazyBatch, Offer, ReadByTime, RunContext } from '../batches/lazy-batch.js'
import { chunksByTime } from '../batches/time-chunks.js'
import { Key, type PartialCache } from '../caches/partial-cache.js'
import type { Batch, OpenCold, Part } from '../columns/batch.js'
import { anyOf, bytesOfSelection, range, type Selection, sizeOf } from '../columns/selection.js'
import type { Frame } from '../expressions/frame.js'
import { storedFrame } from '../expressions/stored-frame.js'
import { createFieldReader } from '../fields/read-fields.js'
import type { FastFilter, ScanFilters, SourceKinds } from '../filtering/fast-filters.js'
import { filterTime } from '../filtering/filter-rows.js'
import { keepPassing } from './filter.js'

/** The rows of parts to read, by time, and the hot columns to read. */
export interface ScanRange extends TimeRange {
  columns: ReadonlySet<string>
}

/**
 * Returns the rows of a batch that pass the filters on columns that the batch holds. With `isKept` the rows are cached.
 */
function hotFilter(
  filters: readonly FastFilter[],
  { yieldIfDue, partialCache }: RunContext,
): (part: Part, batch: Batch, isKept: boolean) => Promise<Selection> {
  const key = new Key(() => filters.map(({ condition }) => expressionKey(condition)))
  return async (part, batch, isKept) => {
    const kept = isKept ? partialCache.get<Selection>(part, key.hash) : undefined
    if (kept !== undefined) return kept
    let selection: Selection = range(0, batch.rows, false)
    for (const { narrow, isHeld } of filters) {
      if (isHeld(batch)) selection = await narrow(batch, selection, yieldIfDue)
    }
    if (isKept) partialCache.put(part, key.hash, selection, bytesOfSelection(selection))
    return selection
  }
}

/**
 * Returns the rows of parts in a range of time that pass the filters. `columns` has the columns that the filters read,
 * and the columns that are read of the result. If the range cuts a sealed part, the rows that pass the filters on hot
 * columns are cached, whatever their time: the next run's range has moved on. If the range contains the part, the rows
 * that pass the filters on cold columns are cached: the queries of a search for rows, counts and fields read the rows
 * one after the other. If `isSlow`, the rows can be read in chunks too, of which each passes the other filters by
 * itself.
 */
export function scan(
  parts: readonly Part[],
  scanned: ScanRange,
  { filters, coldFilters, conditions, isCostly, project }: ScanFilters,
  kinds: SourceKinds,
  context: RunContext & { isSlow?: boolean },
): LazyBatch[] {
  const { yieldIfDue, partialCache } = context
  const key = new Key(() => conditions.map(expressionKey))
  const coldKey = new Key(() => 'cold', key)
  const isWhole = (part: Part) => part.minUs >= scanned.fromUs && part.maxUs <= scanned.throughUs
  const passing = hotFilter(filters, context)

  /** Opens a part for `use`: the rows that pass the filters on columns of the part, and `frameOf` for other filters. */
  async function opened<T>(part: Part, use: (rows: OpenedRows) => Promise<T>): Promise<T> {
    context.onOpen()
    const batch = await part.open(yieldIfDue, scanned.columns)
    try {
      const fields = createFieldReader(batch, part.owner, context.fieldCache)
      const isKept = part.isSealed && isWhole(part) && coldFilters.length > 0
      const known = isKept ? partialCache.get<Selection>(part, coldKey.hash) : undefined
      const rows = known ?? (await passing(part, batch, isCostly && part.isSealed && !isWhole(part)))
      const selection = filterTime(batch, rows, scanned)
      const onCold = known === undefined ? coldFilters.map((open) => open(batch)) : []
      const keep = isKept && known === undefined && keepPieces(partialCache, part, coldKey, selection)
      const inRows = filters.filter(({ isHeld }) => !isHeld(batch)).map(({ condition }) => condition)
      const frameOf = async (piece: Selection) => {
        context.onScan(sizeOf(piece))
        let kept = piece
        for (const filter of onCold) kept = await filter(kept, yieldIfDue)
        if (keep) keep(piece, kept)
        return keepPassing(storedFrame(batch, kept, kinds, fields), inRows, yieldIfDue)
      }
      return await use({ batch, selection, frameOf })
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

  return parts.map((part) => ({
    minUs: part.minUs,
    maxUs: part.maxUs,
    ...(part.isSealed && isWhole(part) ? { cached: { part, key, ...offerOf(part, project, scanned, context) } } : {}),
    read: (use) => opened(part, async ({ selection, frameOf }) => use(await frameOf(selection))),
    ...(context.isSlow && { readByTime: readByTime(part) }),
    ...(part.isSealed && { keepRows: (open: OpenCold) => context.rowCache.cachedReader(part.owner, open) }),
  }))
}

/** Returns the `offer` of a part that is read whole. */
function offerOf(
  part: Part,
  project: string | undefined,
  { columns }: ScanRange,
  { yieldIfDue, onOpen, onScan }: RunContext,
): { offer?: Offer } {
  if (project === undefined) return {}
  return {
    offer(add) {
      const addRows = (batch: Batch) => {
        try {
          const selection = batch.projectRows(project)
          const isAdded = add({ batch, selection })
          if (isAdded) {
            onOpen()
            onScan(sizeOf(selection))
          }
          return isAdded
        } finally {
          part.close()
        }
      }
      const opened = part.open(yieldIfDue, columns)
      return opened instanceof Promise ? opened.then(addRows) : addRows(opened)
    },
  }
}

/**
 * Returns a function that takes the pieces of a selection, one after the other, and the passing rows of each piece.
 * After the last piece, the function caches all passing rows.
 */
function keepPieces(
  cache: PartialCache,
  part: Part,
  key: Key,
  selection: Selection,
): (piece: Selection, passing: Selection) => void {
  const found: Selection[] = []
  let left = sizeOf(selection)
  return (piece, passing) => {
    found.push(passing)
    left -= sizeOf(piece)
    if (left > 0) return
    const rows = anyOf(selection, found)
    cache.put(part, key.hash, rows, bytesOfSelection(rows))
  }
}

/** The rows of a part in the range of time that pass the filters on columns that the part holds. */
interface OpenedRows {
  batch: Batch
  selection: Selection
  /** Counts rows as scanned, and returns the rows that pass the other filters. */
  frameOf(selection: Selection): Promise<Frame>
}
