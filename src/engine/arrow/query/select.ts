import type { Yielder } from '../../../base/time-slices.js'
import type { Shape, TimeRange } from '../../plan.js'
import type { Batch, Part } from '../columns/batch.js'
import { bytesOfSelection, range, type Selection } from '../columns/selection.js'
import { createFilter, filterTime } from '../operators/filter.js'
import { cacheKey, type PartialCache } from './partial-cache.js'

/** The rows of a run, its time slices, its cache and its statistics. */
export interface RunContext {
  /** The parts that may have rows of the time range, in order of arrival. */
  parts: readonly Part[]
  yieldIfDue: Yielder
  partialCache: PartialCache
  /** Called for each part that is opened; the others are pruned by their times. */
  onOpen(): void
  /** Called with the number of rows scanned in a part. */
  onScan(rows: number): void
}

/** Whether all rows of a part are in the time range. */
export function isWithin({ minUs, maxUs }: Part, { fromUs, throughUs }: TimeRange): boolean {
  return minUs >= fromUs && maxUs <= throughUs
}

/**
 * Returns a function that opens a part, selects the rows of a plan, and calls `use` with them. The result of `use` must
 * not reference the hot columns, which are closed afterwards.
 */
export function createSelect(shape: Shape, { yieldIfDue, partialCache }: RunContext) {
  const filters = shape.predicates.map((predicate) => createFilter(shape.source, predicate))
  // The rows of a project are found without a scan.
  const isCostly = shape.predicates.some(({ column }) => column !== 'project')
  const key = cacheKey(shape.predicates)

  // The filter on the project is the first: it finds its rows without reading others.
  async function passing(batch: Batch): Promise<Selection> {
    let selection: Selection = range(0, batch.rows, false)
    for (const filter of filters) selection = await filter(batch, selection, yieldIfDue)
    return selection
  }

  async function selectAndCache(part: Part, batch: Batch): Promise<Selection> {
    const selection = await passing(batch)
    partialCache.put(part, key, selection, bytesOfSelection(selection))
    return selection
  }

  return async <T>(part: Part, use: (batch: Batch, selection: Selection) => T | Promise<T>): Promise<T> => {
    const batch = await part.open(yieldIfDue)
    try {
      const isCacheable = isCostly && part.isSealed && !isWithin(part, shape)
      const rows = isCacheable
        ? (partialCache.get<Selection>(part, key) ?? (await selectAndCache(part, batch)))
        : await passing(batch)
      return await use(batch, filterTime(batch, rows, shape))
    } finally {
      part.close()
    }
  }
}
