import { crc32 } from 'node:zlib'
import { zstd } from '../../base/compression/zstd.js'
import { compressBound } from '../../base/compression/zstd-engine.js'
import type { Yielder } from '../../base/scheduling/time-slices.js'
import { KIB } from '../../base/units.js'
import type { Files, WritableFile } from '../../engine/disk/files/files.js'
import { UNFINISHED_SUFFIX } from '../../engine/store/files/file-names.js'
import { BlockWriter } from './block.js'
import { type BlockPlace, encodeEnd, LARGE_PROJECT_BYTES, type LargeProject, type StateFacts } from './file-end.js'
import { bytesOfGroup, compareGroups, type GroupStream, type StateGroup } from './group.js'

/** Bytes of groups after which a block ends. */
const BLOCK_BYTES = 64 * KIB

/** Level 3 takes half a millisecond a block. Equal keys of neighbouring buckets take next to nothing then. */
const compressor = zstd.createCompressor({ compressionLevel: 3 })

/** The facts that follow from the groups of a file. */
type GroupFacts = Pick<StateFacts, 'groups' | 'groupBytes' | 'bucketsUs' | 'largeProjects' | 'isPartial'>

/** The facts that the writer of a file knows before the groups come. */
export type KnownFacts = Omit<StateFacts, keyof GroupFacts>

/**
 * Writes the groups of a stream to a file that does not exist yet. Once the promise resolves, the file survives a power
 * cut. If the promise rejects, with the error of the stream or the system's, the file does not exist. Takes the memory
 * of a block, and of the index. Throws a TypeError if the groups are not in order.
 */
export async function writeStateFile(
  files: Files,
  path: string,
  facts: KnownFacts,
  groups: GroupStream,
  yieldIfDue: Yielder,
): Promise<void> {
  const unfinished = `${path}${UNFINISHED_SUFFIX}`
  let mayExist = false
  try {
    await files.remove(unfinished)
    const file = await files.openToWrite(unfinished)
    try {
      await writeContent(file, facts, groups, yieldIfDue)
      await file.sync()
    } finally {
      await file.close()
    }
    mayExist = true
    await files.rename(unfinished, path)
    await files.syncDirectory(path.slice(0, Math.max(0, path.lastIndexOf('/'))))
  } catch (error) {
    await files.remove(unfinished).catch(() => {})
    if (mayExist) await files.remove(path).catch(() => {})
    throw error
  }
}

async function writeContent(
  file: WritableFile,
  known: KnownFacts,
  stream: GroupStream,
  yieldIfDue: Yielder,
): Promise<void> {
  const blocks = new BlockFile(file)
  const summary = new Summary()
  let previous: StateGroup | undefined
  for await (const batch of stream) {
    for (const group of batch) {
      if (previous !== undefined && compareGroups(previous, group) >= 0)
        throw new TypeError('The groups of a file come in order, each key once.')
      previous = group
      summary.add(group)
      if (blocks.add(group)) await blocks.end()
    }
    const pause = yieldIfDue()
    if (pause !== undefined) await pause
  }
  await blocks.end()
  await file.writeAt(blocks.offset, [encodeEnd({ facts: { ...known, ...summary.facts() }, blocks: blocks.places })])
}

/** Sums up groups. All groups of a project come one behind the other. */
class Summary {
  readonly #largeProjects: LargeProject[] = []
  #groups = 0
  #groupBytes = 0
  #isPartial = false
  #firstUs = Number.POSITIVE_INFINITY
  #lastUs = Number.NEGATIVE_INFINITY
  #project = Buffer.alloc(0)
  /** Bytes of groups before those of the project. */
  #bytesBefore = 0

  add(group: StateGroup): void {
    const { project, bucketUs, isPartial } = group
    if (!project.equals(this.#project)) {
      this.#endProject()
      // Copied: the group may be a view of a block that was read, which would stay in memory.
      this.#project = Buffer.from(project)
    }
    this.#groups++
    this.#groupBytes += bytesOfGroup(group)
    this.#isPartial ||= isPartial
    this.#firstUs = Math.min(this.#firstUs, bucketUs)
    this.#lastUs = Math.max(this.#lastUs, bucketUs)
  }

  facts(): GroupFacts {
    this.#endProject()
    return {
      groups: this.#groups,
      groupBytes: this.#groupBytes,
      ...(this.#groups > 0 && { bucketsUs: [this.#firstUs, this.#lastUs] as const }),
      largeProjects: this.#largeProjects,
      isPartial: this.#isPartial,
    }
  }

  #endProject(): void {
    const bytes = this.#groupBytes - this.#bytesBefore
    if (bytes >= LARGE_PROJECT_BYTES) this.#largeProjects.push({ project: this.#project.toString('base64'), bytes })
    this.#bytesBefore = this.#groupBytes
  }
}

/** A file to which blocks are appended. */
class BlockFile {
  readonly #file: WritableFile
  readonly #block = new BlockWriter()
  #first: StateGroup | undefined
  #frame = Buffer.alloc(0)
  readonly places: BlockPlace[] = []
  /** The end of the last block. */
  offset = 0

  constructor(file: WritableFile) {
    this.#file = file
  }

  /** Adds a group to the current block. Returns whether the block is to be ended. */
  add(group: StateGroup): boolean {
    this.#first ??= group
    this.#block.add(group)
    return this.#block.bytes >= BLOCK_BYTES
  }

  /** Writes the current block, if there are groups in it. */
  async end(): Promise<void> {
    if (this.#first === undefined) return
    const { project, bucketUs } = this.#first
    const content = this.#block.view
    const bound = compressBound(content.length)
    if (this.#frame.length < bound) this.#frame = Buffer.allocUnsafeSlow(bound)
    const bytes = compressor.compress(this.#frame, content)
    const frame = this.#frame.subarray(0, bytes)
    const sizes = { offset: this.offset, bytes, contentBytes: content.length }
    // Copied: the first group may be a view of a block that was read, which would stay in memory.
    this.places.push({ ...sizes, crc: crc32(frame), project: Buffer.from(project), bucketUs })
    await this.#file.writeAt(this.offset, [frame])
    this.offset += bytes
    this.#block.clear()
    this.#first = undefined
  }
}
