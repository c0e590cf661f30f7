import { KIB } from '../../base/units.js'
import { DELETIONS_FOLDER, NEW_END, parseJob } from '../../deletions/job-files.js'
import type { Files } from '../../engine/disk/files/files.js'
import { readWhole } from '../files/read-whole.js'
import { fault } from '../findings/finding.js'
import type { Report } from '../findings/report.js'
import { leftover } from './check-others.js'
import type { CheckState } from './check-state.js'

/** More than any file of a deletion. */
const MAX_BYTES = 256 * KIB

/** Reads the files of deletions. A damaged one has no repair: a person must know which rows are to be hidden. */
export async function checkDeletions({ files, check }: CheckState): Promise<void> {
  for (const name of (await files.list(DELETIONS_FOLDER)).sort()) {
    const path = `${DELETIONS_FOLDER}/${name}`
    await check(path, async () => (name.endsWith(NEW_END) ? leftover(path) : checkDeletion(files, path)))
  }
}

async function checkDeletion(files: Files, path: string): Promise<Report> {
  const bytes = await readWhole(files, path, MAX_BYTES)
  const report: Report = { findings: [], rows: 0, files: 1, bytes: bytes.length }
  try {
    parseJob(bytes.toString(), path)
    return report
  } catch {
    const cost = { instead: 'which rows are hidden: no service starts over them' }
    const what = 'it is no deletion: restore it from a backup, or remove it and delete the rows again'
    return { ...report, findings: [fault('damaged_deletion', path, what, { cost })] }
  }
}
