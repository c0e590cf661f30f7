import { ensureCapacity } from '../../../base/memory/growable.js'
import type { Interner } from '../../../base/memory/interner.js'
import type { Yielder } from '../../../base/scheduling/time-slices.js'
import { COLD_COLUMNS, type ColdColumn } from '../../../common/columns.js'
import type { Batch, ColdRow, Column, Part, TakeMemory } from '../columns/batch.js'
import { ABSENT, type Dictionary, findEntry } from '../columns/dictionary.js'
import { none } from '../columns/selection.js'
import { blocksOf } from './blocks.js'
import type { CategoryColumn, EncodedRows, OpenBatch, OpenBatchColumn, TextColumn } from './open-batch.js'
import { rowsOfProject } from './project-rows.js'
import { copyTexts, type Texts, textAt } from './texts.js'

/** Rows that are encoded between two checks of the time slice. */
const ROWS_PER_STEP = 1024

/**
 * Returns the rows that an open batch has now, as a part. `open` encodes the texts of new rows, which is work for each
 * row. It therefore yields in between, but returns at once if no time slice was used up.
 */
export function partOfOpenBatch(openBatch: OpenBatch): Part {
  const { owner, rows, minUs, maxUs } = openBatch
  const open: Part['open'] = (yieldIfDue, columns) => {
    const take = () => snapshot(openBatch, rows, columns)
    return encodeTexts(openBatch, rows, columns, yieldIfDue)?.then(take) ?? take()
  }
  const slices: Part['slices'] = (sliceRows) => blocksOf(openBatch, rows, sliceRows)
  return { isSealed: false, owner, rows, minUs, maxUs, slices, open, close() {} }
}

/**
 * Returns the first `rows` of an open batch as a batch that later appends do not change. If `wanted` is given, the
 * batch has no other columns of texts, which would have to be encoded.
 */
export function snapshot(openBatch: OpenBatch, rows = openBatch.rows, wanted?: ReadonlySet<string>): Batch {
  const { minUs, maxUs, timestampsUs, byProject, inMetadata } = openBatch
  const cold = { ...openBatch.cold }
  const columns = new Map<string, Column>()
  for (const [name, column] of openBatch.columns) {
    if (column.kind !== 'text' || (wanted?.has(name) ?? true)) columns.set(name, freeze(column, rows))
  }
  const project = columns.get('project') as Extract<Column, { kind: 'text' }>
  const projects = openBatch.columns.get('project') as CategoryColumn
  const readTexts = (column: ColdColumn, row: number, memory?: TakeMemory) =>
    copyTexts(cold, COLD_COLUMNS.indexOf(column), { row, rows }, memory)
  return {
    rows,
    minUs,
    maxUs,
    times: { baseUs: 0, unitUs: 1, offsets: timestampsUs },
    columns,
    inMetadata: inMetadata.mask === 0 ? { mask: 0 } : { ...inMetadata },
    projectRows(name, from = 0) {
      const code = findEntry(project.dictionary, name)
      return code <= ABSENT ? none : rowsOfProject(byProject, projects, code, from, rows)
    },
    openCold: () => (row) => readCold(cold, row),
    openColdTexts: (column) => (row, _, memory) => readTexts(column, row, memory),
    readColdTexts: readTexts,
  }
}

function freeze(column: OpenBatchColumn, rows: number): Column {
  if (column.kind === 'areas') return { ...column }
  if (column.kind === 'number') return { ...column }
  const { codes, interner } = column.kind === 'text' ? encodeRows(column, rows) : column
  return { kind: 'text', codes, dictionary: dictionaryOf(interner) }
}

/** Encodes the wanted texts of the first `rows`. Returns undefined without a yield. */
function encodeTexts(
  openBatch: OpenBatch,
  rows: number,
  wanted: ReadonlySet<string>,
  yieldIfDue: Yielder,
): Promise<void> | undefined {
  for (const [name, column] of openBatch.columns) {
    if (column.kind !== 'text' || !wanted.has(name)) continue
    column.encoded.interner.reserve(column.texts.usedBytes + rows)
    while (column.encoded.rows < rows) {
      encodeRows(column, Math.min(rows, column.encoded.rows + ROWS_PER_STEP))
      const paused = yieldIfDue()
      if (paused !== undefined) return paused.then(() => encodeTexts(openBatch, rows, wanted, yieldIfDue))
    }
  }
  return undefined
}

/** Encodes the rows that are not encoded yet, up to `rows`. */
function encodeRows({ texts, encoded }: TextColumn, rows: number): EncodedRows {
  const { places, bytes } = texts
  encoded.codes = ensureCapacity(encoded.codes, encoded.rows, rows)
  for (; encoded.rows < rows; encoded.rows++) {
    const start = places[2 * encoded.rows]
    const end = places[2 * encoded.rows + 1]
    encoded.codes[encoded.rows] = end < start ? ABSENT : encoded.interner.append(bytes, start, end)
  }
  return encoded
}

/** Returns the cold columns of a row, as views of the open batch's memory. */
export function readCold(cold: Texts, row: number): ColdRow {
  return { id: textAt(cold, row, 0), event_message: textAt(cold, row, 1), metadata: textAt(cold, row, 2) }
}

/** Returns the present dictionary of an interner. Later entries do not change the dictionary. */
export function dictionaryOf({ count, offsets, bytes, hasNewlines }: Interner): Dictionary {
  return { count, offsets, bytes, hasNewlines }
}
