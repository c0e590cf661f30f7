import { createPace } from './pace.js'
import { SLICE_MS, type Yielder } from './time-slices.js'

/** The most items of a run, which is sorted in one call, and of items that are merged without a look at the clock. */
const MOST_ITEMS = 512
/** A run, or a piece of a merge, should take no longer than this. */
const PIECE_MS = SLICE_MS / 4

/**
 * Returns the items in order. Yields to the event loop in between, more often if a comparison takes long, as of texts
 * of a megabyte. Equal items keep their order.
 */
export async function sortInSlices<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
  yieldIfDue: Yielder,
): Promise<T[]> {
  const pace = createPace(PIECE_MS, MOST_ITEMS)
  let runs: T[][] = []
  for (let start = 0; start < items.length; ) {
    const run = items.slice(start, start + pace.items())
    const startedMs = performance.now()
    run.sort(compare)
    pace.note(run.length, performance.now() - startedMs)
    runs.push(run)
    start += run.length
    await yieldIfDue()
  }
  while (runs.length > 1) {
    const merged: T[][] = []
    for (let i = 0; i < runs.length; i += 2) {
      merged.push(await mergeRuns(runs[i], runs[i + 1] ?? [], compare, yieldIfDue))
    }
    runs = merged
  }
  return runs[0] ?? []
}

/** Returns the items of two runs in order. */
async function mergeRuns<T>(left: T[], right: T[], compare: (a: T, b: T) => number, yieldIfDue: Yielder): Promise<T[]> {
  if (right.length === 0) return left
  const pace = createPace(PIECE_MS, MOST_ITEMS)
  const merged: T[] = []
  let fromLeft = 0
  let fromRight = 0
  while (fromLeft < left.length || fromRight < right.length) {
    const before = merged.length
    const end = Math.min(left.length + right.length, before + pace.items())
    const startedMs = performance.now()
    while (merged.length < end) {
      const isLeft =
        fromRight === right.length || (fromLeft < left.length && compare(left[fromLeft], right[fromRight]) <= 0)
      merged.push(isLeft ? left[fromLeft++] : right[fromRight++])
    }
    pace.note(end - before, performance.now() - startedMs)
    const pause = yieldIfDue()
    if (pause !== undefined) await pause
  }
  return merged
}
