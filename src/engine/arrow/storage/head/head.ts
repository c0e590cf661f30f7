import { type ColumnView, readBatch } from '../../../../arrow-ipc/read-batch.js'
import { arrayBuffersOf, free } from '../../../../base/array-buffers.js'
import { ensureCapacity } from '../../../../base/growable.js'
import type { Interner } from '../../../../base/interner.js'
import type { Yielder } from '../../../../base/time-slices.js'
import { MIB } from '../../../../base/units.js'
import type { SourceName } from '../../../../sources.js'
import {
  ALL_IN_METADATA,
  batchSchema,
  COLD_COLUMNS,
  type ColdColumn,
  type HotColumn,
  hotColumns,
  IN_METADATA,
} from '../../../columns.js'
import type { IngestBatch } from '../../../engine.js'
import type { Batch, ColdRow, Column, Part, TakeMemory } from '../../columns/batch.js'
import { ABSENT, clearInterner, createInterner, type Dictionary, findEntry } from '../../columns/dictionary.js'
import { none } from '../../columns/selection.js'
import {
  clearedProjectRows,
  createProjectRows,
  type ProjectRows,
  projectRowsBytes,
  rowsOfProject,
} from './project-rows.js'
import {
  adoptTexts,
  appendNulls,
  appendTexts,
  bytesOfTexts,
  contentBytes,
  copyTexts,
  createColdTexts,
  createTexts,
  eachNull,
  emptied,
  type Texts,
  textAt,
  textsBytes,
} from './texts.js'

/**
 * The newest rows of a source, in order of arrival, in columns that grow. Batches are copied in, so that many small
 * batches cost no more per row than large ones. A snapshot does not change with later appends: rows are only written
 * after its end, and a column that must grow moves to a new array.
 */
export interface Head {
  source: SourceName
  rows: number
  minUs: number
  maxUs: number
  timestampsUs: Float64Array
  columns: Map<string, HeadColumn>
  inMetadata: BitSets
  byProject: ProjectRows
  /** The cold columns, in the order of the schema. */
  cold: Texts
  /** Stands for the head in caches. */
  owner: object
  /** Whether queries read the rows here; false once its segments are visible instead. */
  isOpen: boolean
  /** Number of queries that may still read its memory. */
  readers: number
  /** Batches whose memory has adopted texts. */
  batches: HeldBatch[]
}

/** A batch whose memory a head reads until it calls `release`. */
interface HeldBatch {
  bytes: number
  release(): void
}

/** The column `in_metadata` of a head, and the bits that any row has, as an unsigned integer. */
export interface BitSets {
  mask: number
  rows: Uint32Array
}

/** A hot column of a head. */
export type HeadColumn =
  | CategoryColumn
  | TextColumn
  | { kind: 'number'; values: Float64Array }
  | { kind: 'areas'; flags: Uint8Array }

/** Texts of few distinct values, each stored once; a code for each row. */
export interface CategoryColumn {
  kind: 'category'
  codes: Uint32Array
  interner: Interner
}

/**
 * Texts of many distinct values, stored as they arrived. Rows are encoded, each distinct text once, when a query
 * opens them.
 */
export interface TextColumn {
  kind: 'text'
  texts: Texts
  encoded: EncodedRows
}

/** The codes of the first `rows` rows of a column. */
interface EncodedRows {
  rows: number
  codes: Uint32Array
  interner: Interner
}

const FIRST_ROWS = 256
/** Rows that are encoded between two checks of the time slice. */
const ROWS_PER_STEP = 1024
/** Cold texts of this size are adopted, if the batch can be held: smaller ones cost more to find than to copy. */
const ADOPTED_BYTES = MIB
/** Bytes of a row besides its texts, estimated. */
const ROW_BYTES = 32

/** Returns an empty head with room for a few rows, which grows; its cold columns are appended to `cold`. */
export function createHead(source: SourceName, cold = createColdTexts()): Head {
  const columns: HotColumn[] = [{ name: 'project', kind: 'category', path: [] }, ...hotColumns(source)]
  return emptyHead(source, {
    timestampsUs: new Float64Array(FIRST_ROWS),
    columns: new Map(columns.map(({ name, kind }) => [name, createColumn(kind)])),
    inMetadata: { mask: 0, rows: new Uint32Array(FIRST_ROWS) },
    byProject: createProjectRows(),
    cold,
  })
}

/**
 * Returns an empty head in the memory of a sealed one. If that had another source, only its cold columns are reused
 * and the other memory is freed.
 */
