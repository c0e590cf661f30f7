import type { SourceName } from '../../common/sources.js'
import type { Files } from '../../engine/disk/files/files.js'
import { fault } from '../findings/finding.js'
import type { Repair } from '../findings/repair.js'
import type { Report } from '../findings/report.js'
import { checkJournal } from './check-journal.js'
import type { NamedEntry } from './list-entries.js'

/**
 * Reads a journal, and reports a name that is not the name of its rows. `servicePath` is the path that the service
 * reads for the id of the journal. `moveTo` returns the repair of a wrong name, given the source of the rows.
 */
export async function checkNamedJournal(
  files: Files,
  { path, id, isCanonical }: NamedEntry<{ source: SourceName }>,
  servicePath: string,
  moveTo: (source: SourceName) => Repair,
): Promise<Report> {
  const report = await checkJournal(files, path, id.source)
  const { source = id.source, rows } = report
  if (isCanonical && source === id.source) return report
  const why = isCanonical ? `its rows are of ${source}` : `the service reads ${servicePath} instead`
  const found = fault('wrong_place', path, why, { cost: { source, rows } })
  return { ...report, findings: [found, ...report.findings], repair: report.repair ?? moveTo(source) }
}
