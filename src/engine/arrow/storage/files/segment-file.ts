import { checksumOf } from '../../../../arrow-ipc/file.js'
import { type Files, writeFile } from '../../../disk/files/files.js'
import type { UncompactedCold } from '../sealing/compact.js'
import { createSegment, type Segment } from '../segment/segment.js'
import { coldColumnsIn, readUncompactedCold } from './cold-file.js'
import { readEnd, withFile } from './ends.js'
import { SEGMENT_FORMAT_VERSION, type SegmentFacts, type SegmentOnDisk } from './facts.js'
import { UNFINISHED_SUFFIX } from './file-names.js'
import { encodeHot } from './hot-file.js'
import { loadHot, readFacts } from './hot-load.js'

/**
 * A sealed segment on disk: a directory of two Arrow IPC files, `hot.arrow` and `cold.arrow`. It is there whole or not at
 * all, and its rows never change; a smaller file that holds the same ones may take the place of `cold.arrow`.
 */
const hotPath = (directory: string) => `${directory}/hot.arrow`
const coldPath = (directory: string) => `${directory}/cold.arrow`

/**
 * Writes a segment, whose cold columns are in memory, to a directory that does not exist yet; it survives a power cut when
 * this resolves. Rejects with the system's error; then there is nothing under that name.
 */
export async function writeSegment(files: Files, directory: string, segment: Segment): Promise<void> {
  const cold = segment.cold.file
  if (cold === undefined) throw new TypeError('The cold columns of the segment are not in memory.')
  const unfinished = `${directory}${UNFINISHED_SUFFIX}`
  try {
    await files.remove(unfinished)
    await files.makeDirectory(unfinished)
    await writeFile(files, coldPath(unfinished), [cold])
    await writeFile(files, hotPath(unfinished), await encodeHot(segment, describe(segment, cold)))
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

function describe(segment: Segment, cold: Buffer): SegmentFacts {
  const { source, day, rows, minUs, maxUs, times } = segment
  return {
    version: SEGMENT_FORMAT_VERSION,
    ...{ source, day, rows, minUs, maxUs },
    timeUnitUs: times.unitUs,
    timeBytes: times.offsets.BYTES_PER_ELEMENT,
    coldFileBytes: cold.length,
    coldCheck: checksumOf(cold),
    ...(segment.cold.isSmall && { coldIsSmall: true }),
  }
}

/** The cold file of a segment, to be made smaller; undefined where that was done. Rejects where it is damaged. */
export function readColdFile(
  files: Files,
  directory: string,
  facts: SegmentFacts,
): Promise<UncompactedCold | undefined> {
  return readUncompactedCold(files, coldPath(directory), facts)
}

/**
 * Puts a file that holds the same rows in the place of a segment's cold one: from one moment to the next, for those too who read
 * it. Rejects with the system's error; then the one before is there, or this one.
 */
export async function replaceColdFile(files: Files, directory: string, cold: Buffer): Promise<void> {
  const unfinished = coldPath(directory) + UNFINISHED_SUFFIX
  try {
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

/** What a segment is, from a few KiB at the end of its hot file, and what it takes. */
export async function readSegmentFacts(files: Files, directory: string): Promise<SegmentOnDisk> {
  const { facts, fileBytes } = await readFacts(files, hotPath(directory))
  return { ...facts, fileBytes: fileBytes + (await bytesOf(files, coldPath(directory))) }
}

/** None where it is missing: who wants a row of it will be told. */
async function bytesOf(files: Files, path: string): Promise<number> {
  const file = await files.openToRead(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  await file?.close()
  return file?.bytes ?? 0
}

/** What tells a segment from any other: the end of its hot file, which holds check sums of all its columns. */
export async function readSegmentChecks(files: Files, directory: string): Promise<Uint8Array> {
  const path = hotPath(directory)
  return (await withFile(files, path, (file) => readEnd(file, path))).bytes
}

/**
 * Loads a segment: its hot columns into memory, of its cold ones nothing until a row of them is asked for. Rejects with
 * `damaged_segment` or `newer_format`, or the system's error.
 */
export async function loadSegment(files: Files, directory: string, facts: SegmentFacts): Promise<Segment> {
  const hot = await loadHot(files, hotPath(directory))
  const cold = coldColumnsIn(files, coldPath(directory), facts)
  const { source, day, rows, minUs, maxUs } = facts
  return createSegment({ source, day, rows, minUs, maxUs, ...hot, cold })
}
