import { crc32 } from 'node:zlib'
import { checksumOf } from '../../../arrow-ipc/file.js'
import { MIB } from '../../../base/units.js'
import type { Files, ReadableFile } from '../../disk/files/files.js'
import { isDamage } from '../../execute/columns/damage.js'
import type { StoredCold } from '../sealing/compact.js'
import { batchOf, COMPRESSION, type ColdBatch, type ColdColumns, decodeAside, startsOf } from '../segment/cold.js'
import { damaged } from './damage.js'
import { readBytes, readEnd, withFile } from './ends.js'
import type { SegmentFacts } from './facts.js'
import { createHeldFile } from './held-file.js'

/** Bytes of each number of the index: first row, start and checksum of each batch, and a final first row and start. */
const NUMBER_BYTES = 4

/** The most bytes of batches that are read together: opening the file takes longer than reading some more. */
const READ_BYTES = MIB

/**
 * The index of the batches of a cold file: batch b has the rows [firstRows[b], firstRows[b + 1]) in the bytes
 * [starts[b], starts[b + 1]), with the CRC-32 checks[b].
 */
export interface BatchIndex {
  fileBytes: number
  firstRows: Uint32Array
  starts: Uint32Array
  checks: Uint32Array
  /** Whether the file has replaced a larger file. */
  isReplacement: boolean
}

/**
 * Returns the cold columns of a file. The batch index is loaded on first access and cached until compaction replaces
 * the file. `onDamage` is called with the error of damage before a read rejects with the error.
 */
export function coldColumnsIn(
  files: Files,
  path: string,
  facts: SegmentFacts,
  onDamage: (error: Error) => void = () => {},
): ColdColumns {
  const held = createHeldFile(files, path)
  let cached: BatchIndex | undefined
  const indexOf = async (file: ReadableFile) => {
    if (cached?.fileBytes !== file.bytes) cached = await readIndex(file, path, facts)
    return cached
  }
  // An estimate: batches that reached the limit of bytes have fewer rows, batches of high effort more.
  const maxBatches = Math.ceil(facts.rows / COMPRESSION.low.rows)
  const readBatches = (row: number, to: number) =>
    held
      .use(async (file) => {
        const index = await indexOf(file)
        return readAdjacent(file, path, index, { first: batchOf(index.firstRows, row), to })
      })
      .catch((error) => {
        if (isDamage(error)) onDamage(error)
        throw error
      })
  return {
    memoryBytes: NUMBER_BYTES * (3 * maxBatches + 2),
    readBatch: async (row) => (await readBatches(row, row + 1))[0],
    readBatches,
    hold: held.hold,
    release: held.release,
  }
}

/** Reads a batch and the next batches up to the row `to`, as far as {@link READ_BYTES}. */
async function readAdjacent(
  file: ReadableFile,
  path: string,
  { firstRows, starts, checks }: BatchIndex,
  { first, to }: { first: number; to: number },
): Promise<ColdBatch[]> {
  let end = first + 1
  while (end < checks.length && firstRows[end] < to && starts[end + 1] - starts[first] <= READ_BYTES) end++
  const bytes = await readBytes(file, path, starts[first], starts[end] - starts[first])
  const batches: ColdBatch[] = []
  for (let batch = first; batch < end; batch++) {
    const stored = bytes.subarray(starts[batch] - starts[first], starts[batch + 1] - starts[first])
    if (crc32(stored) === checks[batch]) {
      batches.push({ from: firstRows[batch], to: firstRows[batch + 1], bytes: stored })
    } else if (batch === first) throw damagedBatch(path, batch)
    // A damaged later batch is an error only if wanted: the next read then starts with that batch.
    else break
  }
  return batches
}

/** Reads a whole cold file. Undefined if the file is not wanted. Rejects with `damaged_segment`. */
export function readStoredCold(
  files: Files,
  path: string,
  facts: SegmentFacts,
  isWanted: (index: BatchIndex) => boolean,
): Promise<StoredCold | undefined> {
  return withFile(files, path, async (file) => {
    const index = await readIndex(file, path, facts)
    if (!isWanted(index)) return undefined
    const bytes = await readBytes(file, path, 0, file.bytes)
    const { firstRows, starts, checks } = index
    for (const batch of checks.keys()) {
      if (crc32(bytes.subarray(starts[batch], starts[batch + 1])) !== checks[batch]) throw damagedBatch(path, batch)
    }
    return { file: bytes, firstRows, starts, check: facts.coldCheck }
  })
}

/** Reads the index at the end of a cold file. Rejects with `damaged_segment`. */
export async function readIndex(file: ReadableFile, path: string, facts: SegmentFacts): Promise<BatchIndex> {
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
  return { fileBytes: file.bytes, firstRows, starts, checks, isReplacement: replaces !== undefined }
}

const damagedBatch = (path: string, batch: number) => damaged(path, `batch ${batch} does not match its checksum`)
