import { checkFormat, FORMAT_FILE } from '../../engine/disk/directory/format.js'
import type { Files } from '../../engine/disk/files/files.js'
import { exists } from '../files/read-again.js'
import { tolerantFiles } from '../files/tolerant-files.js'
import { REPAIR_ORDER, type Repair } from '../findings/repair.js'
import { moveGroup, moveJournal, moveSegment } from './move-misplaced.js'
import { createRepairState, type RepairState, setAside } from './repair-state.js'
import { reduceCopy, rewriteJournal } from './rewrite-journal.js'
import { rewriteRejects } from './rewrite-rejects.js'
import { finishSalvage, salvageSegment } from './salvage-segment.js'

/** The inputs of a repair. */
export interface RepairOptions {
  /** The files of a directory that this process has locked. */
  files: Files
  nowUs: number
  onRepaired: RepairState['onRepaired']
}

/**
 * Makes the repairs that a check has found. No intact row is lost: if the process dies, or a call fails, the same check
 * finds the remaining repairs. Rejects with the system's error.
 */
export async function repairDirectory(repairs: readonly Repair[], options: RepairOptions): Promise<void> {
  const files = tolerantFiles(options.files, () => {})
  const state = createRepairState(files, options.nowUs, options.onRepaired)
  const place = ({ kind }: Repair) => REPAIR_ORDER.indexOf(kind)
  for (const repair of repairs.toSorted((a, b) => place(a) - place(b))) await make(state, repair)
}

async function make(state: RepairState, repair: Repair): Promise<void> {
  const { kind, path } = repair
  if (kind === 'rewrite_journal') return rewriteJournal(state, path, repair.source)
  if (kind === 'reduce_copy') return reduceCopy(state, repair)
  if (kind === 'salvage_segment') return salvageSegment(state, path, repair.id, repair.salvage)
  if (kind === 'finish_salvage') return finishSalvage(state, path, repair.source)
  if (kind === 'move_segment') return moveSegment(state, repair)
  if (kind === 'move_journal') return moveJournal(state, repair)
  if (kind === 'move_group') return moveGroup(state, repair)
  if (kind === 'rewrite_rejects') return rewriteRejects(state, path)
  if (kind === 'write_format') return writeFormat(state)
  if (kind === 'set_aside') return void (await setAside(state, path))
  return remove(state, path)
}

async function remove({ files, onRepaired }: RepairState, path: string): Promise<void> {
  await files.remove(path)
  await onRepaired({ level: 'repaired', path, what: 'deleted: it was a leftover' })
}

async function writeFormat(state: RepairState): Promise<void> {
  const { files, onRepaired } = state
  if (await exists(files, FORMAT_FILE)) await setAside(state, FORMAT_FILE)
  await checkFormat(files, '')
  await onRepaired({ level: 'repaired', path: FORMAT_FILE, what: 'written again' })
}
