import { LRUCache } from 'lru-cache'
import { arrayBuffersOf, free } from '../../../../base/array-buffers.js'
import type { DiskRetry } from '../../../disk/files/disk-retry.js'
import type { Files } from '../../../disk/files/files.js'
import type { UncompactedCold } from '../sealing/compact.js'
import type { SegmentHandle } from '../segment/handle.js'
import type { Segment } from '../segment/segment.js'
import type { SegmentOnDisk } from './facts.js'
import { REMOVED_SUFFIX } from './file-names.js'
import { loadSegment, readColdFile, readSegmentFacts, replaceColdFile } from './segment-file.js'

/** Where segments are, and what of them is in memory. */
export interface SegmentDisk {
  files: Files
  diskRetry: Pick<DiskRetry, 'retry'>
  columns: ColumnsInMemory
  /** Is told when columns have come into memory. */
  onLoad(): void
}

/** The segments whose columns are in memory, those that were not opened for the longest first; its size is their bytes. */
export type ColumnsInMemory = LRUCache<DiskSegment, Segment>

/** Bounded by who unloads: other things share the memory. */
export const createColumnsInMemory = (): ColumnsInMemory =>
  new LRUCache({
    maxSize: Number.MAX_SAFE_INTEGER,
    sizeCalculation: ({ hotBytes, coldBytes }) => hotBytes + coldBytes,
    disposeAfter: (_, segment) => segment.freeUnused(),
  })

/**
 * A segment on disk. Its hot columns are loaded when it is opened, and stay in memory until they are unloaded and all who
 * have opened it have closed it. There may be many thousands, of which most are not asked for: an instance takes a third of
 * what an object with functions of its own would.
 */
export class DiskSegment implements SegmentHandle {
  readonly #disk: SegmentDisk
  readonly #path: string
  #facts: SegmentOnDisk
  #loading: Promise<Segment> | undefined
  /** Its columns, while they are in memory. */
  #loaded: Segment | undefined
  /** How many have opened it, and not closed it yet. */
  #users = 0
  #isDropped = false

  constructor(disk: SegmentDisk, path: string, facts: SegmentOnDisk) {
    this.#disk = disk
    this.#path = path
    this.#facts = facts
  }

  get isSealed() {
    return true
  }
  get source() {
    return this.#facts.source
  }
  get day() {
    return this.#facts.day
  }
  get rows() {
    return this.#facts.rows
  }
  get minUs() {
    return this.#facts.minUs
  }
  get maxUs() {
    return this.#facts.maxUs
  }
  get fileBytes() {
    return this.#facts.fileBytes
  }
  /** Bytes of the cold file that it was sealed with; 0 where there was time to make that small. */
  get uncompactedBytes() {
    return this.#facts.coldIsSmall ? 0 : this.#facts.coldFileBytes
  }
  get isDropped() {
    return this.#isDropped
  }
  get hotBytes() {
    return this.#disk.columns.peek(this)?.hotBytes ?? 0
  }
  get coldBytes() {
    return this.#disk.columns.peek(this)?.coldBytes ?? 0
  }

  open() {
    this.#users++
    return this.#disk.columns.get(this) ?? this.#loaded ?? (this.#loading ??= this.#load())
  }

  close() {
    this.#users--
    this.freeUnused()
  }

  async #load(): Promise<Segment> {
    const { files, columns, onLoad } = this.#disk
    try {
      const segment = await loadSegment(files, this.#path, this.#facts)
      this.#loaded = segment
      if (this.#isDropped) return segment
      columns.set(this, segment)
      // Which may unload it at once; who has asked for it has it all the same.
      onLoad()
      return segment
    } catch (error) {
      // Only those who wait for this had opened it: they have nothing to close.
      this.#users = 0
      throw error
    } finally {
      this.#loading = undefined
    }
  }

  /** Its columns are not wanted in memory any more; who reads it may open it all the same. */
  retire(): void {
    this.#isDropped = true
    this.#disk.columns.delete(this)
  }

  /**
   * Puts what `compact` makes of its cold file in the place of that where it is smaller; where it makes nothing, that is left for
   * another time. Gives whether it was not.
   */
  async compact(compact: (cold: UncompactedCold) => Promise<Buffer | undefined>): Promise<boolean> {
    const { files } = this.#disk
    const cold = await readColdFile(files, this.#path, this.#facts)
    const before = cold?.file.length ?? 0
    const smaller = cold && (await compact(cold))
    if (this.#isDropped) return true
    if (cold !== undefined && smaller === undefined) return false
    if (smaller !== undefined && smaller.length < before) {
      await replaceColdFile(files, this.#path, smaller).finally(() => free(arrayBuffersOf(smaller)))
    }
    // Which file is there is seen on disk alone: an attempt before may have failed behind the renaming.
    this.#facts = await readSegmentFacts(files, this.#path)
    return true
  }

  /** Gives the memory of its columns back where they are not to stay in memory, and nobody looks at them. */
  freeUnused(): void {
    if (this.#loaded === undefined || this.#users > 0 || this.#disk.columns.has(this)) return
    const { times, projects, columns } = this.#loaded
    this.#loaded = undefined
    free(arrayBuffersOf([times, projects, columns]))
  }

  /** Removes its files, which nobody reads any more. */
  async remove(): Promise<void> {
    const { files, diskRetry } = this.#disk
    // Under another name first, so that it is there whole or not at all.
    await diskRetry.retry(() => files.rename(this.#path, this.#path + REMOVED_SUFFIX))
    await diskRetry.retry(() => files.remove(this.#path + REMOVED_SUFFIX))
  }
}
