import { type ColumnView, readBatch } from '../../../../arrow-ipc/read-batch.js'
import { arrayBuffersOf, free } from '../../../../base/array-buffers.js'
import { ensureCapacity } from '../../../../base/growable.js'
import type { Interner } from '../../../../base/interner.js'
import type { Yielder } from '../../../../base/time-slices.js'
import type { SourceName } from '../../../../sources.js'
import { batchSchema, COLD_COLUMNS, type HotColumn, hotColumns } from '../../../columns.js'
import type { IngestBatch } from '../../../engine.js'
import type { Batch, ColdRow, Column, Part } from '../../columns/batch.js'
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
  appendTexts,
  createColdTexts,
  createTexts,
  eachNull,
  emptied,
  type Texts,
  textAt,
  textsBytes,
} from './texts.js'

/**
 * The open end of a source: rows in order of arrival, in columns that grow. Micro-batches are copied in, so that a trickle
 * of single rows costs no more than a flood. A snapshot holds what was there when it was taken, whatever
 * is appended later: rows are only ever written behind it, and a column that must grow moves to a new array.
 */
export interface Head {
  source: SourceName
  rows: number
  minUs: number
  maxUs: number
  timestampsUs: Float64Array
  columns: Map<string, HeadColumn>
  byProject: ProjectRows
  /** The cold columns, in the order of the schema. */
  cold: Texts
  /** Whether rows are read from it, not from what it was sealed into. */
  isOpen: boolean
  /** How many queries may still read its memory. */
  readers: number
}

export type HeadColumn =
  | CategoryColumn
  | TextColumn
  | { kind: 'number'; values: Float64Array }
  | { kind: 'areas'; flags: Uint8Array }

/** Each text once. */
export interface CategoryColumn {
  kind: 'category'
  codes: Uint32Array
  interner: Interner
}

/** Texts as they came; queries see them through codes, one for each row, which are given when one asks. */
export interface TextColumn {
  kind: 'text'
  texts: Texts
  seen: { rows: number; codes: Uint32Array; interner: Interner }
}

const FIRST_ROWS = 256
/** Rows given codes without a look at the clock. */
const ROWS_AT_ONCE = 1024
/** What a row takes besides its texts. */
const ROW_BYTES = 32

/** A head that begins small and grows. */
export function createHead(source: SourceName): Head {
  const columns: HotColumn[] = [{ name: 'project', kind: 'category', path: [] }, ...hotColumns(source)]
  return emptyHead(source, {
    timestampsUs: new Float64Array(FIRST_ROWS),
    columns: new Map(columns.map(({ name, kind }) => [name, createColumn(kind)])),
    byProject: createProjectRows(),
    cold: createColdTexts(),
  })
}

/** A head in the memory of one that is no more; of another source that is its cold columns, and the others are freed. */
export function reuseHead(source: SourceName, spare: Head): Head {
  if (spare.source !== source) {
    const head = emptyHead(source, { ...createHead(source), cold: emptied(spare.cold) })
    free(withoutThese(arrayBuffersOf(spare), arrayBuffersOf(head)))
    return head
  }
  return emptyHead(source, {
    timestampsUs: spare.timestampsUs,
    columns: new Map([...spare.columns].map(([name, column]) => [name, clearedColumn(column)])),
    byProject: clearedProjectRows(spare.byProject),
    cold: emptied(spare.cold),
  })
}

type HeadMemory = Pick<Head, 'timestampsUs' | 'columns' | 'byProject' | 'cold'>

