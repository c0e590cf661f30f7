import { crc32 } from '@node-rs/crc32'
import type { Files, ReadableFile } from '../../../../disk/files.js'
import { COMPRESSION, type ColdBatches, type ColdColumns, decodeAside, startsOf } from '../../cold.js'
import { checkOf } from '../../ipc.js'
import { damaged } from './damage.js'
import { readBytes, readEnd, withFile } from './ends.js'
import type { SegmentFacts } from './facts.js'

/** Four bytes each: the first row of a batch, where it starts, and its check sum; of the first two one more. */
const NUMBER_BYTES = 4

/**
 * The cold columns in a file. What finds the batches is read when a row is asked for at first, and kept from then on: most
 * queries ask for none. The file is opened for each batch that is read: there may be more segments than files that a process
 * may have open.
 */
export function coldColumnsIn(files: Files, path: string, facts: SegmentFacts): ColdColumns {
  let found: ColdBatches | undefined
  const find = async () => (found = await withFile(files, path, (file) => findBatches(files, file, path, facts)))
  // Where a batch was closed for its bytes there are more of them, and fewer where there was time to make them small.
  const batches = Math.ceil(facts.rows / COMPRESSION.low.rows)
  return { memoryBytes: NUMBER_BYTES * (3 * batches + 2), open: () => found ?? find() }
}

async function findBatches(
  files: Files,
  file: ReadableFile,
  path: string,
  { coldFileBytes, coldCheck }: SegmentFacts,
): Promise<ColdBatches> {
  if (file.bytes !== coldFileBytes) throw damaged(path, `it has ${file.bytes} bytes instead of ${coldFileBytes}`)
  const end = await readEnd(file, path)
  if (checkOf(end.bytes) !== coldCheck) throw damaged(path, 'it belongs to another segment')
  const { firstRows, checks } = decodeAside(end.aside, end.batches.length)
  const starts = startsOf(end.batches)
  return {
    firstRows,
    async readBatch(batch) {
      const bytes = await withFile(files, path, (file) =>
        readBytes(file, path, starts[batch]!, starts[batch + 1]! - starts[batch]!),
      )
      if (crc32(bytes) !== checks[batch]) throw damaged(path, `batch ${batch} does not match its check sum`)
      return bytes
    },
  }
}
