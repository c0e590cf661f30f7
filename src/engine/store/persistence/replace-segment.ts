import { writeFile } from '../../disk/files/files.js'
import { isDamage } from '../../execute/columns/damage.js'
import { DiskSegment, type MakePathColumns } from '../files/disk-segment.js'
import { dayPath, emptiedPath, segmentPath } from '../files/file-names.js'
import { readSegmentFacts, writeSegment } from '../files/segment-file.js'
import { type SealedRows, segmentOfSealedRows } from '../segment/segment.js'
import { addSegment, type DiskState } from './disk-state.js'

/**
 * Writes the rows of a segment that are left as the next edition of the segment, or a file in its place if none are
 * left. From then on a start ignores the segment. See `Persistence.replace`.
 */
export async function replaceSegment(
  disk: DiskState,
  old: DiskSegment,
  left: SealedRows | undefined,
  makePathColumns: MakePathColumns,
): Promise<DiskSegment | undefined> {
  const { files } = disk
  await disk.raiseLifeFormat()
  if (left === undefined) {
    await writeFile(files, emptiedPath(old.place), [])
    await files.syncDirectory(dayPath(old.source, old.day))
    return undefined
  }
  const { source, number, part, day } = old.place
  const edition = old.place.edition + 1
  const place = { ...old.place, edition, path: segmentPath({ source, number }, part, day, edition) }
  // Remains of an earlier attempt.
  await files.remove(place.path)
  await writeSegment(files, place.path, segmentOfSealedRows(left), old.origin)
  const facts = await readSegmentFacts(files, place.path).catch((error) => {
    throw isDamage(error) ? (error.cause ?? error) : error
  })
  const segment = new DiskSegment(disk, place, facts, true)
  if (old.hasPathColumns) await segment.addPathColumns(makePathColumns)
  addSegment(disk, segment)
  return segment
}
