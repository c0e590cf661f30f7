import type { Yielder } from '../../../base/scheduling/time-slices.js'
import { DAY_US } from '../../../base/units.js'
import { ABSENT, type Dictionary, entryOf } from '../../execute/columns/dictionary.js'
import type { CategoryColumn, OpenBatch } from '../../execute/open-batch/open-batch.js'
import { dictionaryOf } from '../../execute/open-batch/snapshot.js'
import type { ProjectIndex } from '../segment/segment.js'

/** The rows of a project and a UTC day in a segment or a head. */
export interface ProjectRows {
  /** As records have it: undefined for rows without a project, and empty for those with an empty name. */
  project: string | undefined
  /** In days since the epoch. */
  day: number
  rows: number
}

/** Returns the rows of each project of a segment, all of a single day. Costs nothing for each row. */
export function* rowsOfIndex({ dictionary, starts }: ProjectIndex, day: number): Iterable<ProjectRows> {
  for (let code = ABSENT, from = 0; code < starts.length; from = starts[code++]) {
    const rows = starts[code] - from
    if (rows > 0) yield { project: projectOf(dictionary, code), day, rows }
  }
}

/** Rows that are counted between two checks of the time slice. */
const ROWS_PER_STEP = 16_384

/** Counts the rows that a head has now. Costs a loop over them. */
export async function rowsOfHead(head: OpenBatch, yieldIfDue: Yielder): Promise<ProjectRows[]> {
  // Later appends change none of these.
  const { rows, minUs, timestampsUs } = head
  const { codes, interner } = head.columns.get('project') as CategoryColumn
  const dictionary = dictionaryOf(interner)
  const firstDay = Math.floor(minUs / DAY_US)
  /** By the day after the first day, times the number of projects, and the project. */
  const counts = new Map<number, number>()
  for (let row = 0; row < rows; row++) {
    const key = (Math.floor(timestampsUs[row] / DAY_US) - firstDay) * dictionary.count + codes[row]
    counts.set(key, (counts.get(key) ?? 0) + 1)
    if (row % ROWS_PER_STEP === 0) await yieldIfDue()
  }
  return [...counts].map(([key, count]) => ({
    project: projectOf(dictionary, key % dictionary.count),
    day: firstDay + Math.floor(key / dictionary.count),
    rows: count,
  }))
}

const projectOf = (dictionary: Dictionary, code: number): string | undefined =>
  code === ABSENT ? undefined : entryOf(dictionary, code).toString()
