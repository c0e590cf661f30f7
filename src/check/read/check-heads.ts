import { type HeadId, journalPath } from '../../engine/store/files/file-names.js'
import { fault, hasFault } from '../findings/finding.js'
import { type Report, reportOf } from '../findings/report.js'
import { checkNamedJournal } from './check-named-journal.js'
import { checkOtherJournal, checkOtherSegment, leftover } from './check-others.js'
import { checkSegment } from './check-segment.js'
import type { CheckState } from './check-state.js'
import { type JournalEntry, listJournals, listSegments, type SegmentEntry } from './list-entries.js'
import { checkUnfinished } from './unfinished-seals.js'

/** A service seals heads during the check: the directory is listed until nothing is new, at most this often. */
const MOST_LISTINGS = 4

/** The journals that were read, by their paths. */
type ReadJournals = Map<string, Report>

/** Reads the journals of all heads, then the segments: a head that is sealed in between is read as segments. */
export async function checkHeads(state: CheckState): Promise<void> {
  const journals: ReadJournals = new Map()
  const done = new Set<string>()
  for (let listing = 1; listing <= MOST_LISTINGS; listing++) {
    const before = done.size
    await checkJournals(state, journals, done)
    await checkSegments(state, journals, done)
    if (!state.isInUse || done.size === before) return
  }
}

async function checkJournals(state: CheckState, journals: ReadJournals, done: Set<string>): Promise<void> {
  const listed = await listJournals(state.files)
  for (const entry of listed.entries) {
    if (isDone(done, entry.path)) continue
    const report = await state.check(entry.path, () => checkHeadJournal(state, entry))
    if (report === undefined) continue
    journals.set(entry.path, report)
    state.copies.see(entry.path, report, entry.isCanonical)
  }
  for (const path of listed.others) {
    if (isDone(done, path)) continue
    const report = await state.check(path, () => checkOtherJournal(state.files, path))
    if (report !== undefined) state.copies.see(path, report, false)
  }
}

/** Returns whether something was read before, and notes the read. */
function isDone(done: Set<string>, path: string): boolean {
  if (done.has(path)) return true
  done.add(path)
  return false
}

function checkHeadJournal({ files }: CheckState, entry: JournalEntry): Promise<Report> {
  const { path, id } = entry
  return checkNamedJournal(files, entry, journalPath(id), (source) => ({
    kind: 'move_journal',
    path,
    id: { ...id, source },
  }))
}

async function checkSegments(state: CheckState, journals: ReadJournals, done: Set<string>): Promise<void> {
  const listed = await listSegments(state.files)
  const unsealed = new Set((await listJournals(state.files)).entries.map(({ id }) => journalPath(id)))
  const numbers = new Map<string, string>()
  const unfinished: SegmentEntry[] = []
  for (const entry of listed.segments) {
    const twin = takeNumber(numbers, entry)
    if (unsealed.has(journalPath(entry))) {
      unfinished.push(entry)
      continue
    }
    if (isDone(done, entry.path)) continue
    const report = await state.check(entry.path, () => checkNamedSegment(state, entry, twin))
    if (report === undefined) continue
    state.copies.see(entry.path, report, true)
    await removeLeftovers(state, report)
    forgetJournal(state, journals, entry)
  }
  // A running service is about to delete the journals.
  if (!state.isInUse) await checkUnfinished(state, unfinished, journals)
  const formerEdition = 'rows were removed from the segment, which has another directory since'
  for (const path of listed.former) await state.check(path, async () => leftover(path, formerEdition))
  for (const path of listed.others) {
    if (isDone(done, path)) continue
    const report = await state.check(path, () => checkOtherSegment(state.files, path))
    if (report !== undefined) state.copies.see(path, report, false)
  }
}

/** The unfinished files of a compaction are deleted if the process ended, unless the segment is damaged. */
async function removeLeftovers({ add }: CheckState, { findings }: Report): Promise<void> {
  if (hasFault(findings)) return
  for (const { code, path } of findings) if (code === 'leftover') await add(reportOf([], { kind: 'remove', path }))
}

/** Returns the path of another segment of the same number and part. Returns undefined for the first segment. */
function takeNumber(numbers: Map<string, string>, { source, number, part, path }: SegmentEntry): string | undefined {
  const key = `${source} ${number} ${part}`
  const twin = numbers.get(key)
  if (twin === undefined) numbers.set(key, path)
  return twin
}

async function checkNamedSegment(
  { files }: CheckState,
  entry: SegmentEntry,
  twin: string | undefined,
): Promise<Report> {
  const report = await checkSegment(files, entry)
  if (twin === undefined && (entry.isCanonical || hasFault(report.findings))) return report
  const why = twin === undefined ? 'the service writes its name with eight digits' : `${twin} has the same number`
  const { source, number, part, day } = entry
  const repair = { kind: 'move_segment', path: entry.path, id: { source, number, part, day: day ?? 0 } } as const
  const found = fault('equal_number', entry.path, why, { cost: { instead: 'no row' } })
  return { ...report, findings: [found, ...report.findings], repair: report.repair ?? repair }
}

/** A head that was sealed during the check was read twice: as journal and as segments. */
function forgetJournal(state: CheckState, journals: ReadJournals, segment: HeadId): void {
  const path = journalPath(segment)
  const report = journals.get(path)
  if (report === undefined) return
  journals.delete(path)
  state.subtractRows(report.rows)
}
