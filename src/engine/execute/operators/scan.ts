import type { SourceName } from '../../../common/sources.js'
import { expressionKey } from '../../../plan/expression-key.js'
import type { Scan, TimeRange } from '../../../plan/plan.js'
import { gatherOf } from '../batches/gather.js'
import type { LazyBatch, ReadByTime, RunContext } from '../batches/lazy-batch.js'
import { isWithin, joined, type ReadSlice, slicesOf } from '../batches/slices.js'
import { chunksByTime } from '../batches/time-chunks.js'
import { cachePieces } from '../caches/cached-pieces.js'
import { Key } from '../caches/partial-cache.js'
import { type Batch, type HiddenRows, type OpenCold, overlaps, type Part } from '../columns/batch.js'
import { bytesOfSelection, range, type Selection, sizeOf } from '../columns/selection.js'
import type { Frame } from '../expressions/frame.js'
import { storedFrame } from '../expressions/stored-frame.js'
import { createFieldReader } from '../fields/read-fields.js'
import { type FastFilter, fastFilters, type ScanFilters, type SourceKinds } from '../filtering/fast-filters.js'
import { filterTime } from '../filtering/filter-rows.js'
import { rowsOfSlice } from '../filtering/slice-rows.js'
import { timeOrder } from '../ordering/time-order.js'
import { type Draft, draftOf, scopeOf } from '../stages/draft.js'
import { columnsReadBy } from '../stages/read-columns.js'
import { kindsOf } from '../stages/source-kinds.js'
import { leadingFilters, type ScanStage, type Step } from '../stages/stage.js'
import { keepPassing } from './filter.js'

/** Begins a stage that reads stored rows. */
export const cutScan = (operator: Scan): Draft => draftOf(operator, scopeOf(operator))

/**
 * Returns the rows of a source that a stage reads, given the parts of the source. Takes over the first filters of the
 * stage, if the filters have a faster way. `steps` are the other steps of the stage.
 */
export function scan(
  stage: ScanStage,
  source: SourceName,
  parts: readonly Part[],
  context: RunContext,
): { batches: LazyBatch[]; steps: readonly Step[] } {
  const { sink, input } = stage
  const kinds = kindsOf(source)
  const { conditions, rest } = leadingFilters(stage.steps)
  const filters = fastFilters(conditions, kinds)
  const slow = conditions.slice(filters.conditions.length)
  const steps = [...slow.map((where): Step => ({ op: 'filter', where })), ...rest]
  const byTime = sink.op === 'top' ? timeOrder(sink.keys) : undefined
  const mostRows = sink.op === 'top' && byTime !== undefined ? sink.rows + sink.offset : Number.POSITIVE_INFINITY
  const isSlow = steps.length > 0 || filters.coldFilters.length > 0 || filters.filters.some(({ isField }) => isField)
  const { fromUs, throughUs } = input
  const batches = scanParts(parts, { fromUs, throughUs, columns: columnsReadBy(stage, source) }, filters, kinds, {
    ...context,
    // The newest rows of a batch are found from the end, the oldest rows in chunks.
    isSliced: sink.op === 'group',
    isSlow: (isSlow || byTime === 'asc') && mostRows < Number.POSITIVE_INFINITY,
    onScan: (rows) => context.onScan(isSlow ? rows : Math.min(rows, mostRows)),
  })
  return { batches, steps }
}

/** The rows of parts to read, by time, and the hot columns to read. */
export interface ScanRange extends TimeRange {
  columns: ReadonlySet<string>
}

/** How a part is read: all rows, or the rows of a slice. */
interface Reading {
  part: Part
  /** The range of time of the scan without the time in which all rows of the part are hidden. */
  range: ScanRange
  /** Rows of the part that are hidden one by one. */
  hidden?: HiddenRows | undefined
  slice?: ReadSlice
}

/**
 * Finds the rows of a batch that pass the filters on columns that the batch holds, from the first row of a slice on.
 * With `isCached`, caches the rows. The slices of a part are filtered together.
 */
