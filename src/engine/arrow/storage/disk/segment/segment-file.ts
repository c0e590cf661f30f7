import { type Files, writeFile } from '../../../../disk/files.js'
import { checkOf } from '../../ipc.js'
import { createSegment, type Segment } from '../../segment.js'
import { UNFINISHED } from '../layout.js'
import { coldColumnsIn } from './cold-file.js'
import { readEnd, withFile } from './ends.js'
import { FORMAT_VERSION, type SegmentFacts, type SegmentOnDisk } from './facts.js'
import { encodeHot } from './hot-file.js'
import { loadHot, readFacts } from './hot-load.js'

/**
 * A sealed segment on disk: a directory of two Arrow IPC files, `hot.arrow` and `cold.arrow`. It is there whole or not at
 * all, and never changes.
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
  const unfinished = `${directory}${UNFINISHED}`
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
    version: FORMAT_VERSION,
    ...{ source, day, rows, minUs, maxUs },
    timeUnitUs: times.unitUs,
    timeBytes: times.offsets.BYTES_PER_ELEMENT,
    coldFileBytes: cold.length,
    coldCheck: checkOf(cold),
  }
}

const parentOf = (directory: string) => directory.slice(0, Math.max(0, directory.lastIndexOf('/')))

/** What a segment is, from a few KiB at the end of its hot file. */
export function readSegmentFacts(files: Files, directory: string): Promise<SegmentOnDisk> {
  return readFacts(files, hotPath(directory))
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
