import { DAY_US } from '../../../base/units.js'
import type { SegmentHandle } from '../segment/handle.js'
import type { ProjectIndex } from '../segment/segment.js'
import { rowsOfIndex } from '../usage/counts.js'

/** Whether all rows of a segment are to be removed, or the rows of some projects of the whole day, or none yet. */
export type Due = 'all' | 'some' | 'none'

/** The rows of a segment that are past their time. */
export interface DueProjects {
  due: Due
  /** How much later, in microseconds of settled time, more rows may be due. Infinity without rows that are not due. */
  nextInUs: number
}

/**
 * Tells which rows of a segment are to be removed, without reading rows. The rows of a project are due together, once
 * the whole UTC day is past the project's limit: otherwise segments would be sealed again and again. Only a whole
 * segment is due as soon as the newest row is past all limits. `throughUs` returns the time through which rows of a
 * project, or without a project, may be removed.
 */
export function dueProjects(
  { day, maxUs }: Pick<SegmentHandle, 'day' | 'maxUs'>,
  index: ProjectIndex,
  throughUs: (project: string | undefined) => number,
): DueProjects {
  const endUs = (day + 1) * DAY_US - 1
  let shortestUs = Number.POSITIVE_INFINITY
  let nextDayUs = Number.POSITIVE_INFINITY
  let someAreDue = false
  for (const { project } of rowsOfIndex(index, day)) {
    const edgeUs = throughUs(project)
    shortestUs = Math.min(shortestUs, edgeUs)
    if (edgeUs >= endUs) someAreDue = true
    else nextDayUs = Math.min(nextDayUs, endUs - edgeUs)
  }
  const areAllPast = shortestUs >= maxUs
  const due = areAllPast ? 'all' : someAreDue ? 'some' : 'none'
  return { due, nextInUs: Math.min(nextDayUs, maxUs - shortestUs) }
}
