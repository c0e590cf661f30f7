import { checksumOf } from '../../../arrow-ipc/file.js'
import { type Files, writeFile } from '../../disk/files/files.js'
import type { MessageFilter, ReadMessageFilter } from '../../execute/columns/batch.js'
import type { FieldPath, ReadStoredFields, StoredField } from '../../execute/columns/field-path.js'
import type { PathContent } from '../path-columns/make-path-columns.js'
import type { StoredCold } from '../sealing/compact.js'
import { createSegment, type ProjectIndex, type Segment } from '../segment/segment.js'
import { coldColumnsIn, readStoredCold } from './cold-file.js'
import { readEnd, withFile } from './ends.js'
import { SEGMENT_FORMAT_VERSION, type SegmentFacts, type SegmentOnDisk, type SegmentOrigin } from './facts.js'
import { UNFINISHED_SUFFIX } from './file-names.js'
import { encodeHot } from './hot-file.js'
import { loadColumns, loadHot, loadProjects, readFacts } from './hot-load.js'
import { encodePaths, readFilter, readPathNames, readPaths } from './path-file.js'

// A sealed segment on disk is a directory of two Arrow IPC files, `hot.arrow` and `cold.arrow`. The directory exists
// whole or not at all, and the rows never change. Compaction may replace `cold.arrow` by a smaller file with the same
// rows. `paths.arrow`, which is added later, repeats a part of the metadata as columns.

const hotPath = (directory: string) => `${directory}/hot.arrow`
const coldPath = (directory: string) => `${directory}/cold.arrow`
const pathsPath = (directory: string) => `${directory}/paths.arrow`

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
export function readUncompactedCold(
  files: Files,
  directory: string,
  facts: SegmentFacts,
): Promise<StoredCold | undefined> {
  return readStoredCold(files, coldPath(directory), facts, ({ isReplacement }) => !isReplacement)
}

/** Reads the cold file of a segment. Rejects with `damaged_segment`. */
export async function readColdFile(files: Files, directory: string, facts: SegmentFacts): Promise<StoredCold> {
  return (await readStoredCold(files, coldPath(directory), facts, () => true))!
}

/**
 * Replaces the cold file of a segment by a file with the same rows, atomically, also for queries that read the cold
 * file. After a rejection, with the system's error, either file may be in place.
 */
export async function replaceColdFile(files: Files, directory: string, cold: Buffer): Promise<void> {
  // Earlier versions wrote the file in the directory.
  await files.remove(coldPath(directory) + UNFINISHED_SUFFIX)
  await replaceFile(files, directory, coldPath(directory), [cold])
}

/**
 * Adds a file of path columns to a segment, or replaces the file, atomically. After a rejection, with the system's
 * error, either may be the case.
 */
export async function replacePathFile(
  files: Files,
  directory: string,
  facts: SegmentOnDisk,
  content: PathContent,
): Promise<void> {
  const others = facts.fileBytes - facts.pathFileBytes
  await replaceFile(files, directory, pathsPath(directory), await encodePaths(content, facts, others))
}

/** Reads columns of paths of a segment. Rejects with `damaged_segment`, or the system's error. */
export const readPathColumns = (
  files: Files,
  directory: string,
  facts: SegmentFacts,
  paths: readonly FieldPath[],
): Promise<(StoredField | undefined)[]> => readPaths(files, pathsPath(directory), facts, paths)

/** Reads the filter of the messages of a segment, if there is a filter. Rejects as {@link readPathColumns} does. */
export const readMessageFilter = (
  files: Files,
  directory: string,
  facts: SegmentFacts,
): Promise<MessageFilter | undefined> => readFilter(files, pathsPath(directory), facts)

/** Reads the paths with a column, each as the JSON of its keys. Rejects as {@link readPathColumns} does. */
export const readPathColumnNames = (files: Files, directory: string, facts: SegmentFacts): Promise<readonly string[]> =>
  readPathNames(files, pathsPath(directory), facts)

async function replaceFile(
  files: Files,
  directory: string,
  path: string,
  content: readonly Uint8Array[],
): Promise<void> {
  // Next to the directory, where the next start looks for unfinished files.
  const unfinished = `${directory}.${path.slice(directory.length + 1)}${UNFINISHED_SUFFIX}`
  try {
    await files.remove(unfinished)
    await writeFile(files, unfinished, content)
    await files.rename(unfinished, path)
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
  const pathFileBytes = await files.bytesBelow(pathsPath(directory))
  return { ...facts, fileBytes: fileBytes + coldBytes + pathFileBytes, pathFileBytes }
}

/** Returns bytes that identify a segment: the end of the hot file, which has checksums of all columns. */
export async function readSegmentChecks(files: Files, directory: string): Promise<Uint8Array> {
  const path = hotPath(directory)
  return (await withFile(files, path, (file) => readEnd(file, path))).bytes
}

/** Reads the index of projects of a segment. Rejects as {@link loadSegment} does. */
export const readProjectIndex = (files: Files, directory: string): Promise<ProjectIndex> =>
  loadProjects(files, hotPath(directory))

/** The calls of a loaded segment when a query reads on. */
interface LoadHooks {
  /** Called with the error if a read of a cold column finds damage, before that read rejects. */
  onDamage?: (error: Error) => void
  /** See `Batch`. */
  readStoredFields?: ReadStoredFields
  readMessageFilter?: ReadMessageFilter
}

/**
 * Loads a segment with some hot columns, by default all. The cold columns are read when a row is requested. Rejects
 * with `damaged_segment` or `newer_format`, or the system's error.
 */
export async function loadSegment(
  files: Files,
  directory: string,
  facts: SegmentFacts,
  columns?: ReadonlySet<string>,
  { onDamage, ...readers }: LoadHooks = {},
): Promise<Segment> {
  const hot = await loadHot(files, hotPath(directory), columns)
  const cold = coldColumnsIn(files, coldPath(directory), facts, onDamage)
  const { source, day, rows, minUs, maxUs } = facts
  return createSegment({ source, day, rows, minUs, maxUs, ...hot, cold, ...readers })
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
