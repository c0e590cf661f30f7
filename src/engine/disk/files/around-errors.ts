import { KIB } from '../../../base/units.js'
import { isOfOneFile } from './file-errors.js'
import type { Files, ReadableFile } from './files.js'

/** A stretch of a file that the system cannot read. */
interface UnreadableStretch {
  from: number
  to: number
  error: Error
}

/** A file that is read around the blocks that the system cannot read. */
export interface FileAroundErrors extends ReadableFile {
  /** The stretches that could not be read so far. Their bytes were returned as zeros. */
  readonly unreadable: readonly UnreadableStretch[]
}

/** The bytes that are read alone after a larger read has failed: disks lose pages or sectors. */
const BLOCK_BYTES = 4 * KIB
/** After that many unreadable blocks the rest is not read any more: a disk may take seconds for each block. */
const MAX_BLOCKS = 64

/** The errors that are read around. */
export interface Tolerance {
  /** Whether a read may go on behind the block that failed with an error. */
  isOfBlock(error: unknown): Promise<boolean> | boolean
  maxBlocks: number
}

interface State extends Tolerance {
  file: ReadableFile
  unreadable: UnreadableStretch[]
}

/**
 * Opens a file to read everything that is readable. Rejects with the system's error if the file cannot be opened. Later
 * reads reject only with errors that concern more than this file, unless another tolerance is given.
 */
export async function openAroundErrors(
  files: Files,
  path: string,
  tolerance: Tolerance = { isOfBlock: (error) => isOfOneFile(files, path, error), maxBlocks: MAX_BLOCKS },
): Promise<FileAroundErrors> {
  const file = await openTwice(files, path)
  const state: State = { ...tolerance, file, unreadable: [] }
  return {
    bytes: file.bytes,
    unreadable: state.unreadable,
    readAt: (position, target) => readAt(state, position, target),
    // The file was only read, so a failed close loses nothing.
    close: () => file.close().catch(() => {}),
  }
}

/** A second try tells a bad sector from a disk that has failed for a moment. */
async function openTwice(files: Files, path: string): Promise<ReadableFile> {
  return files.openToRead(path).catch(async (error) => {
    if (!(await isOfOneFile(files, path, error))) throw error
    return files.openToRead(path)
  })
}

async function readAt(state: State, position: number, target: Uint8Array): Promise<number> {
  const { file, unreadable, maxBlocks } = state
  try {
    if (unreadable.length < maxBlocks) return await file.readAt(position, target)
  } catch (error) {
    if (!(await state.isOfBlock(error))) throw error
  }
  const bytes = Math.max(0, Math.min(target.length, file.bytes - position))
  for (let from = position; from < position + bytes; ) {
    const to = Math.min(position + bytes, from - (from % BLOCK_BYTES) + BLOCK_BYTES)
    await readBlock(state, from, target.subarray(from - position, to - position))
    from = to
  }
  return bytes
}

async function readBlock(state: State, from: number, target: Uint8Array): Promise<void> {
  const { file, unreadable, maxBlocks } = state
  const last = unreadable.at(-1)
  try {
    if (unreadable.length >= maxBlocks) throw last!.error
    await file.readAt(from, target)
  } catch (error) {
    if (!(await state.isOfBlock(error))) throw error
    target.fill(0)
    const to = from + target.length
    if (unreadable.length >= maxBlocks && last!.to === from) last!.to = to
    else unreadable.push({ from, to, error: error as Error })
  }
}