/** Every head is made here, and named member by member: copies of others would each make V8 compile anew what appends rows. */
function emptyHead(source: SourceName, { timestampsUs, columns, byProject, cold }: HeadMemory): Head {
  const [minUs, maxUs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  return { source, rows: 0, minUs, maxUs, timestampsUs, columns, byProject, cold, isOpen: true, readers: 0 }
}

function clearedColumn(column: HeadColumn): HeadColumn {
  if (column.kind === 'text') return { kind: 'text', texts: emptied(column.texts), seen: unseen() }
  if (column.kind === 'number') return { kind: 'number', values: column.values }
  if (column.kind === 'areas') return { kind: 'areas', flags: column.flags }
  return { kind: 'category', codes: column.codes, interner: clearInterner(column.interner) }
}

const unseen = (): TextColumn['seen'] => ({ rows: 0, codes: new Uint32Array(FIRST_ROWS), interner: createInterner() })

function createColumn(kind: HotColumn['kind']): HeadColumn {
  if (kind === 'number') return { kind, values: new Float64Array(FIRST_ROWS) }
  if (kind === 'areas') return { kind, flags: new Uint8Array(FIRST_ROWS) }
  if (kind === 'text') return { kind, texts: createTexts({ columns: 1, growsInPlace: false }), seen: unseen() }
  return { kind, codes: new Uint32Array(FIRST_ROWS), interner: createInterner() }
}

/** Bytes held, room to grow included. */
export function headBytes({ timestampsUs, columns, byProject, cold }: Head): number {
  let bytes = timestampsUs.byteLength + projectRowsBytes(byProject)
  for (const column of columns.values()) {
    if (column.kind === 'number') bytes += column.values.byteLength
    else if (column.kind === 'areas') bytes += column.flags.byteLength
    else if (column.kind === 'category') bytes += codesBytes(column)
    else bytes += textsBytes(column.texts) + codesBytes(column.seen)
  }
  return bytes + textsBytes(cold)
}

const codesBytes = ({ codes, interner }: { codes: Uint32Array; interner: Interner }) =>
  codes.byteLength + interner.byteLength

/** Bytes of the rows themselves: what decides when a head is full. */
export function headContentBytes({ rows, cold }: Head): number {
  return cold.usedBytes + rows * ROW_BYTES
}

/** Decodes a batch; what is returned appends it to a head. Throws a TypeError where it is not what it says it is. */
export function decodeBatch(batch: IngestBatch): (head: Head) => void {
  const dataOf = readBatch(batch)
  if (dataOf === undefined) {
    throw new TypeError(`A batch of ${batch.source} must be one record batch of ${batch.rows} rows.`)
  }
  const later = hotColumns(batch.source).filter(({ isLater }) => isLater)
  const missing = batchSchema(batch.source).names.filter(
    (name) => !dataOf.has(name as string) && !later.some((column) => column.name === name),
  )
  if (missing.length > 0) throw new TypeError(`A batch of ${batch.source} must have the columns ${missing.join(', ')}.`)
  return (head) => {
    const before = arrayBuffersOf(head)
    appendToHead(head, dataOf, batch.rows)
    if (head.readers === 0) free(withoutThese(before, arrayBuffersOf(head)))
  }
}

/** What a head has outgrown. */
function withoutThese(before: readonly ArrayBuffer[], now: readonly ArrayBuffer[]): ArrayBuffer[] {
  const held = new Set(now)
  return before.filter((memory) => !held.has(memory))
}

function appendToHead(head: Head, dataOf: ReadonlyMap<string, ColumnView>, rows: number): void {
  appendTimes(head, dataOf.get('timestamp')!, rows)
  for (const [name, column] of head.columns) appendColumn(column, dataOf.get(name), head.rows, rows)
  const cold = COLD_COLUMNS.map((name) => dataOf.get(name)!)
  appendTexts(head.cold, head.rows, rows, cold)
  for (let row = head.rows; row < head.rows + rows; row++) {
    const timestampUs = head.timestampsUs[row]!
    if (timestampUs < head.minUs) head.minUs = timestampUs
    if (timestampUs > head.maxUs) head.maxUs = timestampUs
  }
  head.rows += rows
}

/** Arrow keeps timestamps as 64-bit integers; ours fit a double without loss. */
function appendTimes(head: Head, { values: words }: ColumnView, rows: number): void {
  head.timestampsUs = ensureCapacity(head.timestampsUs, head.rows, head.rows + rows)
  for (let i = 0; i < rows; i++) {
    head.timestampsUs[head.rows + i] = (words[2 * i + 1]! | 0) * 2 ** 32 + words[2 * i]!
  }
}

/** Without data a column of numbers gets absent ones: the batch was written before the source had it. */
function appendColumn(column: HeadColumn, data: ColumnView | undefined, at: number, rows: number): void {
  if (column.kind === 'number') {
    column.values = ensureCapacity(column.values, at, at + rows)
    if (data === undefined) column.values.fill(Number.NaN, at, at + rows)
    else appendNumbers(column.values, at, data, rows)
    return
  }
  if (data === undefined) throw new TypeError('Only numbers may be added to a source.')
  if (column.kind === 'areas') {
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

function appendNumbers(values: Float64Array, at: number, data: ColumnView, rows: number): void {
  values.set((data.values as Float64Array).subarray(0, rows), at)
  eachNull(data, rows, (row) => {
    values[at + row] = Number.NaN
  })
}

/** The head's codes of a batch's dictionary, by the batch's codes. */
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
 * The rows that are in a head now. What a query needs beside them is made when it opens them, with pauses on the way: after
 * a flood that is work for each of many rows.
 */
export function partOfHead(head: Head): Part {
  const { rows, minUs, maxUs } = head
  const show = () => snapshot(head, rows)
  const open: Part['open'] = (yieldIfDue) => seeTexts(head, rows, yieldIfDue)?.then(show) ?? show()
  return { isSealed: false, rows, minUs, maxUs, open, close() {} }
}

/** The first `rows` of a head, as a batch that later appends leave alone. */
export function snapshot(head: Head, rows = head.rows): Batch {
  const { minUs, maxUs, timestampsUs, byProject } = head
  const cold = { ...head.cold }
  const columns = new Map([...head.columns].map(([name, column]) => [name, freeze(column, rows)]))
  const project = columns.get('project') as Extract<Column, { kind: 'text' }>
  const projects = head.columns.get('project') as CategoryColumn
  return {
    rows,
    minUs,
    maxUs,
    times: { baseUs: 0, unitUs: 1, offsets: timestampsUs },
    columns,
    projectRows(name) {
      const code = findEntry(project.dictionary, name)
      return code <= ABSENT ? none : rowsOfProject(byProject, projects, code, rows)
    },
    openCold: () => (row) => readCold(cold, row),
  }
}

function freeze(column: HeadColumn, rows: number): Column {
  if (column.kind === 'areas') return { ...column }
  if (column.kind === 'number') return { ...column }
  const { codes, interner } = column.kind === 'text' ? see(column, rows) : column
  return { kind: 'text', codes, dictionary: dictionaryOf(interner) }
}

/** Gives codes to all texts of the first `rows`; undefined where that took no pause. */
function seeTexts(head: Head, rows: number, yieldIfDue: Yielder): Promise<void> | undefined {
  for (const column of head.columns.values()) {
    if (column.kind === 'text') column.seen.interner.reserve(column.texts.usedBytes + rows)
    while (column.kind === 'text' && column.seen.rows < rows) {
      see(column, Math.min(rows, column.seen.rows + ROWS_AT_ONCE))
      const paused = yieldIfDue()
      if (paused !== undefined) return paused.then(() => seeTexts(head, rows, yieldIfDue))
    }
  }
  return undefined
}

/** Gives codes to the rows that have come since the last time. */
function see({ texts, seen }: TextColumn, rows: number): TextColumn['seen'] {
  const { places, bytes } = texts
  seen.codes = ensureCapacity(seen.codes, seen.rows, rows)
  for (; seen.rows < rows; seen.rows++) {
    const start = places[2 * seen.rows]!
    const end = places[2 * seen.rows + 1]!
    seen.codes[seen.rows] = end < start ? ABSENT : seen.interner.append(bytes, start, end)
  }
  return seen
}

/** The cold columns of a row, as views. */
export function readCold(cold: Texts, row: number): ColdRow {
  return { id: textAt(cold, row, 0), event_message: textAt(cold, row, 1), metadata: textAt(cold, row, 2) }
}

export function dictionaryOf({ count, offsets, bytes, hasNewlines }: Interner): Dictionary {
  return { count, offsets, bytes, hasNewlines }
}
