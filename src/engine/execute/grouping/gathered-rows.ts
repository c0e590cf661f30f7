import { ensureCapacity } from '../../../base/memory/growable.js'
import { columnsOf, type Expression } from '../../../plan/expression.js'
import {
  type AreasColumn,
  type Column,
  type HotBatch,
  type HotRows,
  type TimeColumn,
  timeAt,
} from '../columns/batch.js'
import { EXCEPTION, type NumberColumn, numberAt } from '../columns/numbers.js'
import { rowAt, type Selection, sizeOf } from '../columns/selection.js'
import type { Frame } from '../expressions/frame.js'
import { COLD } from '../expressions/loaded-rows.js'
import { hotFrame } from '../expressions/stored-frame.js'

/** Rows of several batches, copied one after the other. An operator does the fixed work once for all gathered rows. */
export interface GatheredRows {
  /** Adds rows of a batch. Returns false if the rows are many, have columns that are not copied, or do not fit. */
  add(rows: HotRows): boolean
  /** Returns the rows that were added since the last call. */
  take(): Frame
}

/** With more rows, the work on the rows exceeds the fixed work. */
const MOST_ROWS_OF_BATCH = 512
const MOST_ROWS = 16_384
const FIRST_ROWS = 64

/** The columns that can be copied. Texts cannot be copied, since each batch has its own codes. */
type Copied = NumberColumn | AreasColumn | { kind: 'times'; times: TimeColumn }
type Copy = { kind: 'number' | 'times'; values: Float64Array } | { kind: 'areas'; values: Uint8Array<ArrayBuffer> }

/** Gathers the columns that expressions read. Undefined if a column is stored cold. */
export function createGatheredRows(expressions: readonly Expression[]): GatheredRows | undefined {
  const names = [...new Set(expressions.flatMap((expression) => [...columnsOf(expression)]))]
  if (names.some((name) => COLD.has(name))) return undefined
  let rows = 0
  let copies: Copy[] = []
  return {
    add({ batch, selection }) {
      const more = sizeOf(selection)
      if (more > MOST_ROWS_OF_BATCH || rows + more > MOST_ROWS) return false
      const columns = names.map((name) => columnOf(batch, name))
      if (!columns.every(isCopied)) return false
      if (rows === 0) copies = columns.map(createCopy)
      else if (columns.some(({ kind }, i) => kind !== copies[i].kind)) return false
      for (const [i, column] of columns.entries()) append(copies[i], rows, column, selection)
      rows += more
      return true
    },
    take() {
      const frame = hotFrame(batchOf(names, copies, rows), rows)
      rows = 0
      return frame
    },
  }
}

const columnOf = ({ times, columns }: HotBatch, name: string): Column | Copied | undefined =>
  name === 'timestamp' ? { kind: 'times', times } : columns.get(name)

const isCopied = (column: Column | Copied | undefined): column is Copied =>
  column !== undefined && column.kind !== 'text'

const createCopy = ({ kind }: Copied): Copy =>
  kind === 'areas' ? { kind, values: new Uint8Array(FIRST_ROWS) } : { kind, values: new Float64Array(FIRST_ROWS) }

/** Appends the selected values of a column to a copy of the same kind that has `rows`. */
function append(copy: Copy, rows: number, column: Copied, selection: Selection): void {
  copy.values = ensureCapacity(copy.values, rows, rows + sizeOf(selection))
  if (column.kind === 'times') copyTimes(column.times, selection, copy.values, rows)
  else if (column.kind === 'number') copyNumbers(column, selection, copy.values, rows)
  else copyFlags(column.flags, selection, copy.values, rows)
}

function copyTimes(times: TimeColumn, selection: Selection, out: Copy['values'], from: number): void {
  for (let i = sizeOf(selection) - 1; i >= 0; i--) out[from + i] = timeAt(times, rowAt(selection, i))
}

function copyNumbers(column: NumberColumn, selection: Selection, out: Copy['values'], from: number): void {
  const { values } = column
  const hasExceptions = 'exceptions' in column
  for (let i = sizeOf(selection) - 1; i >= 0; i--) {
    const row = rowAt(selection, i)
    const value = values[row]
    out[from + i] = hasExceptions && value === EXCEPTION ? numberAt(column, row) : value
  }
}

function copyFlags(flags: Uint8Array, selection: Selection, out: Copy['values'], from: number): void {
  for (let i = sizeOf(selection) - 1; i >= 0; i--) out[from + i] = flags[rowAt(selection, i)]
}

function batchOf(names: readonly string[], copies: readonly Copy[], rows: number): HotBatch {
  const batch = { times: NO_TIMES, minUs: Number.POSITIVE_INFINITY, maxUs: Number.NEGATIVE_INFINITY }
  const columns = new Map<string, Column>()
  for (const [i, copy] of copies.entries()) {
    if (copy.kind === 'areas') columns.set(names[i], { kind: 'areas', flags: copy.values.subarray(0, rows) })
    else if (copy.kind === 'number') columns.set(names[i], { kind: 'number', values: copy.values.subarray(0, rows) })
    else {
      const offsets = copy.values.subarray(0, rows)
      batch.times = { baseUs: 0, unitUs: 1, offsets }
      for (const us of offsets) {
        batch.minUs = Math.min(batch.minUs, us)
        batch.maxUs = Math.max(batch.maxUs, us)
      }
    }
  }
  return { ...batch, columns }
}

const NO_TIMES: TimeColumn = { baseUs: 0, unitUs: 1, offsets: new Float64Array(0) }
