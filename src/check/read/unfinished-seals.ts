import { JOURNALS, journalPath } from '../../engine/store/files/file-names.js'
import { hasFault, note } from '../findings/finding.js'
import { type Report, reportOf } from '../findings/report.js'
import { checkSegment } from './check-segment.js'
import type { CheckState } from './check-state.js'
import type { SegmentEntry } from './list-entries.js'

/**
 * Reports the segments of heads that also have a journal: the process ended while it sealed the head. Usually the
 * journal has all rows, and the next start deletes the segments. If the journal is damaged, a repair keeps the side
 * with more rows. `journals` are the reports of the journals that were read, by path.
 */
export async function checkUnfinished(
  state: CheckState,
  segments: readonly SegmentEntry[],
  journals: ReadonlyMap<string, Report>,
): Promise<void> {
  for (const path of new Set(segments.map(journalPath))) {
    const ofHead = segments.filter((segment) => journalPath(segment) === path)
    const journal = journals.get(path)
    if (journal === undefined || !hasFault(journal.findings)) await reportLeftovers(state, ofHead)
    else await chooseSide(state, path, journal, ofHead)
  }
}

async function reportLeftovers({ add }: CheckState, segments: readonly SegmentEntry[]): Promise<void> {
  const why = `its rows are in ${JOURNALS}, since it was being sealed when the process ended`
  for (const { path } of segments) {
    await add(reportOf([note('leftover', path, `${why}: the next start deletes it`)], { kind: 'remove', path }))
  }
}

async function chooseSide(
  { files, add }: CheckState,
  path: string,
  journal: Report,
  segments: readonly SegmentEntry[],
): Promise<void> {
  let sealedRows = 0
  for (const segment of segments) {
    const report = await checkSegment(files, segment).catch(() => undefined)
    sealedRows += report?.rows ?? 0
  }
  const others = segments.map((segment) => segment.path).join(', ')
  if (sealedRows > journal.rows) {
    const what = `--repair moves it to damaged, since ${others} have more of its rows`
    return add(reportOf([note('leftover', path, what)], { kind: 'set_aside', path }))
  }
  for (const segment of segments) {
    const what = `it was being sealed when the process ended, and may have rows that the damaged ${path} has lost`
    await add(reportOf([note('leftover', segment.path, what)], { kind: 'set_aside', path: segment.path }))
  }
}
