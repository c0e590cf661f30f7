import type { SourceName } from '../../common/sources.js'
import type { Files } from '../../engine/disk/files/files.js'
import { createJournal } from '../../engine/disk/journal/writer.js'
import { batchesOf } from '../../engine/store/export/batches.js'
import { checkOf } from '../../engine/store/files/facts.js'
import { type HeadId, journalPath } from '../../engine/store/files/file-names.js'
import { loadSegment, readSegmentFacts } from '../../engine/store/files/segment-file.js'
import type { Salvage } from '../findings/repair.js'
import { SALVAGE_FILE } from '../findings/set-aside.js'
import { noteSalvaged } from './note-salvaged.js'
import { move, type RepairState, setAside } from './repair-state.js'

/**
 * Sets a damaged segment aside, and moves the intact rows to a new journal. The rows are written to a file in the
 * segment's directory first. Until the directory is moved, the segment has the rows. Afterwards the file has the rows,
 * until {@link finishSalvage} moves the file, now or in a later call.
 */
export async function salvageSegment(state: RepairState, path: string, id: HeadId, salvage: Salvage): Promise<void> {
  await writeRows(state.files, path, id.source, salvage)
  const aside = await setAside(state, path)
  await finishSalvage(state, `${aside}/${SALVAGE_FILE}`, id.source)
}

async function writeRows(files: Files, path: string, source: SourceName, { ranges, columns }: Salvage): Promise<void> {
  const facts = await readSegmentFacts(files, path)
  const segment = await loadSegment(files, path, facts, new Set(columns))
  await files.remove(`${path}/${SALVAGE_FILE}`)
  const journal = createJournal(files, `${path}/${SALVAGE_FILE}`, source)
  try {
    for (const range of ranges) for await (const batch of batchesOf(segment, range)) await journal.append(batch)
    await journal.sync()
  } finally {
    await journal.close()
  }
  await noteSalvaged(files, Buffer.from(journal.marker).toString('hex'), checkOf(path, facts))
}

/** Moves the intact rows of a segment that was set aside to the journal of a new head. */
export async function finishSalvage({ files, nextNumber, onRepaired }: RepairState, path: string, source: SourceName) {
  const to = journalPath({ source, number: await nextNumber(source) })
  await move(files, path, to)
  await onRepaired({
    level: 'repaired',
    path: to,
    what: `has the intact rows of ${path.slice(0, path.lastIndexOf('/'))}`,
  })
}
