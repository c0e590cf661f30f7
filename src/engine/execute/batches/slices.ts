import type { TimeRange } from '../../../plan/plan.js'
import { overlaps, type Part, type Slice } from '../columns/batch.js'

/** A slice that a range of time reads. `isKept` if results of the slice serve a later run, whatever its range. */
export interface ReadSlice extends Slice {
  isKept: boolean
}

/** The most slices of a sealed part. */
const MOST_SLICES = 8

/**
 * Returns the slices of a part, of about `sliceRows` rows, of which a range of time may have rows: blocks of an open
 * head in order of arrival, or a sealed part that the range cuts by time. A window moves on, and a head grows, but most
 * slices stay as they are. Undefined if the part has only a single slice.
 */
export function slicesOf(part: Part, cut: TimeRange, sliceRows: number): readonly ReadSlice[] | undefined {
  const slices = part.slices?.(sliceRows) ?? timeSlices(part, Math.floor(part.rows / sliceRows))
  if (slices.length < 2) return undefined
  return slices
    .filter((one) => overlaps(one, cut))
    .map((one) => ({ ...one, isKept: one.isFixed && isWithin(one, cut) }))
}

/** Whether all rows of a part or a slice lie in a range of time. */
export const isWithin = ({ minUs, maxUs }: Pick<Slice, 'minUs' | 'maxUs'>, { fromUs, throughUs }: TimeRange) =>
  minUs >= fromUs && maxUs <= throughUs

/** Divides a sealed part into equal spans of time. */
function timeSlices({ minUs, maxUs }: Part, wanted: number): Slice[] {
  const count = Math.min(MOST_SLICES, wanted, Math.ceil(maxUs - minUs))
  if (!(count > 1)) return []
  const startOf = (number: number) => minUs + Math.round((number / count) * (maxUs - minUs))
  return Array.from({ length: count }, (_, number): Slice => {
    const endUs = number === count - 1 ? maxUs : startOf(number + 1) - 1
    return { number, minUs: startOf(number), maxUs: endUs, isFixed: true }
  })
}

/** Returns several slices of adjacent rows as a single slice, with the number of the first. */
export function joined(slices: readonly ReadSlice[]): ReadSlice {
  const [first] = slices
  const last = slices.at(-1)!
  return {
    ...first,
    isKept: slices.every(({ isKept }) => isKept),
    minUs: Math.min(...slices.map(({ minUs }) => minUs)),
    maxUs: Math.max(...slices.map(({ maxUs }) => maxUs)),
    ...(first.rows && last.rows && { rows: { from: first.rows.from, to: last.rows.to } }),
  }
}
