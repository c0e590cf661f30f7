import { ByteReader } from '../../base/memory/byte-reader.js'
import { ByteWriter } from '../../base/memory/byte-writer.js'
import type { StateGroup } from './group.js'

/** Bits of the first byte of a group. */
const [SAME_PROJECT, SAME_BUCKET, REST, PARTIAL] = [1, 2, 4, 8]

/**
 * Groups of a file that are read together. A group is: a byte of flags, the project and the bucket unless the previous
 * group of the block has the same, the keys and the states, each behind its length.
 */
export class BlockWriter {
  readonly #out = new ByteWriter()
  #previous: StateGroup | undefined

  get bytes(): number {
    return this.#out.length
  }

  /** The bytes of the block so far, valid until the next call. */
  get view(): Buffer {
    return this.#out.view
  }

  /** Starts the next block. */
  clear(): void {
    this.#out.clear()
    this.#previous = undefined
  }

  add(group: StateGroup): void {
    const { project, bucketUs, keys, states, isRest, isPartial } = group
    const isSameProject = this.#previous !== undefined && project.equals(this.#previous.project)
    const isSameBucket = bucketUs === this.#previous?.bucketUs
    const flags = (isSameProject ? SAME_PROJECT : 0) | (isSameBucket ? SAME_BUCKET : 0)
    this.#out.addByte(flags | (isRest ? REST : 0) | (isPartial ? PARTIAL : 0))
    if (!isSameProject) this.#out.addSized(project)
    if (!isSameBucket) this.#out.addDouble(bucketUs)
    this.#out.addSized(keys)
    this.#out.addSized(states)
    this.#previous = group
  }
}

/** Returns the groups of a block, as views of the bytes. Throws a RangeError if the bytes are no block. */
export function groupsOfBlock(bytes: Buffer): StateGroup[] {
  const reader = new ByteReader(bytes)
  const groups: StateGroup[] = []
  let project = bytes
  let bucketUs = 0
  while (!reader.isAtEnd) {
    const flags = reader.readByte()
    if ((flags & SAME_PROJECT) === 0) project = reader.readSized()
    if ((flags & SAME_BUCKET) === 0) bucketUs = reader.readDouble()
    const keys = reader.readSized()
    const states = reader.readSized()
    groups.push({ project, bucketUs, keys, states, isRest: (flags & REST) !== 0, isPartial: (flags & PARTIAL) !== 0 })
  }
  return groups
}
