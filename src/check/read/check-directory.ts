import type { Files } from '../../engine/disk/files/files.js'
import { REREADS, type Rereads, readAgain } from '../files/read-again.js'
import { tolerantFiles } from '../files/tolerant-files.js'
import type { Finding, FindingCode } from '../findings/finding.js'
import type { Totals } from '../findings/format.js'
import type { Repair } from '../findings/repair.js'
import type { Report } from '../findings/report.js'
import { checkDeletions } from './check-deletions.js'
import { checkFormatFile } from './check-format.js'
import { checkGroups } from './check-groups.js'
import { checkHeads } from './check-heads.js'
import { checkMissing } from './check-missing.js'
import type { CheckState } from './check-state.js'
import { checkTopLevel } from './check-top-level.js'
import { checkViews } from './check-views.js'
import { createCopies } from './copies.js'
import { collectUnreadable, type UnreadableBlocks } from './unreadable.js'

/** The leftovers of a killed process. A running service has the same files while the service writes or deletes them. */
const LEFT_BEHIND: ReadonlySet<FindingCode> = new Set<FindingCode>(['leftover', 'torn_end'])

/** The inputs of a check, and the receivers of the findings. */
export interface CheckOptions {
  files: Files
  /** The path of the data directory, for messages. */
  directory: string
  /** Whether a service has the directory: unfinished files of the service are then no leftovers. */
  isInUse: boolean
  /** Called with each finding, in order. */
  onFinding(finding: Finding): Promise<void> | void
  /** Called with the sums after each file. */
  onProgress?(totals: Totals): void
  rereads?: Rereads
}

/** The result of a check. */
export interface Checked {
  totals: Totals
  /** The repairs of the directory, at most one for each path. Empty if a newer version has written a part. */
  repairs: Repair[]
}

/**
 * Reads everything in a data directory. Changes nothing. Takes the memory of one column, batch or frame, and some
 * hundred bytes for each file. Throws `failed` if the directory is not a data directory. Throws `newer_format`, and the
 * system's error if the directory itself cannot be listed.
 */
export async function checkDirectory(options: CheckOptions): Promise<Checked> {
  const totals: Totals = { files: 0, rows: 0, bytes: 0, faults: 0 }
  const repairs = new Map<string, Repair>()
  const unreadable = collectUnreadable()
  const state = createState(options, totals, repairs, unreadable)
  await state.add(await checkFormatFile(state.files, options.directory))
  await checkHeads(state)
  await checkGroups(state)
  await checkViews(state)
  await checkDeletions(state)
  await checkTopLevel(state)
  const copies = state.copies.reports()
  for (const copy of copies) await state.add(copy)
  await checkMissing(state, new Set(copies.flatMap(({ findings }) => findings.map(({ path }) => path))))
  return { totals, repairs: state.hasNewer() ? [] : [...repairs.values()] }
}

function createState(
  { files: given, isInUse, onFinding, onProgress, rereads = REREADS }: CheckOptions,
  totals: Totals,
  repairs: Map<string, Repair>,
  unreadable: UnreadableBlocks,
): CheckState & { hasNewer(): boolean } {
  const files = tolerantFiles(given, unreadable.add)
  let hasNewer = false
  async function add({ findings, rows, files, bytes, repair }: Report): Promise<void> {
    hasNewer ||= findings.some(({ code }) => code === 'newer_format')
    totals.files += files
    totals.rows += rows
    totals.bytes += bytes
    totals.faults += findings.filter(({ level }) => level === 'fault').length
    if (repair !== undefined) repairs.set(repair.path, repair)
    for (const finding of findings) if (!isInUse || !LEFT_BEHIND.has(finding.code)) await onFinding(finding)
    onProgress?.(totals)
  }
  return {
    files,
    isInUse,
    copies: createCopies(),
    add,
    hasNewer: () => hasNewer,
    async check(path, read) {
      const report = await readAgain(files, path, rereads, () => unreadable.during(read))
      if (report !== undefined) await add(report)
      return report
    },
    subtractRows: (rows) => {
      totals.rows -= rows
    },
  }
}