function hotFilter(
  filters: readonly FastFilter[],
  { yieldIfDue, partialCache }: RunContext,
): (reading: Reading, batch: Batch, isCached: boolean) => Promise<Selection> {
  const key = new Key(() => filters.map(({ condition }) => expressionKey(condition)))
  const ofSlices = new Map<Part, { firstRow: number; rows: Promise<Selection> }>()

  async function passing(batch: Batch, firstRow: number): Promise<Selection> {
    let selection: Selection = range(firstRow, batch.rows, false)
    for (const { narrow, isHeld } of filters) {
      if (isHeld(batch)) selection = await narrow(batch, selection, yieldIfDue)
    }
    return selection
  }

  function passingFrom(part: Part, batch: Batch, firstRow: number): Promise<Selection> {
    const known = ofSlices.get(part)
    if (known !== undefined && known.firstRow <= firstRow) return known.rows
    const rows = passing(batch, firstRow)
    ofSlices.set(part, { firstRow, rows })
    return rows
  }

  return async ({ part, slice }, batch, isCached) => {
    const cached = isCached ? partialCache.get<Selection>(part.owner, key.hash) : undefined
    const rows = cached ?? (await passingFrom(part, batch, slice?.rows?.from ?? 0))
    if (isCached && cached === undefined) partialCache.put(part.owner, key.hash, rows, bytesOfSelection(rows))
    return slice === undefined ? rows : rowsOfSlice(slice, batch, rows)
  }
}

/**
 * Returns the rows of parts in a range of time that pass the filters. `columns` has the columns that the filters read,
 * and the columns that are read of the result. If the range cuts a sealed part, the rows that pass the filters on hot
 * columns are cached, whatever their time: the next run's range has moved on. If the range contains the part, the rows
 * that pass the filters on cold columns are cached: the queries of a search for rows, counts and fields read the rows
 * one after the other. If `isSlow`, the rows can be read in chunks too, of which each passes the other filters by
 * itself. If `isSliced`, a part that grows or is cut is read by slices, and the groups of slices are kept.
 */
export function scanParts(
  parts: readonly Part[],
  scanned: ScanRange,
  filters: ScanFilters,
  kinds: SourceKinds,
  context: RunContext & { isSlow?: boolean; isSliced?: boolean },
): LazyBatch[] {
  const key = new Key(() => filters.conditions.map(expressionKey))
  const opened = partOpener(filters, kinds, key, context)

  /** Returns all rows of a part as a batch. */
  function wholeBatch(reading: Reading): LazyBatch {
    const { part, range, hidden } = reading
    const { isSealed, minUs, maxUs } = part
    const isKept = isSealed && isWithin(part, range) && hidden === undefined
    const open = () => part.open(context.yieldIfDue, range.columns)
    return {
      minUs,
      maxUs,
      ...(isKept && { cached: { part, key, ...gatherOf(part, filters.project, range, context) } }),
      read: readWhole(opened, reading),
      ...(context.isSlow && { readByTime: readByTime(opened, reading, context) }),
      ...(isSealed && { openAhead: () => openAhead(part, open) }),
      ...(isSealed && { cachedReader: (cold: OpenCold) => context.rowCache.cachedReader(part.owner, cold) }),
    }
  }

  return parts.flatMap((part): LazyBatch[] => {
    const reading = readingOf(part, scanned, filters.project)
    if (reading === undefined) return []
    const isWhole = isWithin(part, reading.range)
    const isSliced = context.isSliced && !(part.isSealed && isWhole) && reading.hidden === undefined
    const slices = isSliced ? slicesOf(part, reading.range, context.sliceRows) : undefined
    if (slices === undefined) return [wholeBatch(reading)]
    return slices.map((_, place) => sliceBatch({ ...reading, slices, key, isCut: !isWhole, opened }, place))
  })
}

/**
 * Returns how all rows of a part are read that are in a range of time and may be read. Undefined if the time of all
 * rows is over.
 */
function readingOf(part: Part, scanned: ScanRange, project: string | undefined): Reading | undefined {
  const hidden = part.hiddenIn?.(project)
  if (hidden === undefined) return { part, range: scanned }
  const { fromUs, columns, keepVisible } = hidden
  const range = {
    ...scanned,
    fromUs: Math.max(fromUs, scanned.fromUs),
    columns: new Set([...scanned.columns, ...columns]),
  }
  return overlaps(part, range) ? { part, range, hidden: keepVisible && hidden } : undefined
}

/** The slices of a part that a scan reads. */
interface SlicedPart extends Reading {
  slices: readonly ReadSlice[]
  /** Identifies the filters of the scan. */
  key: Key
  isCut: boolean
  opened: OpenPart
}

