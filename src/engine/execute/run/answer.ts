import { LogweirError } from '../../../base/errors.js'
import { MIB } from '../../../base/units.js'
import type { ColdColumn } from '../../../common/columns.js'
import { answerValue, type Row, type Value } from '../../../plan/answer.js'
import type { Expression } from '../../../plan/expression.js'
import type { RunContext } from '../batches/lazy-batch.js'
import { bytesOfValue } from '../columns/value-bytes.js'
import type { Frame } from '../expressions/frame.js'
import { coldValue } from '../expressions/loaded-rows.js'
import { orderBy } from '../operators/order-by.js'
import { frameOfFound } from '../ordering/late-columns.js'
import { type Found, type OutputColumns, splitColumns } from '../ordering/output-columns.js'
import { columnNames, type Stage } from '../stages/stage.js'
import { readRows } from './read-rows.js'
import { batchesOf, frameOf, type StoredRows } from './run-stage.js'

/** The rows of an answer. */
export interface RunResult {
  rows: AsyncIterable<Row>
  /** Whether iterating the rows reads stored rows: cold columns that the plan returns unchanged. */
  readsOn: boolean
}

/** Runs the last stage of a plan, and all stages before. All scanning is done when the promise resolves. */
export async function answerOf(stage: Stage, stored: StoredRows, context: RunContext): Promise<RunResult> {
  const { sink } = stage
  const inMemory = (frame: Frame): RunResult => ({ rows: rowsOf(frame, columnNames(stage)), readsOn: false })
  if (sink.op === 'group') return inMemory(await frameOf(stage, stored, context)())
  // Each of these visits all expressions of a plan, which may be 10,000.
  await context.yieldIfDue()
  const columns = splitColumns(sink.columns, stage.input.op === 'scan')
  await context.yieldIfDue()
  const batches = batchesOf(stage, stored, context)
  await context.yieldIfDue()
  const found = await orderBy(batches, sink, columns, context)
  const { late } = columns
  if (late.length > 0 && late.length <= MAX_STREAMED && late.every(({ value }) => value.kind === 'column')) {
    return { rows: streamed(found, columns, columnNames(stage), context), readsOn: true }
  }
  return inMemory(await frameOfFound(found, columns, context))
}

/** Columns of long texts that are streamed. A row with more such columns has to be measured before the row is sent. */
const MAX_STREAMED = 8

/** The most memory of a single row of an answer. A row is encoded as a whole. */
const MAX_ROW_BYTES = 32 * MIB

const tooLongRow = () =>
  new LogweirError(
    'too_much_memory',
    `A row of the answer takes more than ${MAX_ROW_BYTES / MIB} MiB. Select fewer columns.`,
  )

/** The rows of a frame, as rows of an answer. */
async function* rowsOf(frame: Frame, names: readonly string[]): AsyncGenerator<Row, void> {
  const columns = names.map((name) => ({ name, at: frame.column(name)!.at }))
  for (let position = 0; position < frame.rows; position++) {
    const row: Record<string, Value> = {}
    let bytes = 0
    for (const { name, at } of columns) {
      const value = at(position)
      bytes += bytesOfValue(value)
      if (bytes > MAX_ROW_BYTES) throw tooLongRow()
      setCell(row, name, answerValue(value))
    }
    yield row
  }
}

/** Sets a column of a row, whatever the name: an assignment to `__proto__` would set no property. */
function setCell(row: Record<string, Value>, name: string, value: Value): void {
  if (name === '__proto__') Object.defineProperty(row, name, { value, enumerable: true })
  else row[name] = value
}

/**
 * Streams rows with late columns that are cold columns themselves. The cold columns are read while the caller takes the
 * rows.
 */
function streamed(
  found: Found,
  { late }: OutputColumns,
  names: readonly string[],
  { yieldIfDue }: RunContext,
): AsyncIterable<Row> {
  const coldNames = new Map(late.map(({ name, value }) => [name, (value as Expression & { kind: 'column' }).name]))
  const columns = names.map((name) => ({
    name,
    cold: coldNames.get(name) as ColdColumn | undefined,
    place: found.columns.indexOf(name),
  }))
  return readRows(found.rows, {
    opened: found.cold,
    columns: [...coldNames.values()] as ColdColumn[],
    yieldIfDue,
    toRow({ values }, row) {
      const made: Record<string, Value> = {}
      for (const { name, cold, place } of columns) {
        setCell(made, name, answerValue(cold === undefined ? values[place] : coldValue(cold, row[cold])))
      }
      return made
    },
  })
}
