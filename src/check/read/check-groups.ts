import { pathOf as groupPath } from '../../engine/clickhouse/group-journals.js'
import { fault } from '../findings/finding.js'
import type { Report } from '../findings/report.js'
import { checkJournal } from './check-journal.js'
import { checkOtherJournal } from './check-others.js'
import type { CheckState } from './check-state.js'
import { type GroupEntry, listGroups } from './list-entries.js'

/** Reads the journals of rows that a ClickHouse server has not confirmed. */
export async function checkGroups(state: CheckState): Promise<void> {
  const { groups, others } = await listGroups(state.files)
  for (const entry of groups) {
    const report = await state.check(entry.path, () => checkGroup(state, entry))
    if (report !== undefined) state.copies.see(entry.path, report, entry.isCanonical)
  }
  for (const path of others) {
    const report = await state.check(path, () => checkOtherGroup(state, path))
    if (report !== undefined) state.copies.see(path, report, false)
  }
}

async function checkGroup({ files }: CheckState, { path, id, isCanonical }: GroupEntry): Promise<Report> {
  const report = await checkJournal(files, path, id.source)
  const { source = id.source, rows } = report
  if (isCanonical && source === id.source) return report
  const why = isCanonical ? `its rows are of ${source}` : `the service reads ${groupPath(id)} instead`
  const found = fault('wrong_place', path, why, { cost: { source, rows } })
  const repair = { kind: 'move_group', path, id: { ...id, source } } as const
  return { ...report, findings: [found, ...report.findings], repair: report.repair ?? repair }
}

async function checkOtherGroup({ files }: CheckState, path: string): Promise<Report> {
  const report = await checkOtherJournal(files, path)
  if (report.repair?.kind !== 'move_journal') return report
  return { ...report, repair: { kind: 'move_group', path, id: { source: report.repair.id.source, arrivedUs: 0 } } }
}
