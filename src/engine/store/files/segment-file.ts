import { checksumOf } from '../../../arrow-ipc/file.js'
import { type Files, writeFile } from '../../disk/files/files.js'
import type { UncompactedCold } from '../sealing/compact.js'
import { createSegment, type Segment } from '../segment/segment.js'
import { coldColumnsIn, readUncompactedCold } from './cold-file.js'
import { readEnd, withFile } from './ends.js'
import { SEGMENT_FORMAT_VERSION, type SegmentFacts, type SegmentOnDisk, type SegmentOrigin } from './facts.js'
import { UNFINISHED_SUFFIX } from './file-names.js'
import { encodeHot } from './hot-file.js'
import { loadColumns, loadHot, readFacts } from './hot-load.js'

// A sealed segment on disk is a directory of two Arrow IPC files, `hot.arrow` and `cold.arrow`. The directory exists
// whole or not at all, and the rows never change. Compaction may replace `cold.arrow` by a smaller file with the same
// rows.

const hotPath = (directory: string) => `${directory}/hot.arrow`
const coldPath = (directory: string) => `${directory}/cold.arrow`

/**
 * Writes a segment with its cold columns in memory to a directory that does not exist yet. Once the promise resolves,
 * the segment survives a power cut. If the promise rejects, with the system's error, the directory does not exist.
 */
export async function writeSegment(
  files: Files,
  directory: string,
  segment: Segment,
  origin?: SegmentOrigin,
): Promise<void> {
  const cold = segment.cold.file
  if (cold === undefined) throw new TypeError('The cold columns of the segment are not in memory.')
  const unfinished = `${directory}${UNFINISHED_SUFFIX}`
  try {
    await files.remove(unfinished)
    await files.makeDirectory(unfinished)
    await writeFile(files, coldPath(unfinished), [cold])
    await writeFile(files, hotPath(unfinished), await encodeHot(segment, describe(segment, cold, origin)))
    await files.syncDirectory(unfinished)
    await files.rename(unfinished, directory)
  } catch (error) {
    await files.remove(unfinished).catch(() => {})
    throw error
  }
  try {
    await files.syncDirectory(parentOf(directory))
  } catch (error) {
    await files.remove(directory).catch(() => {})
    throw error
  }
}

function describe(segment: Segment, cold: Buffer, origin: SegmentOrigin | undefined): SegmentFacts {
  const { source, day, rows, minUs, maxUs, times } = segment
  return {
    version: SEGMENT_FORMAT_VERSION,
    source,
    day,
    rows,
    minUs,
    maxUs,
    timeUnitUs: times.unitUs,
    timeBytes: times.offsets.BYTES_PER_ELEMENT,
    coldFileBytes: cold.length,
    coldCheck: checksumOf(cold),
    inMetadata: segment.inMetadata.mask,
    ...(segment.cold.isSmall && { coldIsSmall: true }),
    ...(origin && { origin }),
  }
}

/**
 * Reads the cold file of a segment, to be compacted. Undefined if already compacted. Rejects with `damaged_segment`.
 */
export function readColdFile(
  files: Files,
  directory: string,
  facts: SegmentFacts,
): Promise<UncompactedCold | undefined> {
  return readUncompactedCold(files, coldPath(directory), facts)
}

/**
 * Replaces the cold file of a segment by a file with the same rows, atomically, also for queries that read the cold
 * file. After a rejection, with the system's error, either file may be in place.
 */
export async function replaceColdFile(files: Files, directory: string, cold: Buffer): Promise<void> {
  // Next to the directory, where the next start looks for unfinished files.
  const unfinished = `${directory}.cold${UNFINISHED_SUFFIX}`
  try {
    // Earlier versions wrote the file in the directory.
    await files.remove(coldPath(directory) + UNFINISHED_SUFFIX)
    await files.remove(unfinished)
    await writeFile(files, unfinished, [cold])
    await files.rename(unfinished, coldPath(directory))
  } catch (error) {
    await files.remove(unfinished).catch(() => {})
    throw error
  }
  await files.syncDirectory(directory)
}

const parentOf = (directory: string) => directory.slice(0, Math.max(0, directory.lastIndexOf('/')))

/**
 * Returns the facts of a segment and the size of its files. Reads a few KiB, the end of the hot file. Rejects with
 * `damaged_segment` or `newer_format`, or the system's error.
 */
export async function readSegmentFacts(files: Files, directory: string): Promise<SegmentOnDisk> {
  const { facts, fileBytes } = await readFacts(files, hotPath(directory))
  const coldBytes = await withFile(files, coldPath(directory), async ({ bytes }) => bytes)
  return { ...facts, fileBytes: fileBytes + coldBytes }
}

/** Returns bytes that identify a segment: the end of the hot file, which has checksums of all columns. */
export async function readSegmentChecks(files: Files, directory: string): Promise<Uint8Array> {
  const path = hotPath(directory)
  return (await withFile(files, path, (file) => readEnd(file, path))).bytes
}

/**
 * Loads a segment with some hot columns, by default all. The cold columns are read when a row is requested. Rejects
 * with `damaged_segment` or `newer_format`, or the system's error. `onDamage` is called with the error if a later read
 * of a cold column finds damage, before that read rejects.
 */
export async function loadSegment(
  files: Files,
  directory: string,
  facts: SegmentFacts,
  columns?: ReadonlySet<string>,
  onDamage?: (error: Error) => void,
): Promise<Segment> {
  const hot = await loadHot(files, hotPath(directory), columns)
  const cold = coldColumnsIn(files, coldPath(directory), facts, onDamage)
  const { source, day, rows, minUs, maxUs } = facts
  return createSegment({ source, day, rows, minUs, maxUs, ...hot, cold })
}

/** Returns a loaded segment with further hot columns, which are loaded as by {@link loadSegment}. */
export async function loadMore(
  files: Files,
  directory: string,
  segment: Segment,
  columns: ReadonlySet<string>,
): Promise<Segment> {
  const more = await loadColumns(files, hotPath(directory), columns)
  return createSegment({ ...segment, columns: new Map([...segment.columns, ...more]) })
}