export function reuseHead(source: SourceName, sealed: Head): Head {
  if (sealed.source !== source) {
    const head = emptyHead(source, { ...createHead(source), cold: emptied(sealed.cold) })
    free(unusedOf(arrayBuffersOf(sealed), arrayBuffersOf(head)))
    return head
  }
  return emptyHead(source, {
    timestampsUs: sealed.timestampsUs,
    columns: new Map([...sealed.columns].map(([name, column]) => [name, clearedColumn(column)])),
    inMetadata: { mask: 0, rows: sealed.inMetadata.rows },
    byProject: clearedProjectRows(sealed.byProject),
    cold: emptied(sealed.cold),
  })
}

type HeadMemory = Pick<Head, 'timestampsUs' | 'columns' | 'inMetadata' | 'byProject' | 'cold'>

/**
 * Creates every head, with its members in one order: heads of other shapes would make V8 compile the append code
 * again.
 */
function emptyHead(source: SourceName, memory: HeadMemory): Head {
  const { timestampsUs, columns, inMetadata, byProject, cold } = memory
  const [minUs, maxUs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  const state = { owner: {}, isOpen: true, readers: 0, batches: [] }
  return { source, rows: 0, minUs, maxUs, timestampsUs, columns, inMetadata, byProject, cold, ...state }
}

function clearedColumn(column: HeadColumn): HeadColumn {
  if (column.kind === 'text') return { kind: 'text', texts: emptied(column.texts), encoded: noEncodedRows() }
  if (column.kind === 'number') return { kind: 'number', values: column.values }
  if (column.kind === 'areas') return { kind: 'areas', flags: column.flags }
  return { kind: 'category', codes: column.codes, interner: clearInterner(column.interner) }
}

const noEncodedRows = (): EncodedRows => ({ rows: 0, codes: new Uint32Array(FIRST_ROWS), interner: createInterner() })

function createColumn(kind: HotColumn['kind']): HeadColumn {
  if (kind === 'number') return { kind, values: new Float64Array(FIRST_ROWS) }
  if (kind === 'areas') return { kind, flags: new Uint8Array(FIRST_ROWS) }
  if (kind === 'text')
    return { kind, texts: createTexts({ columns: 1, growsInPlace: false }), encoded: noEncodedRows() }
  return { kind, codes: new Uint32Array(FIRST_ROWS), interner: createInterner() }
}

/** Bytes of memory of a head, unused room included. */
export function headBytes({ timestampsUs, columns, inMetadata, byProject, cold, batches }: Head): number {
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

/** Estimated bytes of the rows themselves, without unused room. A head is full once they reach a limit. */
export function headContentBytes({ rows, cold }: Head): number {
  return contentBytes(cold) + rows * ROW_BYTES
}

/**
 * Decodes a batch. Returns a function that appends it to a head of its source, and returns whether the head holds the
 * batch: it does if the batch is large and `mayBeHeld`, and calls `release` when it no longer reads it. Throws a
 * TypeError if the batch is not one record batch of its number of rows, or has no such columns.
 */
export function decodeBatch(batch: IngestBatch, mayBeHeld = false): (head: Head) => boolean {
  const dataOf = readBatch(batch)
  if (dataOf === undefined) {
    throw new TypeError(`A batch of ${batch.source} must be one record batch of ${batch.rows} rows.`)
  }
  const later = new Set(hotColumns(batch.source).flatMap((column) => (mayBeMissing(column) ? [column.name] : [])))
  later.add(IN_METADATA)
  const names = batchSchema(batch.source).names as string[]
  const missing = names.filter((name) => !dataOf.has(name) && !later.has(name))
  if (missing.length > 0) throw new TypeError(`A batch of ${batch.source} must have the columns ${missing.join(', ')}.`)
  return (head) => {
    const before = arrayBuffersOf(head)
    const isLarge = bytesOfTexts(coldColumns(dataOf), batch.rows) >= ADOPTED_BYTES
    const isHeld = isLarge && mayBeHeld && batch.release !== undefined
    appendColumns(head, dataOf, batch.rows, isHeld)
    if (isHeld) head.batches.push({ bytes: batch.ipc.buffer.byteLength, release: batch.release! })
    if (head.readers === 0) free(unusedOf(before, arrayBuffersOf(head)))
    return isHeld
  }
}

const coldColumns = (dataOf: ReadonlyMap<string, ColumnView>) => COLD_COLUMNS.map((name) => dataOf.get(name)!)

/** Releases the batches that a head holds, which must not be read any more. */
export function releaseBatches(head: Head): void {
  head.cold.adopted = []
  for (const { release } of head.batches.splice(0)) release()
}

/** Whether batches may lack the column: those that are older than it. */
const mayBeMissing = ({ isLater, isFieldOnly }: HotColumn) => isLater ?? isFieldOnly ?? false

/** Returns the memory that the head no longer uses. */
function unusedOf(before: readonly ArrayBuffer[], now: readonly ArrayBuffer[]): ArrayBuffer[] {
  const used = new Set(now)
  return before.filter((memory) => !used.has(memory))
}

/**
 * Appends rows of columns by name; a hot column that is missing is in the metadata of these rows, or not read. Cold
 * texts are copied, or stay in their memory, which the head then holds.
 */
export function appendColumns(head: Head, dataOf: ReadonlyMap<string, ColumnView>, rows: number, isHeld = false): void {
  appendTimes(head, dataOf.get('timestamp')!, rows)
  for (const [name, column] of head.columns) appendColumn(column, dataOf.get(name), head.rows, rows)
  appendBitSets(head, dataOf, rows)
  const append = isHeld ? adoptTexts : appendTexts
  append(head.cold, head.rows, rows, coldColumns(dataOf))
  for (let row = head.rows; row < head.rows + rows; row++) {
    const timestampUs = head.timestampsUs[row]!
    if (timestampUs < head.minUs) head.minUs = timestampUs
    if (timestampUs > head.maxUs) head.maxUs = timestampUs
  }
  head.rows += rows
}

/** Arrow stores timestamps as 64-bit integers; all that are accepted fit a double without loss. */
function appendTimes(head: Head, { values: words }: ColumnView, rows: number): void {
  head.timestampsUs = ensureCapacity(head.timestampsUs, head.rows, head.rows + rows)
  for (let i = 0; i < rows; i++) {
    head.timestampsUs[head.rows + i] = (words[2 * i + 1]! | 0) * 2 ** 32 + words[2 * i]!
  }
}

/** Sets the bits of columns that the batch does not have: its rows' metadata decides. */
function appendBitSets({ source, inMetadata, rows: at }: Head, dataOf: ReadonlyMap<string, ColumnView>, rows: number) {
  const data = dataOf.get(IN_METADATA)
  inMetadata.rows = ensureCapacity(inMetadata.rows, at, at + rows)
  const added = inMetadata.rows.subarray(at, at + rows)
  if (data === undefined) added.fill(ALL_IN_METADATA)
  else added.set(data.values as Int32Array)
  let absent = 0
  for (const [i, { name }] of hotColumns(source).entries()) if (!dataOf.has(name)) absent |= 1 << i
  let mask = 0
  for (let i = 0; i < rows; i++) {
    added[i]! |= absent
    mask |= added[i]!
  }
  inMetadata.mask = (inMetadata.mask | mask) >>> 0
}

/** A column without data is filled with absent values: the batch was written before the source had that column. */
function appendColumn(column: HeadColumn, data: ColumnView | undefined, at: number, rows: number): void {
  if (column.kind === 'number') {
    column.values = ensureCapacity(column.values, at, at + rows)
    if (data === undefined) column.values.fill(Number.NaN, at, at + rows)
    else appendNumbers(column.values, at, data, rows)
    return
  }
  if (data === undefined) {
    appendAbsent(column, at, rows)
  } else if (column.kind === 'areas') {
    column.flags = ensureCapacity(column.flags, at, at + rows)
    column.flags.set((data.values as Uint8Array).subarray(0, rows), at)
  } else if (column.kind === 'text') {
    appendTexts(column.texts, at, rows, [data])
  } else {
    column.codes = ensureCapacity(column.codes, at, at + rows)
    appendCodes(column.codes, at, data, rows, internAll(column.interner, data))
    eachNull(data, rows, (row) => {
      column.codes[at + row] = ABSENT
    })
  }
}

function appendAbsent(column: Exclude<HeadColumn, { kind: 'number' }>, at: number, rows: number): void {
  if (column.kind === 'areas') throw new TypeError('Areas may not be added to a source.')
  if (column.kind === 'text') {
    appendNulls(column.texts, at, rows)
  } else {
    column.codes = ensureCapacity(column.codes, at, at + rows)
    column.codes.fill(ABSENT, at, at + rows)
  }
}

function appendNumbers(values: Float64Array, at: number, data: ColumnView, rows: number): void {
  values.set((data.values as Float64Array).subarray(0, rows), at)
  eachNull(data, rows, (row) => {
    values[at + row] = Number.NaN
  })
}

/** Maps the batch's codes to the head's: interns the dictionary of the batch. */
function internAll(interner: Interner, { dictionary }: ColumnView): Uint32Array {
  const codes = new Uint32Array(dictionary?.rows ?? 0)
  if (dictionary === undefined) return codes
  const { valueOffsets: offsets, values } = dictionary
  for (let i = 0; i < codes.length; i++) codes[i] = interner.intern(values as Uint8Array, offsets[i]!, offsets[i + 1]!)
  return codes
}

function appendCodes(codes: Uint32Array, at: number, data: ColumnView, rows: number, codeOf: Uint32Array): void {
  const batchCodes = data.values as Int32Array
  for (let i = 0; i < rows; i++) codes[at + i] = codeOf[batchCodes[i]!]!
}

/**
 * Returns the rows that a head has now, as a part. Opening it encodes the texts of new rows, which is work for each
 * row, so it yields in between; it returns at once if no time slice was used up.
 */
export function partOfHead(head: Head): Part {
  const { owner, rows, minUs, maxUs } = head
  const open: Part['open'] = (yieldIfDue, columns) => {
    const take = () => snapshot(head, rows, columns)
    return encodeTexts(head, rows, columns, yieldIfDue)?.then(take) ?? take()
  }
  return { isSealed: false, owner, rows, minUs, maxUs, open, close() {} }
}

/**
 * Returns the first `rows` of a head as a batch that later appends do not change. If `wanted` is given, it has no other
 * columns of texts, which would have to be encoded.
 */
export function snapshot(head: Head, rows = head.rows, wanted?: ReadonlySet<string>): Batch {
  const { minUs, maxUs, timestampsUs, byProject, inMetadata } = head
  const cold = { ...head.cold }
  const columns = new Map<string, Column>()
  for (const [name, column] of head.columns) {
    if (column.kind !== 'text' || (wanted?.has(name) ?? true)) columns.set(name, freeze(column, rows))
  }
  const project = columns.get('project') as Extract<Column, { kind: 'text' }>
  const projects = head.columns.get('project') as CategoryColumn
  const readTexts = (column: ColdColumn, row: number, memory?: TakeMemory) =>
    copyTexts(cold, COLD_COLUMNS.indexOf(column), { row, rows }, memory)
  return {
    rows,
    minUs,
    maxUs,
    times: { baseUs: 0, unitUs: 1, offsets: timestampsUs },
    columns,
    inMetadata: inMetadata.mask === 0 ? { mask: 0 } : { ...inMetadata },
    projectRows(name) {
      const code = findEntry(project.dictionary, name)
      return code <= ABSENT ? none : rowsOfProject(byProject, projects, code, rows)
    },
    openCold: () => (row) => readCold(cold, row),
    openColdTexts: (column) => (row, _, memory) => readTexts(column, row, memory),
    readColdTexts: readTexts,
  }
}

function freeze(column: HeadColumn, rows: number): Column {
  if (column.kind === 'areas') return { ...column }
  if (column.kind === 'number') return { ...column }
  const { codes, interner } = column.kind === 'text' ? encodeRows(column, rows) : column
  return { kind: 'text', codes, dictionary: dictionaryOf(interner) }
}

/** Encodes the wanted texts of the first `rows`. Returns undefined if it did not have to yield. */
function encodeTexts(
  head: Head,
  rows: number,
  wanted: ReadonlySet<string>,
  yieldIfDue: Yielder,
): Promise<void> | undefined {
  for (const [name, column] of head.columns) {
    if (column.kind !== 'text' || !wanted.has(name)) continue
    column.encoded.interner.reserve(column.texts.usedBytes + rows)
    while (column.encoded.rows < rows) {
      encodeRows(column, Math.min(rows, column.encoded.rows + ROWS_PER_STEP))
      const paused = yieldIfDue()
      if (paused !== undefined) return paused.then(() => encodeTexts(head, rows, wanted, yieldIfDue))
    }
  }
  return undefined
}

/** Encodes the rows that are not encoded yet, up to `rows`. */
function encodeRows({ texts, encoded }: TextColumn, rows: number): EncodedRows {
  const { places, bytes } = texts
  encoded.codes = ensureCapacity(encoded.codes, encoded.rows, rows)
  for (; encoded.rows < rows; encoded.rows++) {
    const start = places[2 * encoded.rows]!
    const end = places[2 * encoded.rows + 1]!
    encoded.codes[encoded.rows] = end < start ? ABSENT : encoded.interner.append(bytes, start, end)
  }
  return encoded
}

/** Returns the cold columns of a row, as views of the head's memory. */
export function readCold(cold: Texts, row: number): ColdRow {
  return { id: textAt(cold, row, 0), event_message: textAt(cold, row, 1), metadata: textAt(cold, row, 2) }
}

/** Returns the dictionary of an interner at this moment; later entries do not change it. */
export function dictionaryOf({ count, offsets, bytes, hasNewlines }: Interner): Dictionary {
  return { count, offsets, bytes, hasNewlines }
}
