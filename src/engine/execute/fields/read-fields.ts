import type { Yielder } from '../../../base/scheduling/time-slices.js'
import { ABSENT, JSON_VALUE, TEXT } from '../../../wasm-layout/values.js'
import type { Batch, ColdTexts } from '../columns/batch.js'
import type { FieldPath, Keys } from '../columns/field-path.js'
import { rowAt, type Selection, sizeOf } from '../columns/selection.js'
import { type ElementCount, elementCount } from './element-count.js'
import { createExtractor, type Extracted, type Extractor, MAX_PATHS } from './extractor.js'
import type { FieldCache } from './field-cache.js'
import type { FieldColumn } from './field-column.js'

/** The fields of the rows of a batch, read from the metadata. */
export interface FieldReader {
  /**
   * Reads the fields of the selected rows that are not in memory: decompresses the metadata texts of these rows and
   * extracts all fields in a single walk. Yields between about 1 MiB of texts. Rejects if stored bytes are damaged.
   */
  read(paths: readonly FieldPath[], selection: Selection, yieldIfDue: Yielder): Promise<FieldColumn[]>
}

/** Returns the reader of a batch. `owner` identifies the part of the batch in the cache. */
export function createFieldReader(batch: Batch, owner: object, cache: FieldCache): FieldReader {
  return {
    async read(paths, selection, yieldIfDue) {
      const columns = paths.map((path) => cache.columnOf(owner, path, batch.rows))
      await fillStored(batch, paths, columns)
      const unfilled = [...paths.keys()].filter((i) => !columns[i].isFilled)
      const unread = { paths: unfilled.map((i) => paths[i]), columns: unfilled.map((i) => columns[i]) }
      await readColumns(batch, { ...unread, selection }, yieldIfDue)
      for (const column of columns) cache.resize(column)
      return columns
    },
  }
}

/** Fills the columns of which no row is read yet with the columns that are stored. */
async function fillStored(batch: Batch, paths: readonly FieldPath[], columns: readonly FieldColumn[]): Promise<void> {
  const missing = [...paths.keys()].filter((i) => columns[i].isEmpty)
  if (missing.length === 0 || batch.readStoredFields === undefined) return
  const stored = await batch.readStoredFields(missing.map((i) => paths[i]))
  for (const [k, i] of missing.entries()) if (stored[k] !== undefined) columns[i].fill(stored[k])
}

/**
 * Reads values of the metadata of selected rows into columns, a column for each path, where the columns lack the
 * values. Yields between about 1 MiB of texts. Rejects if stored bytes are damaged.
 */
async function readColumns(
  batch: Pick<Batch, 'readColdTexts'>,
  { paths, columns, selection }: { paths: readonly FieldPath[]; columns: readonly FieldColumn[]; selection: Selection },
  yieldIfDue: Yielder,
): Promise<void> {
  for (let from = 0; from < paths.length; from += MAX_PATHS) {
    const some = paths.slice(from, from + MAX_PATHS)
    const keys = some.map((path) => path.keys)
    const reading = { paths: some, keys, columns: columns.slice(from, from + MAX_PATHS) }
    await readRows({ batch, selection, ...reading }, yieldIfDue)
  }
}

/** Extractors that no reader uses: each has its own memory, since reading from disk lets other queries run. */
const idle: Extractor[] = []

interface Reading {
  batch: Pick<Batch, 'readColdTexts'>
  selection: Selection
  paths: readonly FieldPath[]
  /** The keys of the paths, the same array for all texts. */
  keys: readonly Keys[]
  columns: readonly FieldColumn[]
}

async function readRows(reading: Reading, yieldIfDue: Yielder): Promise<void> {
  const { batch, selection, columns } = reading
  let position = firstUnread(columns, selection, 0)
  if (position === sizeOf(selection)) return
  const extractor = idle.pop() ?? createExtractor()
  try {
    while (position < sizeOf(selection)) {
      const read = batch.readColdTexts('metadata', rowAt(selection, position), extractor.textMemory)
      const texts = read instanceof Promise ? await read : read
      position = firstUnread(columns, selection, extractRows(reading, position, texts, extractor))
      const pause = yieldIfDue()
      if (pause !== undefined) await pause
    }
  } finally {
    idle.push(extractor)
  }
}

/**
 * Extracts the fields of the rows from a position on that are among the texts. Returns the position behind these rows.
 */
function extractRows(
  { selection, paths, keys, columns }: Reading,
  from: number,
  { from: firstRow, to, offsets }: ColdTexts,
  extractor: Extractor,
): number {
  const wanted: number[] = []
  let position = from
  for (; position < sizeOf(selection) && rowAt(selection, position) < to; position++) {
    const row = rowAt(selection, position)
    if (!isRead(columns, row)) wanted.push(row - firstRow)
  }
  const texts = { starts: offsets, ends: offsets.subarray(1) }
  const values = extractor.extract(keys, texts, Uint32Array.from(wanted))
  columns.forEach((column, path) => {
    // Another reader may have filled the column since this reading began: path columns come while a segment is open.
    if (column.isFilled) return
    setValues(column, values, { firstRow, wanted, path, paths: paths.length }, paths[path].isCount)
  })
  return position
}

const ONE = Buffer.from('1')
const OTHER = Buffer.from('"other')

/** Sets the values of a path, or the counts of the values, in the rows `firstRow + wanted[i]`. */
function setValues(
  column: FieldColumn,
  { kinds, starts, ends, bytes }: Extracted,
  { firstRow, wanted, path, paths }: { firstRow: number; wanted: readonly number[]; path: number; paths: number },
  isCount: boolean,
): void {
  for (let i = 0, at = path; i < wanted.length; i++, at += paths) {
    const row = firstRow + wanted[i]
    if (isCount) setCount(column, row, kinds[at] === JSON_VALUE ? elementCount(bytes, starts[at], ends[at]) : 0)
    else if (kinds[at] === ABSENT) column.setNone(row)
    // The byte before a text is a quote.
    else column.set(row, bytes, kinds[at] === TEXT ? starts[at] - 1 : starts[at], ends[at])
  }
}

/** Sets how many rows an unnest makes of the value in a row. */
function setCount(column: FieldColumn, row: number, count: ElementCount): void {
  if (count === 0) column.setNone(row)
  else if (count === 1) column.set(row, ONE, 0, ONE.length)
  else column.set(row, OTHER, 0, OTHER.length)
}

/** Returns the first position from `from` on of a row not read in all columns, or the number of positions. */
function firstUnread(columns: readonly FieldColumn[], selection: Selection, from: number): number {
  const size = sizeOf(selection)
  let position = from
  while (position < size && isRead(columns, rowAt(selection, position))) position++
  return position
}

function isRead(columns: readonly FieldColumn[], row: number): boolean {
  for (const column of columns) if (!column.isRead(row)) return false
  return true
}
