import { crc32 } from 'node:zlib'
import { zstd } from '../../base/compression/zstd.js'
import { isOfOneFile } from '../../engine/disk/files/file-errors.js'
import type { Files, ReadableFile } from '../../engine/disk/files/files.js'
import { type DamageOf, readTwice } from '../../engine/disk/files/read-twice.js'
import { groupsOfBlock } from './block.js'
import { damaged, isDamaged, otherStates } from './damage.js'
import { type BlockPlace, type FileEnd, readEnd } from './file-end.js'
import { type GroupRange, type GroupStream, isInRange, type StateGroup } from './group.js'

/** A file of states, whose facts and index are in memory. The file is open only while groups are read. */
export interface StateFile extends FileEnd {
  path: string
  /** The size of the file. */
  bytes: number
}

/** Reads facts and index of a file. Rejects with `damaged_view_state` or `newer_format`, or the system's error. */
export function openStateFile(files: Files, path: string): Promise<StateFile> {
  return readTwice(
    () => withOpenFile(files, path, async (file) => ({ ...(await readEnd(file, path)), path, bytes: file.bytes })),
    damageOf(files, path),
  )
}

/**
 * Returns the groups of a file, all or those in a range, of which only the blocks that may have some are read. One
 * block at a time is in memory. Throws `other_view_state` if the states in the file are not of the kinds `states`.
 * Reading rejects as {@link openStateFile} does, before a group of a damaged block is returned.
 */
export function groupsOfFile(
  files: Files,
  { path, facts, blocks }: StateFile,
  states: readonly string[],
  range?: GroupRange,
): GroupStream {
  const isSame = facts.states.length === states.length && facts.states.every((name, i) => name === states[i])
  if (!isSame) throw otherStates(path, facts.states, states)
  const wanted = range === undefined ? blocks : blocksIn(blocks, range)
  return { [Symbol.asyncIterator]: () => readBlocks(files, path, wanted, range) }
}

async function* readBlocks(
  files: Files,
  path: string,
  blocks: readonly BlockPlace[],
  range: GroupRange | undefined,
): AsyncGenerator<readonly StateGroup[], void> {
  if (blocks.length === 0) return
  const damage = damageOf(files, path)
  const file = await readTwice(() => openFile(files, path), damage)
  try {
    for (const block of blocks) {
      const groups = await readTwice(() => readBlock(file, path, block), damage)
      const found = range === undefined ? groups : groups.filter((group) => isInRange(range, group))
      if (found.length > 0) yield found
    }
  } finally {
    // The file was only read, so a failed close loses nothing.
    await file.close().catch(() => {})
  }
}

async function readBlock(file: ReadableFile, path: string, block: BlockPlace): Promise<StateGroup[]> {
  const { offset, bytes, contentBytes, crc } = block
  const frame = Buffer.allocUnsafeSlow(bytes)
  const filled = await file.readAt(offset, frame)
  if (filled < bytes) throw damaged(path, `it ends after ${offset + filled} bytes, too early`)
  if (crc32(frame) !== crc) throw damaged(path, `the block at ${offset} does not match its checksum`)
  const content = Buffer.allocUnsafeSlow(contentBytes)
  zstd.decompress(content, frame)
  return groupsOfBlock(content)
}

/** The blocks that may have groups in a range: from the last that starts before the range. */
function blocksIn(blocks: readonly BlockPlace[], range: GroupRange): readonly BlockPlace[] {
  const before = countUntil(blocks, range, -1)
  return blocks.slice(Math.max(0, before - 1), countUntil(blocks, range, 0))
}

/** The number of blocks whose first group is before a range, or with `place` 0 before or in the range. */
function countUntil(blocks: readonly BlockPlace[], range: GroupRange, place: number): number {
  let [low, high] = [0, blocks.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (placeIn(range, blocks[middle]) <= place) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns -1 for a group before a range in the order of groups, 0 for a group in the range, 1 for a group behind. */
function placeIn({ project, fromUs, toUs }: GroupRange, group: Pick<StateGroup, 'project' | 'bucketUs'>): number {
  const order = group.project.compare(project)
  if (order !== 0) return order
  if (group.bucketUs >= toUs) return -1
  return group.bucketUs >= fromUs ? 0 : 1
}

async function withOpenFile<T>(files: Files, path: string, read: (file: ReadableFile) => Promise<T>): Promise<T> {
  const file = await openFile(files, path)
  return read(file).finally(() => file.close())
}

const openFile = (files: Files, path: string): Promise<ReadableFile> =>
  files.openToRead(path).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? damaged(path, 'it does not exist') : error
  })

const damageOf = (files: Files, path: string): DamageOf => ({
  isDamage: isDamaged,
  async asDamage(error) {
    if (!(await isOfOneFile(files, path, error))) return error
    return damaged(path, `it cannot be read (${(error as Error).message})`, error as Error)
  },
})
