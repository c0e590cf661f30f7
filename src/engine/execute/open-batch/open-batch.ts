import { arrayBuffersOf, free } from '../../../base/memory/array-buffers.js'
import type { Interner } from '../../../base/memory/interner.js'
import { type HotColumn, hotColumns } from '../../../common/columns.js'
import type { SourceName } from '../../../common/sources.js'
import type { Slice } from '../columns/batch.js'
import { clearInterner, createInterner } from '../columns/dictionary.js'
import { clearedProjectRows, createProjectRows, type ProjectRows, projectRowsBytes } from './project-rows.js'
import { contentBytes, createColdTexts, createTexts, emptied, type Texts, textsBytes } from './texts.js'

/**
 * The newest rows of a source, in order of arrival, in columns that grow. Batches are copied in, so that many small
 * batches cost no more per row than large batches. A snapshot does not change with later appends: rows are only written
 * after the end of the snapshot, and a column that must grow moves to a new array.
 */
export interface OpenBatch {
  source: SourceName
  rows: number
  minUs: number
  maxUs: number
  timestampsUs: Float64Array
  columns: Map<string, OpenBatchColumn>
  inMetadata: BitSets
  byProject: ProjectRows
  /** The cold columns, in the order of the schema. */
  cold: Texts
  /** The times of full blocks of rows, as far as a query has read them. */
  blockTimes: BlockTimes[]
  /** Represents the open batch in caches. */
  owner: object
  /** Whether queries read the rows here. False once the segments of the open batch are visible instead. */
  isOpen: boolean
  /** Number of queries that may still read the open batch's memory. */
  readers: number
  /** Batches with adopted texts in their memory. */
  batches: HeldBatch[]
}

/** The least and the greatest timestamp of a block. */
export type BlockTimes = Pick<Slice, 'minUs' | 'maxUs'>

/** A batch held by an open batch. The open batch reads the batch's memory until it calls `release`. */
interface HeldBatch {
  bytes: number
  release(): void
}

/** The column `in_metadata` of an open batch, and the bits that any row has, as an unsigned integer. */
interface BitSets {
  mask: number
  rows: Uint32Array
}

/** A hot column of an open batch. */
export type OpenBatchColumn =
  | CategoryColumn
  | TextColumn
  | { kind: 'number'; values: Float64Array }
  | { kind: 'areas'; flags: Uint8Array }

/** Texts of few distinct values, each stored once, and a code for each row. */
export interface CategoryColumn {
  kind: 'category'
  codes: Uint32Array
  interner: Interner
}

/**
 * Texts of many distinct values, stored as received. Rows are encoded, each distinct text once, when a query opens the
 * open batch.
 */
export interface TextColumn {
  kind: 'text'
  texts: Texts
  encoded: EncodedRows
}

/** The codes of the first `rows` rows of a column. */
export interface EncodedRows {
  rows: number
  codes: Uint32Array
  interner: Interner
}

const FIRST_ROWS = 256
/** Bytes of a row besides its texts, estimated. */
const ROW_BYTES = 32

/** Returns an empty open batch with room for a few rows, which grows. The cold columns are appended to `cold`. */
export function createOpenBatch(source: SourceName, cold = createColdTexts()): OpenBatch {
  const columns: HotColumn[] = [{ name: 'project', kind: 'category', path: [] }, ...hotColumns(source)]
  return emptyBatch(source, {
    timestampsUs: new Float64Array(FIRST_ROWS),
    columns: new Map(columns.map(({ name, kind }) => [name, createColumn(kind)])),
    inMetadata: { mask: 0, rows: new Uint32Array(FIRST_ROWS) },
    byProject: createProjectRows(),
    cold,
  })
}

/**
 * Returns an empty open batch in the memory of a sealed open batch. If the sealed open batch had another source, only
 * the memory of its cold columns is reused and the other memory is freed.
 */
