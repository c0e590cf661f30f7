import { crc32 } from '@node-rs/crc32'
import type { Files, ReadableFile } from '../../../../disk/files.js'
import { type ColdColumns, decodeAside, startsOf } from '../../cold.js'
import { checkOf } from '../../ipc.js'
import { damaged } from './damage.js'
import { readBytes, readEnd, withFile } from './ends.js'
import type { SegmentFacts } from './facts.js'

/**
 * Reads what a reader of the cold file needs of it beforehand. The file is opened for each batch that is read: there may be
 * more segments than files that a process may have open.
 */
export function openCold(files: Files, path: string, facts: SegmentFacts): Promise<ColdColumns> {
  return withFile(files, path, (file) => index(files, file, path, facts))
}

async function index(
  files: Files,
  file: ReadableFile,
  path: string,
  { coldFileBytes, coldCheck }: SegmentFacts,
): Promise<ColdColumns> {
  if (file.bytes !== coldFileBytes) throw damaged(path, `it has ${file.bytes} bytes instead of ${coldFileBytes}`)
  const end = await readEnd(file, path)
  if (checkOf(end.bytes) !== coldCheck) throw damaged(path, 'it belongs to another segment')
  const { firstRows, checks } = decodeAside(end.aside, end.batches.length)
  const starts = startsOf(end.batches)
  return {
    firstRows,
    memoryBytes: firstRows.byteLength + starts.byteLength + checks.byteLength,
    async readBatch(batch) {
      const bytes = await withFile(files, path, (file) =>
        readBytes(file, path, starts[batch]!, starts[batch + 1]! - starts[batch]!),
      )
      if (crc32(bytes) !== checks[batch]) throw damaged(path, `batch ${batch} does not match its check sum`)
      return bytes
    },
  }
}
