import type { Yielder } from '../../../base/time-slices.js'
import type { Shape, TimeRange } from '../../plan.js'
import type { Batch, Part } from '../columns/batch.js'
import { bytesOfSelection, range, type Selection } from '../columns/selection.js'
import { createFilter, filterTime } from '../operators/filter.js'
import { cacheKey, type PartialCache } from './partial-cache.js'

/** What a run needs from outside: the rows, a pause between pieces of work, and somebody who counts. */
export interface Run {
  /** Those that may have rows of its time range, in order of arrival. */
  parts: readonly Part[]
  yieldIfDue: Yielder
  partialCache: PartialCache
  /** A part is opened; those that are not are left out by their times. */
  opening(): void
  scanned(rows: number): void
}

export function isWithin({ minUs, maxUs }: Part, { fromUs, throughUs }: TimeRange): boolean {
  return minUs >= fromUs && maxUs <= throughUs
}

/** Opens a part, finds the rows that a plan means, and uses them; what comes of them must not hold on to the columns. */
export function createSelect(shape: Shape, { yieldIfDue, partialCache }: Run) {
  const filters = shape.predicates.map((predicate) => createFilter(shape.source, predicate))
  /** The rows of a project are found at no cost. */
  const isCostly = shape.predicates.some(({ column }) => column !== 'project')
  const key = cacheKey(shape.predicates)

  // The project's filter comes first: it finds its rows without a look at others.
  async function passing(batch: Batch): Promise<Selection> {
    let selection: Selection = range(0, batch.rows, false)
    for (const filter of filters) selection = await filter(batch, selection, yieldIfDue)
    return selection
  }

  async function passingToKeep(part: Part, batch: Batch): Promise<Selection> {
    const selection = await passing(batch)
    partialCache.put(part, key, selection, bytesOfSelection(selection))
    return selection
  }

  return async <T>(part: Part, use: (batch: Batch, selection: Selection) => T | Promise<T>): Promise<T> => {
    const batch = await part.open(yieldIfDue)
    try {
      const isKept = isCostly && part.isSealed && !isWithin(part, shape)
      const rows = isKept
        ? (partialCache.get<Selection>(part, key) ?? (await passingToKeep(part, batch)))
        : await passing(batch)
      return await use(batch, filterTime(batch, rows, shape))
    } finally {
      part.close()
    }
  }
}
