import { dirname } from 'node:path/posix'
import { arrayBuffersOf, free } from '../../../base/memory/array-buffers.js'
import { ALL_IN_METADATA } from '../../../common/columns.js'
import type { DiskRetry } from '../../disk/files/disk-retry.js'
import type { Files } from '../../disk/files/files.js'
import type { StoredPart } from '../../execute/columns/batch.js'
import { isDamage } from '../../execute/columns/damage.js'
import type { PathSet } from '../../execute/columns/field-path.js'
import type { PathContent } from '../path-columns/make-path-columns.js'
import type { StoredCold } from '../sealing/compact.js'
import { declaredPaths } from '../segment/declared-paths.js'
import type { SegmentHandle } from '../segment/handle.js'
import type { ProjectIndex, Segment } from '../segment/segment.js'
import { checkOf, type SegmentOnDisk } from './facts.js'
import { REMOVED_SUFFIX, type SegmentPlace } from './file-names.js'
import type { ColumnCache, PathCache } from './segment-caches.js'
import {
  loadMore,
  loadSegment,
  readColdFile,
  readMessageFilter,
  readPathColumnNames,
  readPathColumns,
  readProjectIndex,
  readSegmentFacts,
  readUncompactedCold,
  replaceColdFile,
  replacePathFile,
} from './segment-file.js'

/** The state that all segments on a disk share. */
export interface SegmentDisk {
  readonly files: Files
  readonly diskRetry: Pick<DiskRetry, 'retry'>
  readonly columns: ColumnCache<DiskSegment>
  readonly paths: PathCache<DiskSegment>
  /** Marks the directory as a directory with path columns, which earlier versions do not know. */
  raiseFormat(): Promise<void>
  /** Called when columns of a segment were loaded into memory. */
  onLoad(): void
  /** Called once with a segment that a read found damaged, before the read rejects. */
  onDamage(segment: DiskSegment, error: Error): void
  /** Called once with a segment if a read found its file of path columns damaged. */
  onPathDamage(segment: DiskSegment, error: Error): void
}

/** Returns a smaller file with the rows of a cold file. Undefined if cancelled. */
export type CompactCold = (cold: StoredCold) => Promise<Buffer | undefined>

/** Returns the content of the path file of a cold file. Undefined if cancelled. */
export type MakePathColumns = (cold: StoredCold) => Promise<PathContent | undefined>

const NO_NAMES: ReadonlySet<string> = new Set()

function isSubset(names: ReadonlySet<string>, of: ReadonlySet<string>): boolean {
  for (const name of names) if (!of.has(name)) return false
  return true
}

/** Columns that are being loaded. */
interface Loading {
  names: ReadonlySet<string>
  segment: Promise<Segment>
}

/**
 * A segment on disk. Hot columns are loaded when a query opens the segment and names the columns. The columns of a
 * segment stay in memory until the segment is evicted and every query has closed it. There may be many thousands of
 * segments, most never opened: an instance takes a third of the memory of an object with its own functions.
 */
export class DiskSegment implements SegmentHandle {
  readonly #disk: SegmentDisk
  readonly #place: SegmentPlace
  #facts: SegmentOnDisk
  /** One load at a time: a column is never loaded twice. */
  #loading: Loading | undefined
  /** The columns, while in memory. Never changed: a query that has the segment open sees no column come or go. */
  #loaded: Segment | undefined
  /** The columns that were loaded, including columns that the file lacks. */
  #names: ReadonlySet<string> = NO_NAMES
  /** How many queries have the segment open. */
  #users = 0
  #isDropped = false
  #isCommitted: boolean
  /** Made for the first view. */
  #stored: StoredPart | undefined
  /** The error of the first read that found damage. */
  #damage: Error | undefined

  /** `isCommitted` tells whether the journal of the rows is gone. */
  constructor(disk: SegmentDisk, place: SegmentPlace, facts: SegmentOnDisk, isCommitted: boolean) {
    this.#isCommitted = isCommitted
    this.#disk = disk
    this.#place = place
    this.#facts = facts
  }

