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

/** The state that all segments on one disk share. */
export interface SegmentDisk {
  readonly files: Files
  readonly diskRetry: Pick<DiskRetry, 'retry'>
  readonly columns: ColumnCache
  /** Called when columns were loaded into memory. */
  onLoad(): void
}

/** The segments with columns in memory, least recently opened first. Its size is their bytes. */
export type ColumnCache = LRUCache<DiskSegment, Segment>

/** Returns a smaller file with the rows of a cold one; undefined if it was cancelled. */
export type CompactCold = (cold: UncompactedCold) => Promise<Buffer | undefined>

/** Returns an empty cache without a limit of its own: its owner evicts, since other things share the memory. */
export const createColumnCache = (): ColumnCache =>
  new LRUCache({
    maxSize: Number.MAX_SAFE_INTEGER,
    sizeCalculation: ({ hotBytes, coldBytes }) => hotBytes + coldBytes,
    disposeAfter: (_, segment) => segment.freeUnused(),
  })

/**
 * A segment on disk. Its hot columns are loaded when it is opened, and stay in memory until they are evicted and
 * every query that opened it has closed it. There may be many thousands, most of them never opened: an instance takes
 * a third of the memory of an object with functions of its own.
 */
export class DiskSegment implements SegmentHandle {
  readonly #disk: SegmentDisk
  readonly #path: string
  #facts: SegmentOnDisk
  #loading: Promise<Segment> | undefined
  /** Its columns, while they are in memory. */
  #loaded: Segment | undefined
  /** How many queries have opened it and not closed it yet. */
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
  /** Bytes of the cold file with which it was sealed; 0 if that was compressed with high effort. */
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
      // This may evict the columns at once; the query that opened the segment keeps them.
      onLoad()
      return segment
    } catch (error) {
      // All users were waiting for this load, and have nothing to close.
      this.#users = 0
      throw error
    } finally {
      this.#loading = undefined
    }
  }

  /** Removes its columns from the cache. Queries that still read it may open it. */
  retire(): void {
    this.#isDropped = true
    this.#disk.columns.delete(this)
  }

  /**
   * Replaces its cold file with the result of `compact`, if that is smaller. Returns false if `compact` was
   * cancelled. Rejects with `damaged_segment`, or with the system's error.
   */
  async compact(compact: CompactCold): Promise<boolean> {
    const { files } = this.#disk
    const cold = await readColdFile(files, this.#path, this.#facts)
    const before = cold?.file.length ?? 0
    const smaller = cold && (await compact(cold))
    if (this.#isDropped) return true
    if (cold !== undefined && smaller === undefined) return false
    if (smaller !== undefined && smaller.length < before) {
      await replaceColdFile(files, this.#path, smaller).finally(() => free(arrayBuffersOf(smaller)))
    }
    // Only the disk knows which file is there: an earlier attempt may have failed after the rename.
    this.#facts = await readSegmentFacts(files, this.#path)
    return true
  }

  /** Frees the memory of its columns, if they are not in the cache and no query uses them. */
  freeUnused(): void {
    if (this.#loaded === undefined || this.#users > 0 || this.#disk.columns.has(this)) return
    const { times, projects, columns } = this.#loaded
    this.#loaded = undefined
    free(arrayBuffersOf([times, projects, columns]))
  }

  /** Deletes its files. No query may read them any more. The rename first makes the deletion atomic. */
  async remove(): Promise<void> {
    const { files, diskRetry } = this.#disk
    await diskRetry.retry(() => files.rename(this.#path, this.#path + REMOVED_SUFFIX))
    await diskRetry.retry(() => files.remove(this.#path + REMOVED_SUFFIX))
  }
}
