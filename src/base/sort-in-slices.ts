import type { Yielder } from './time-slices.js'

/** Items of a run, which is sorted in one call. */
const RUN_LENGTH = 512
/** Items that are merged without a look at the clock. */
const MERGED_LENGTH = 256

/** Returns the items in order; yields to the event loop in between. Equal items keep their order. May move items. */
export async function sortInSlices<T>(items: T[], compare: (a: T, b: T) => number, yieldIfDue: Yielder): Promise<T[]> {
  const { length } = items
  if (length <= RUN_LENGTH) return items.sort(compare)
  let from: T[] = []
  for (let start = 0; start < length; start += RUN_LENGTH) {
    for (const item of items.slice(start, start + RUN_LENGTH).sort(compare)) from.push(item)
    await yieldIfDue()
  }
  for (let width = RUN_LENGTH; width < length; width *= 2) {
    const into: T[] = []
    for (let start = 0; start < length; start += 2 * width) {
      await mergeRuns({ from, into, start, middle: start + width, end: start + 2 * width }, compare, yieldIfDue)
    }
    from = into
  }
  return from
}

interface Runs<T> {
  from: readonly T[]
  into: T[]
  start: number
  middle: number
  end: number
}

/** Appends two runs next to each other, [start, middle) and [middle, end), in order. */
async function mergeRuns<T>(runs: Runs<T>, compare: (a: T, b: T) => number, yieldIfDue: Yielder): Promise<void> {
  const { from, into, start } = runs
  const middle = Math.min(runs.middle, from.length)
  const end = Math.min(runs.end, from.length)
  let left = start
  let right = middle
  while (left < middle || right < end) {
    const last = Math.min(end - start, left - start + right - middle + MERGED_LENGTH)
    while (left - start + right - middle < last) {
      const isLeft = right >= end || (left < middle && compare(from[left]!, from[right]!) <= 0)
      into.push(isLeft ? from[left++]! : from[right++]!)
    }
    const pause = yieldIfDue()
    if (pause !== undefined) await pause
  }
}
