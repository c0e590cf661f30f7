import { checksumOf } from '../../../../arrow-ipc/file.js'
import { crc32 } from '../../../../base/crc32.js'
import type { Files, ReadableFile } from '../../../disk/files/files.js'
import type { UncompactedCold } from '../sealing/compact.js'
import { batchOf, COMPRESSION, type ColdColumns, decodeAside, startsOf } from '../segment/cold.js'
import { damaged } from './damage.js'
import { readBytes, readEnd, withFile } from './ends.js'
import type { SegmentFacts } from './facts.js'

/** Four bytes each: the first row of a batch, where it starts, and its check sum; of the first two one more. */
const NUMBER_BYTES = 4

/** What finds the batches of a cold file. */
interface Places {
  fileBytes: number
  firstRows: Uint32Array
  starts: Uint32Array
  checks: Uint32Array
  /** Whether the file has taken the place of a larger one. */
  isReplaced: boolean
}

/**
 * The cold columns in a file. What finds the batches is read when a row is asked for at first, and kept until a smaller file
 * has taken its place. The file is opened for each batch that is read: there may be more segments than files that a process may
 * have open.
 */
export function coldColumnsIn(files: Files, path: string, facts: SegmentFacts): ColdColumns {
  let found: Places | undefined
  const placesIn = async (file: ReadableFile) => {
    if (found?.fileBytes !== file.bytes) found = await findPlaces(file, path, facts)
    return found
  }
  // Where a batch was closed for its bytes there are more of them, and fewer where there was time to make them small.
  const most = Math.ceil(facts.rows / COMPRESSION.low.rows)
  return {
    memoryBytes: NUMBER_BYTES * (3 * most + 2),
    readBatch: (row) =>
      withFile(files, path, async (file) => {
        const { firstRows, starts, checks } = await placesIn(file)
        const batch = batchOf(firstRows, row)
        const bytes = await readBytes(file, path, starts[batch]!, starts[batch + 1]! - starts[batch]!)
        if (crc32(bytes) !== checks[batch]) throw damagedBatch(path, batch)
        return { from: firstRows[batch]!, to: firstRows[batch + 1]!, bytes }
      }),
  }
}

/** A cold file to be made smaller; undefined where it is one that was. Rejects where it is damaged. */
export function readUncompactedCold(
  files: Files,
  path: string,
  facts: SegmentFacts,
): Promise<UncompactedCold | undefined> {
  return withFile(files, path, async (file) => {
    const places = await findPlaces(file, path, facts)
    if (places.isReplaced) return undefined
    const bytes = await readBytes(file, path, 0, file.bytes)
    const { firstRows, starts, checks } = places
    for (const batch of checks.keys()) {
      if (crc32(bytes.subarray(starts[batch], starts[batch + 1])) !== checks[batch]) throw damagedBatch(path, batch)
    }
    return { file: bytes, firstRows, starts, check: facts.coldCheck }
  })
}

async function findPlaces(file: ReadableFile, path: string, facts: SegmentFacts): Promise<Places> {
  const { coldFileBytes, coldCheck } = facts
  const hasItsLength = file.bytes === coldFileBytes
  const wrongLength = () => damaged(path, `it has ${file.bytes} bytes instead of ${coldFileBytes}`)
  const end = await readEnd(file, path).catch((error) => {
    throw error.code === 'damaged_segment' && !hasItsLength ? wrongLength() : error
  })
  const { firstRows, checks, replaces } = decodeAside(end.aside, end.batches.length)
  if ((replaces ?? checksumOf(end.bytes)) !== coldCheck) throw damaged(path, 'it belongs to another segment')
  if (replaces === undefined && !hasItsLength) throw wrongLength()
  const starts = startsOf(end.batches)
  return { fileBytes: file.bytes, firstRows, starts, checks, isReplaced: replaces !== undefined }
}

const damagedBatch = (path: string, batch: number) => damaged(path, `batch ${batch} does not match its check sum`)
