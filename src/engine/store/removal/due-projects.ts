import { decodeUtf8 } from '../../../base/text/utf8.js'
import { DAY_US } from '../../../base/units.js'
import { timeAt } from '../../execute/columns/batch.js'
import { entryOf } from '../../execute/columns/dictionary.js'
import type { Segment } from '../segment/segment.js'

/** Whether all rows of a segment are to be removed, or the rows of some projects of the whole day, or none yet. */
export type Due = 'all' | 'some' | 'none'

/** The rows of a segment whose time is over. */
export interface DueProjects {
  due: Due
  /** How much later, in microseconds of settled time, more rows may be due. Infinity without rows that are not due. */
  nextInUs: number
}

/**
 * Tells which rows of a segment are to be removed. The rows of a project are due together, once the whole UTC day is
 * past the project's limit: otherwise segments would be sealed again and again. `throughUs` returns the time through
 * which rows of a project, or without a project, may be removed.
 */
export function dueProjects(
  { day, rows, times, projects }: Pick<Segment, 'day' | 'rows' | 'times' | 'projects'>,
  throughUs: (project: string | undefined) => number,
): DueProjects {
  const { dictionary, starts } = projects
  const endUs = (day + 1) * DAY_US - 1
  let areAllPast = true
  let someAreDue = false
  let [nextDayUs, nextAllUs] = [Number.POSITIVE_INFINITY, 0]
  for (let code = 0, from = 0; code < dictionary.count; code++) {
    const to = starts[code] ?? rows
    if (to === from) continue
    const edgeUs = throughUs(code === 0 ? undefined : decodeUtf8(entryOf(dictionary, code)))
    const lastUs = timeAt(times, to - 1)
    if (edgeUs < lastUs) areAllPast = false
    if (edgeUs >= endUs) someAreDue = true
    else nextDayUs = Math.min(nextDayUs, endUs - edgeUs)
    nextAllUs = Math.max(nextAllUs, lastUs - edgeUs)
    from = to
  }
  const due = areAllPast ? 'all' : someAreDue ? 'some' : 'none'
  return { due, nextInUs: Math.min(nextDayUs, nextAllUs) }
}