  get isSealed() {
    return true
  }
  get owner() {
    return this
  }
  get source() {
    return this.#facts.source
  }
  get head() {
    return this.#place.number
  }
  get place() {
    return this.#place
  }
  get origin() {
    return this.#facts.origin
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
  /** Bytes of the cold file as sealed, 0 if the file was compressed with high effort. */
  get uncompactedBytes() {
    return this.#facts.coldIsSmall ? 0 : this.#facts.coldFileBytes
  }
  /** Whether the segment has columns of paths of the metadata. */
  get hasPathColumns() {
    return this.#facts.pathFileBytes > 0
  }
  get isDropped() {
    return this.#isDropped
  }
  get stored(): StoredPart | undefined {
    if (!this.#isCommitted) return undefined
    this.#stored ??= { name: this.path, check: checkOf(this.path, this.#facts) }
    return this.#stored
  }
  get isSetAside() {
    return this.#damage !== undefined
  }
  /** The path of the segment's directory. */
  get path() {
    return this.#place.path
  }
  get hotBytes() {
    return this.#disk.columns.peek(this)?.hotBytes ?? 0
  }
  get coldBytes() {
    return this.#disk.columns.peek(this)?.coldBytes ?? 0
  }

  /** To be called when the journal of the rows is gone. */
  commit(): void {
    this.#isCommitted = true
  }

  open(_: unknown, columns: ReadonlySet<string>): Segment | Promise<Segment> {
    if (this.#damage !== undefined) return Promise.reject(this.#damage)
    this.#users++
    const segment = this.#disk.columns.get(this) ?? this.#loaded
    if (segment === undefined || !isSubset(columns, this.#names)) return this.#openMore(columns)
    segment.cold.hold?.()
    return segment
  }

  close() {
    this.#users--
    if (this.#users === 0) this.#loaded?.cold.release?.()
    this.freeUnused()
  }

  async #openMore(columns: ReadonlySet<string>): Promise<Segment> {
    try {
      for (;;) {
        if (this.#damage !== undefined) throw this.#damage
        const missing = new Set([...columns].filter((name) => !this.#names.has(name)))
        if (this.#loaded !== undefined && missing.size === 0) {
          this.#loaded.cold.hold?.()
          return this.#loaded
        }
        this.#loading ??= { names: missing, segment: this.#load(missing) }
        const { names, segment } = this.#loading
        // A load of further columns may fail because of columns that are not wanted here.
        if (isSubset(names, missing)) await segment
        else await segment.catch(() => {})
      }
    } catch (error) {
      // There is nothing to close.
      this.close()
      throw error
    }
  }

  async #load(names: ReadonlySet<string>): Promise<Segment> {
    const { files, columns, onLoad } = this.#disk
    try {
      const before = this.#loaded
      const segment = await (before === undefined
        ? loadSegment(files, this.path, this.#facts, names, {
            onDamage: (error) => this.#setAside(error),
            readStoredFields: async (paths) =>
              (await this.#readPathFile(() => readPathColumns(files, this.path, this.#facts, paths))) ??
              paths.map(() => undefined),
            readMessageFilter: () => this.#readPathFile(() => readMessageFilter(files, this.path, this.#facts)),
          })
        : loadMore(files, this.path, before, names))
      this.#loaded = segment
      this.#names = new Set([...this.#names, ...names])
      if (this.#isDropped || this.isSetAside) return segment
      columns.set(this, segment)
      // This may evict the columns at once. The query that opened the segment keeps the columns.
      onLoad()
      return segment
    } catch (error) {
      this.#setAside(error)
      throw error
    } finally {
      this.#loading = undefined
    }
  }

  /** Sets the segment aside if an error is damage to a file of the segment: no query opens the segment from now on. */
  #setAside(error: unknown): void {
    if (!isDamage(error) || this.isSetAside || this.#isDropped) return
    this.#damage = error
    this.#disk.columns.delete(this)
    this.#disk.onDamage(this, error)
  }

  /** Reads the index of projects alone, into memory of the caller. */
  async readProjects(): Promise<ProjectIndex> {
    if (this.#damage !== undefined) throw this.#damage
    try {
      return await readProjectIndex(this.#disk.files, this.path)
    } catch (error) {
      this.#setAside(error)
      throw error
    }
  }

  /** Removes the columns of the segment from the cache. Queries that still read the segment may open it. */
  retire(): void {
    this.#isDropped = true
    this.#disk.columns.delete(this)
  }

  /**
   * Replaces the cold file of the segment with the result of `compact`, if the result is smaller. Returns false if
   * `compact` was cancelled. Rejects with `damaged_segment`, or with the system's error. A damaged file is never
   * replaced.
   */
  async compact(compact: CompactCold): Promise<boolean> {
    try {
      return await this.#compact(compact)
    } catch (error) {
      this.#setAside(error)
      throw error
    }
  }

  async #compact(compact: CompactCold): Promise<boolean> {
    const { files } = this.#disk
    const cold = await readUncompactedCold(files, this.path, this.#facts)
    const before = cold?.file.length ?? 0
    const smaller = cold && (await compact(cold))
    if (this.#isDropped || this.isSetAside) return true
    if (cold !== undefined && smaller === undefined) return false
    if (smaller !== undefined && smaller.length < before) {
      await replaceColdFile(files, this.path, smaller).finally(() => free(arrayBuffersOf(smaller)))
    }
    // Only the disk knows which file is there: an earlier attempt may have failed after the rename.
    this.#facts = await readSegmentFacts(files, this.path)
    return true
  }

  /**
   * Adds columns of paths of the metadata. Returns false if `make` was cancelled. Rejects with `damaged_segment`, or
   * with the system's error.
   */
  async addPathColumns(make: MakePathColumns): Promise<boolean> {
    const { files } = this.#disk
    try {
      const content = await make(await readColdFile(files, this.path, this.#facts))
      if (this.#isDropped || this.isSetAside) return true
      if (content === undefined) return false
      if (content.columns.length > 0 || content.messages !== undefined) {
        await this.#disk.raiseFormat()
        await replacePathFile(files, this.path, this.#facts, content)
      }
      this.#facts = await readSegmentFacts(files, this.path)
      return true
    } catch (error) {
      this.#setAside(error)
      throw error
    }
  }

  async columnPaths(): Promise<PathSet> {
    const known = this.#disk.paths.get(this)
    if (known !== undefined) return known
    const { files } = this.#disk
    const ofFile = await this.#readPathFile(() => readPathColumnNames(files, this.path, this.#facts))
    const paths = new Set([...declaredPaths(this.source, this.#facts.inMetadata ?? ALL_IN_METADATA), ...(ofFile ?? [])])
    if (ofFile !== undefined) this.#disk.paths.set(this, paths)
    return paths
  }

  /**
   * Reads the file of path columns. Undefined if there is no file. If the file is damaged, the values are read from the
   * metadata from now on.
   */
  async #readPathFile<T>(read: () => Promise<T>): Promise<T | undefined> {
    if (!this.hasPathColumns) return undefined
    try {
      return await read()
    } catch (error) {
      if (!isDamage(error)) throw error
      this.#facts = { ...this.#facts, pathFileBytes: 0 }
      this.#disk.paths.delete(this)
      this.#disk.onPathDamage(this, error)
      return undefined
    }
  }

  /**
   * Reads all columns and the cold file, to seal rows again. Rejects with `damaged_segment`, or with the system's
   * error.
   */
  async readToSeal(): Promise<{ segment: Segment; cold: StoredCold }> {
    const { files } = this.#disk
    try {
      const segment = await loadSegment(files, this.path, this.#facts)
      return { segment, cold: await readColdFile(files, this.path, this.#facts) }
    } catch (error) {
      this.#setAside(error)
      throw error
    }
  }

  /** Frees the memory of the columns, if the segment is not in the cache and no query has it open. */
  freeUnused(): void {
    if (this.#loaded === undefined || this.#users > 0 || this.#disk.columns.has(this)) return
    const { times, projects, columns, inMetadata } = this.#loaded
    this.#loaded = undefined
    this.#names = NO_NAMES
    free(arrayBuffersOf([times, projects, columns, inMetadata]))
  }

  /**
   * Deletes the files of the segment, which no query may read any more. The rename first makes the deletion atomic,
   * even if the power is cut: a segment of which some files are left would count as damaged.
   */
  async remove(): Promise<void> {
    const { files, diskRetry } = this.#disk
    await diskRetry.retry(() => files.rename(this.path, this.path + REMOVED_SUFFIX))
    await diskRetry.retry(() => files.syncDirectory(dirname(this.path)))
    await diskRetry.retry(() => files.remove(this.path + REMOVED_SUFFIX))
  }
}