/** Returns the slice at a place as a batch, which can be joined with the next slices. */
function sliceBatch(sliced: SlicedPart, place: number): LazyBatch {
  const { part, range, slices, key, isCut, opened } = sliced
  const slice = slices[place]
  const cachedOf = ({ number }: ReadSlice) => ({ part, slice: number, key })
  const join = (count: number): LazyBatch => {
    const together = slices.slice(place, place + count)
    const areKept = together.every(({ isKept }) => isKept)
    const batch = sliceBatch({ ...sliced, slices: [joined(together)] }, 0)
    return { ...batch, ...(areKept && { joined: together.map(cachedOf) }) }
  }
  return {
    minUs: slice.minUs,
    maxUs: slice.maxUs,
    ...(slice.isKept && { cached: cachedOf(slice) }),
    slice: { part, key, isCut, join },
    read: readWhole(opened, { part, range, slice }),
  }
}

const readWhole =
  (opened: OpenPart, reading: Reading): LazyBatch['read'] =>
  (use) =>
    opened(reading, async ({ selection, frameOf }) => use(await frameOf(selection)))

const readByTime =
  (opened: OpenPart, reading: Reading, { yieldIfDue }: RunContext): ReadByTime =>
  (direction, isWanted, use) =>
    opened(reading, async ({ batch, selection, frameOf }) => {
      for (const { selection: rows, boundUs } of chunksByTime(batch.times, selection, direction)) {
        if (!(await isWanted(boundUs))) return
        await use(await frameOf(rows))
        await yieldIfDue()
      }
    })

/** Opens a part for `use`: the rows that pass the filters on columns of the part, and `frameOf` for other filters. */
type OpenPart = <T>(reading: Reading, use: (rows: OpenedRows) => Promise<T>) => Promise<T>

/** Returns how the parts of a scan are opened. `key` identifies the filters. */
function partOpener(
  { filters, coldFilters, isCostly }: ScanFilters,
  kinds: SourceKinds,
  key: Key,
  context: RunContext,
): OpenPart {
  const { yieldIfDue, partialCache } = context
  const coldKey = new Key(() => 'cold', key)
  const passing = hotFilter(filters, context)
  const opens = new Set<Part>()

  return async (reading, use) => {
    const { part, range, hidden, slice } = reading
    if (!opens.has(part)) context.onOpen()
    opens.add(part)
    const batch = await part.open(yieldIfDue, range.columns)
    try {
      const fields = createFieldReader(batch, part.owner, context.fieldCache)
      const isWhole = isWithin(part, range)
      const isCached = part.isSealed && isWhole && hidden === undefined && coldFilters.length > 0
      const known = isCached ? partialCache.get<Selection>(part.owner, coldKey.hash) : undefined
      const rows = known ?? (await passing(reading, batch, isCostly && part.isSealed && !isWhole))
      const inTime = slice?.isKept ? rows : filterTime(batch, rows, range)
      const selection = (await hidden?.keepVisible?.(batch, inTime, yieldIfDue)) ?? inTime
      const onCold = known === undefined ? coldFilters.map((open) => open(batch)) : []
      const cachePiece = isCached && known === undefined && cachePieces(partialCache, part, coldKey, selection)
      const inRows = filters.filter(({ isHeld }) => !isHeld(batch)).map(({ condition }) => condition)
      const frameOf = async (piece: Selection) => {
        context.onScan(sizeOf(piece))
        let kept = piece
        for (const filter of onCold) kept = await filter(kept, yieldIfDue)
        if (cachePiece) cachePiece(piece, kept)
        return keepPassing(storedFrame(batch, kept, kinds, fields), inRows, yieldIfDue)
      }
      return await use({ batch, selection, frameOf })
    } finally {
      part.close()
    }
  }
}

/** Opens a part, and returns a function that closes the part. An error is that of the read that wants the part. */
function openAhead(part: Part, open: () => Batch | Promise<Batch>): () => void {
  const opened = Promise.resolve(open()).then(
    () => true,
    () => false,
  )
  return () => void opened.then((isOpen) => isOpen && part.close())
}

/** The rows of a part in the range of time that pass the filters on columns that the part holds. */
interface OpenedRows {
  batch: Batch
  selection: Selection
  /** Counts rows as scanned, and returns the rows that pass the other filters. */
  frameOf(selection: Selection): Promise<Frame>
}
