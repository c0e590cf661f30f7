import { basename } from 'node:path/posix'
import type { Files } from '../../engine/disk/files/files.js'
import { decodeHeader, FRAMES_START } from '../../engine/disk/journal/header.js'
import { readSegmentFacts } from '../../engine/store/files/segment-file.js'
import { readWhole } from '../files/read-whole.js'
import { fault, note } from '../findings/finding.js'
import { type Report, reportOf } from '../findings/report.js'
import { checkJournal } from './check-journal.js'
import { checkSegment } from './check-segment.js'
import { isLeftoverName, isSetAsideName } from './list-entries.js'

const NOT_READ = 'the service does not read a file or directory of this name'

/**
 * Looks at an entry next to the journals that does not have the name of a journal. If the entry has the `identity` of a
 * journal, the rows of the entry are missing, unless the entry is a copy.
 */
export async function checkOtherJournal(files: Files, path: string): Promise<Report> {
  if (isSetAsideName(path)) return setAside(path)
  if (isLeftoverName(basename(path))) return leftover(path)
  const start = await readWhole(files, path, FRAMES_START).catch(() => Buffer.alloc(0))
  const { header } = start.length < FRAMES_START ? {} : decodeHeader(start, path)
  if (header === undefined) return reportOf([note('unknown_file', path, NOT_READ)])
  const report = await checkJournal(files, path, header.source)
  const cost = { source: header.source, rows: report.rows }
  const found = fault('wrong_place', path, `it is a journal, and ${NOT_READ}`, { cost })
  const repair = { kind: 'move_journal', path, id: { source: header.source, number: 0 } } as const
  return { ...report, findings: [found, ...report.findings], repair: report.repair ?? repair }
}

/** The same check for an entry below the directory of segments. */
export async function checkOtherSegment(files: Files, path: string): Promise<Report> {
  if (isSetAsideName(path)) return setAside(path)
  if (isLeftoverName(basename(path))) return leftover(path)
  const facts = await readSegmentFacts(files, path).catch(() => undefined)
  if (facts === undefined) return reportOf([note('unknown_file', path, NOT_READ)])
  const { source, day, rows, minUs, maxUs } = facts
  const id = { source, day, number: 0, part: 0 }
  const report = await checkSegment(files, { ...id, path })
  const cost = { source, rows, fromUs: minUs, throughUs: maxUs }
  const found = fault('wrong_place', path, `it is a segment, and ${NOT_READ}`, { cost })
  const repair = { kind: 'move_segment', path, id } as const
  return { ...report, findings: [found, ...report.findings], repair: report.repair ?? repair }
}

/** Returns the report about something that a start has kept under another name. */
export const setAside = (path: string): Report =>
  reportOf([note('set_aside', path, 'a start has set it aside because it is damaged, and keeps it')])

/** Returns the report about something that the next start deletes or overwrites. */
export function leftover(
  path: string,
  what = 'a process left it unfinished when it ended, and it is not read',
): Report {
  return reportOf([note('leftover', path, what)], { kind: 'remove', path })
}
