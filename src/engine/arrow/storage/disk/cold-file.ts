import { crc32 } from 'node:zlib'
import { type ColdColumns, decodeAside, startsOf } from '../cold.js'
import { checkOf } from '../ipc.js'
import { damaged } from './damage.js'
import { openFile, readBytes, readEnd } from './ends.js'
import type { SegmentFacts } from './facts.js'
import type { Files, ReadableFile } from './files.js'

/** Opens the cold file of the segment that the facts tell of. The file stays open until the columns are closed. */
export async function openCold(files: Files, path: string, facts: SegmentFacts): Promise<ColdColumns> {
  const file = await openFile(files, path)
  try {
    return await index(file, path, facts)
  } catch (error) {
    await file.close()
    throw error
  }
}

async function index(file: ReadableFile, path: string, facts: SegmentFacts): Promise<ColdColumns> {
  const { coldFileBytes, coldCheck } = facts
  if (file.bytes !== coldFileBytes) throw damaged(path, `it has ${file.bytes} bytes instead of ${coldFileBytes}`)
  const end = await readEnd(file, path)
  if (checkOf(end.bytes) !== coldCheck) throw damaged(path, 'it belongs to another segment')
  const { firstRows, checks } = decodeAside(end.aside, end.batches.length)
  const starts = startsOf(end.batches)
  return {
    firstRows,
    memoryBytes: firstRows.byteLength + starts.byteLength + checks.byteLength,
    async readBatch(batch) {
      const bytes = await readBytes(file, path, starts[batch]!, starts[batch + 1]! - starts[batch]!)
      if (crc32(bytes) !== checks[batch]) throw damaged(path, `batch ${batch} does not match its check sum`)
      return bytes
    },
    close: () => file.close(),
  }
}
