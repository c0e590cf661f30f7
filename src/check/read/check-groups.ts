import { pathOf as groupPath } from '../../engine/clickhouse/delivery/group-journals.js'
import type { Report } from '../findings/report.js'
import { checkNamedJournal } from './check-named-journal.js'
import { checkOtherJournal } from './check-others.js'
import type { CheckState } from './check-state.js'
import { type GroupEntry, listGroups } from './list-entries.js'

/** Reads the journals of rows that a ClickHouse server has not confirmed. */
export async function checkGroups(state: CheckState): Promise<void> {
  const { entries, others } = await listGroups(state.files)
  for (const entry of entries) {
    const report = await state.check(entry.path, () => checkGroup(state, entry))
    if (report !== undefined) state.copies.see(entry.path, report, entry.isCanonical)
  }
  for (const path of others) {
    const report = await state.check(path, () => checkOtherGroup(state, path))
    if (report !== undefined) state.copies.see(path, report, false)
  }
}

function checkGroup({ files }: CheckState, entry: GroupEntry): Promise<Report> {
  const { path, id } = entry
  return checkNamedJournal(files, entry, groupPath(id), (source) => ({
    kind: 'move_group',
    path,
    id: { ...id, source },
  }))
}

async function checkOtherGroup({ files }: CheckState, path: string): Promise<Report> {
  const report = await checkOtherJournal(files, path)
  if (report.repair?.kind !== 'move_journal') return report
  return { ...report, repair: { kind: 'move_group', path, id: { source: report.repair.id.source, arrivedUs: 0 } } }
}