export function reuseOpenBatch(source: SourceName, sealed: OpenBatch): OpenBatch {
  if (sealed.source !== source) {
    const openBatch = emptyBatch(source, { ...createOpenBatch(source), cold: emptied(sealed.cold) })
    free(unusedOf(arrayBuffersOf(sealed), arrayBuffersOf(openBatch)))
    return openBatch
  }
  return emptyBatch(source, {
    timestampsUs: sealed.timestampsUs,
    columns: new Map([...sealed.columns].map(([name, column]) => [name, clearedColumn(column)])),
    inMetadata: { mask: 0, rows: sealed.inMetadata.rows },
    byProject: clearedProjectRows(sealed.byProject),
    cold: emptied(sealed.cold),
  })
}

type OpenMemory = Pick<OpenBatch, 'timestampsUs' | 'columns' | 'inMetadata' | 'byProject' | 'cold'>

/**
 * Creates every open batch, with the same order of members: open batches of other shapes would make V8 compile the
 * append code again.
 */
function emptyBatch(source: SourceName, memory: OpenMemory): OpenBatch {
  const { timestampsUs, columns, inMetadata, byProject, cold } = memory
  const [minUs, maxUs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  const state = { blockTimes: [], owner: {}, isOpen: true, readers: 0, batches: [] }
  return { source, rows: 0, minUs, maxUs, timestampsUs, columns, inMetadata, byProject, cold, ...state }
}

function clearedColumn(column: OpenBatchColumn): OpenBatchColumn {
  if (column.kind === 'text') return { kind: 'text', texts: emptied(column.texts), encoded: noEncodedRows() }
  if (column.kind === 'number') return { kind: 'number', values: column.values }
  if (column.kind === 'areas') return { kind: 'areas', flags: column.flags }
  return { kind: 'category', codes: column.codes, interner: clearInterner(column.interner) }
}

const noEncodedRows = (): EncodedRows => ({ rows: 0, codes: new Uint32Array(FIRST_ROWS), interner: createInterner() })

function createColumn(kind: HotColumn['kind']): OpenBatchColumn {
  if (kind === 'number') return { kind, values: new Float64Array(FIRST_ROWS) }
  if (kind === 'areas') return { kind, flags: new Uint8Array(FIRST_ROWS) }
  if (kind === 'text')
    return { kind, texts: createTexts({ columns: 1, growsInPlace: false }), encoded: noEncodedRows() }
  return { kind, codes: new Uint32Array(FIRST_ROWS), interner: createInterner() }
}

/** Bytes of memory of an open batch, unused room included. */
export function bytesOfOpenBatch({ timestampsUs, columns, inMetadata, byProject, cold, batches }: OpenBatch): number {
  let bytes = timestampsUs.byteLength + inMetadata.rows.byteLength + projectRowsBytes(byProject)
  for (const column of columns.values()) {
    if (column.kind === 'number') bytes += column.values.byteLength
    else if (column.kind === 'areas') bytes += column.flags.byteLength
    else if (column.kind === 'category') bytes += codesBytes(column)
    else bytes += textsBytes(column.texts) + codesBytes(column.encoded)
  }
  for (const batch of batches) bytes += batch.bytes
  return bytes + textsBytes(cold)
}

const codesBytes = ({ codes, interner }: { codes: Uint32Array; interner: Interner }) =>
  codes.byteLength + interner.byteLength

/**
 * Estimated bytes of the rows themselves, without unused room. An open batch is full once these bytes reach a limit.
 */
export function contentBytesOf({ rows, cold }: OpenBatch): number {
  return contentBytes(cold) + rows * ROW_BYTES
}

/** Releases the batches that an open batch holds, which must not be read any more. */
export function releaseBatches(openBatch: OpenBatch): void {
  openBatch.cold.adopted = []
  for (const { release } of openBatch.batches.splice(0)) release()
}

/** Returns the memory that the open batch no longer uses. */
export function unusedOf(before: readonly ArrayBuffer[], now: readonly ArrayBuffer[]): ArrayBuffer[] {
  const used = new Set(now)
  return before.filter((memory) => !used.has(memory))
}
