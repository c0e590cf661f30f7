import { type Files, writeFile } from '../../engine/disk/files/files.js'
import { UNFINISHED_SUFFIX } from '../../engine/store/files/file-names.js'
import { isWritten, type Line, linesOf } from '../read/check-rejects.js'
import { makeParents, type RepairState } from './repair-state.js'

const NEWLINE = Buffer.from('\n')

/** Writes a file of rejected lines again without the damaged lines, and keeps the damaged lines in `damaged`. */
export async function rewriteRejects({ files, aside, onRepaired }: RepairState, path: string): Promise<void> {
  const kept = `${aside}/${path}`
  await makeParents(files, kept)
  await writeLines(files, path, kept, (line) => !isWritten(line))
  await files.syncDirectory(aside)
  await writeLines(files, path, `${path}${UNFINISHED_SUFFIX}`, isWritten)
  await files.rename(`${path}${UNFINISHED_SUFFIX}`, path)
  await files.syncDirectory('')
  await onRepaired({ level: 'repaired', path, what: `written again without its damaged lines, which are in ${kept}` })
}

/** Writes some lines of a file to another file, which holds at most 16 MiB. */
async function writeLines(files: Files, from: string, to: string, isWanted: (line: Line) => boolean): Promise<void> {
  const pieces: Uint8Array[] = []
  for await (const line of linesOf(files, from)) {
    if (isWanted(line)) pieces.push(Buffer.from(line.bytes), ...(line.isEnded ? [NEWLINE] : []))
  }
  await writeFile(files, to, pieces)
}
