import { LogweirError } from '../../../base/errors.js'
import { createMeter, tooMuchMemory } from '../../../base/memory/memory-budget.js'
import type { Yielder } from '../../../base/scheduling/time-slices.js'
import { MIB } from '../../../base/units.js'
import { type ColdColumn, hotColumns } from '../../../common/columns.js'
import type { SourceName } from '../../../common/sources.js'
import { answerValue, type Row, type Value } from '../../../plan/answer.js'
import type { Expression } from '../../../plan/expression.js'
import type { Scalar } from '../../../plan/values/values.js'
import { blocksOf } from '../batches/blocks.js'
import type { LazyBatch, RunContext } from '../batches/lazy-batch.js'
import type { Part } from '../columns/batch.js'
import { bytesOfValue } from '../columns/value-bytes.js'
import { createEvaluate } from '../expressions/evaluate.js'
import { coldValue, computedFrame, type Frame } from '../expressions/frame.js'
import type { Vector } from '../expressions/vector.js'
import { fastFilters, type SourceKinds } from '../filtering/fast-filters.js'
import { createAggregation } from '../grouping/aggregate.js'
import type { GroupSink } from '../grouping/sink.js'
import { filter } from '../operators/filter.js'
import { group } from '../operators/group.js'
import { scan } from '../operators/scan.js'
import { project } from '../operators/select.js'
import { type Unnest, unnest } from '../operators/unnest.js'
import { type Found, findTop, lateFrame, type OutputColumns, splitColumns, timeOrder } from '../ordering/top.js'
import { columnsReadBy, declaredColumns } from '../stages/read-columns.js'
import { columnNames, type Input, isUnlimited, type Stage, type Step } from '../stages/stage.js'
import { readRows } from './read-rows.js'

/** A stage that reads stored rows. */
export type ScanStage = Stage & { input: Extract<Input, { op: 'scan' }> }

/** The rows that stages read. */
export interface StoredRows {
  /** Returns the parts of a source that may have rows for a stage, in order of arrival. */
  partsOf(source: SourceName, stage: ScanStage): readonly Part[]
  /** Returns the groups of a stage, if the groups are computed elsewhere. */
  groupsOf?(stage: Stage): Frame | undefined
}

/** The rows of an answer. */
export interface RunResult {
  rows: AsyncIterable<Row>
  /** Whether iterating the rows reads stored rows: cold columns that the plan returns unchanged. */
  readsOn: boolean
}

/** Runs the last stage of a plan, and all stages before. All scanning is done when the promise resolves. */
export async function runStage(stage: Stage, stored: StoredRows, context: RunContext): Promise<RunResult> {
  const { sink } = stage
  const inMemory = (frame: Frame): RunResult => ({ rows: rowsOf(frame, columnNames(stage)), readsOn: false })
  if (sink.op === 'group') return inMemory(await frameOf(stage, stored, context)())
  // Each of these visits all expressions of a plan, which may be 10,000.
  await context.yieldIfDue()
  const columns = splitColumns(sink.columns, readsCold(stage.input))
  await context.yieldIfDue()
  const batches = batchesOf(stage, stored, context)
  await context.yieldIfDue()
  const found = await findTop(batches, sink, columns, context)
  const { late } = columns
  if (late.length > 0 && late.length <= MAX_STREAMED && late.every(({ value }) => value.kind === 'column')) {
    return { rows: streamed(found, columns, columnNames(stage), context), readsOn: true }
  }
  return inMemory(await finish(found, columns, context))
}

/** Columns of long texts that are streamed. A row with more such columns has to be measured before the row is sent. */
const MAX_STREAMED = 8

/**
 * Returns a function that computes the rows of a stage, in memory. The parts to read are chosen at once, so that all
 * stages of a plan see the same stored rows.
 */
function frameOf(stage: Stage, stored: StoredRows, context: RunContext): () => Promise<Frame> {
  const compute = ownFrameOf(stage, stored, context)
  return stage.isShared ? () => context.sharedFrames.read(stage, columnNames(stage), compute) : compute
}

function ownFrameOf(stage: Stage, stored: StoredRows, context: RunContext): () => Promise<Frame> {
  const { sink, input } = stage
  const given = stored.groupsOf?.(stage)
  if (given !== undefined) return async () => given
  const batches = batchesOf(stage, stored, context)
  if (sink.op === 'group') return () => grouped(sink, input, batches, context)
  const columns = splitColumns(sink.columns, readsCold(input))
  return async () => finish(await findTop(batches, sink, columns, context), columns, context)
}

function grouped(sink: GroupSink, input: Input, batches: readonly LazyBatch[], context: RunContext): Promise<Frame> {
  const aggregation = createAggregation(sink.aggregates, (expression) => isStoredNumber(expression, input))
  const [groups] = group(batches, sink, aggregation, context)
  return groups!.read((frame) => frame)
}

const readsCold = (input: Input) => input.op === 'scan'

/** Whether an expression is a column of numbers of every source that is scanned. */
function isStoredNumber(expression: Expression, input: Input): boolean {
  if (expression.kind !== 'column' || input.op !== 'scan') return false
  return input.sources.every((source) => kindsOf(source).kindOf(expression.name) === 'number')
}

/** The batches that the sink of a stage reads: the input after the steps. */
function batchesOf(stage: Stage, stored: StoredRows, context: RunContext): LazyBatch[] {
  const { input, steps, sink } = stage
  if (input.op !== 'scan') return after(inputBatches(input, stored, context), steps, context)
  return input.sources.flatMap((source) => {
    const kinds = kindsOf(source)
    const { conditions, rest } = leadingFilters(steps)
    const filters = fastFilters(conditions, kinds)
    const remaining = [
      ...conditions.slice(filters.conditions.length).map((where): Step => ({ op: 'filter', where })),
      ...rest,
    ]
    const byTime = sink.op === 'top' ? timeOrder(sink.keys) : undefined
    const mostRows = sink.op === 'top' && byTime !== undefined ? sink.rows + sink.offset : Number.POSITIVE_INFINITY
    const { coldFilters } = filters
    const isSlow = remaining.length > 0 || coldFilters.length > 0 || filters.filters.some(({ isField }) => isField)
    const { fromUs, throughUs } = input
    const range = { fromUs, throughUs, columns: columnsReadBy(stage, source) }
    const scanned = scan(stored.partsOf(source, stage as ScanStage), range, filters, kinds, {
      ...context,
      // The newest rows of a batch are found from the end, the oldest rows in chunks.
      isSlow: (isSlow || byTime === 'asc') && mostRows < Number.POSITIVE_INFINITY,
      onScan: (rows) => context.onScan(isSlow ? rows : Math.min(rows, mostRows)),
    })
    return after(scanned, remaining, context)
  })
}

/** Returns the conditions of the leading filter steps, and the other steps. */
export function leadingFilters(steps: readonly Step[]): { conditions: Expression[]; rest: readonly Step[] } {
  const end = steps.findIndex(({ op }) => op !== 'filter')
  const leading = end < 0 ? steps : steps.slice(0, end)
  return {
    conditions: leading.map((step) => (step as Extract<Step, { op: 'filter' }>).where),
    rest: end < 0 ? [] : steps.slice(end),
  }
}

/** Applies steps. Adjacent filters share a pass. */
function after(input: readonly LazyBatch[], steps: readonly Step[], context: RunContext): LazyBatch[] {
  let batches = [...input]
  for (let i = 0; i < steps.length; ) {
    const step = steps[i]
    if (step.op === 'unnest') {
      batches = unnest(batches, step, unnestsFrom(steps, i + 1), context)
      i++
      continue
    }
    const { conditions } = leadingFilters(steps.slice(i))
    batches = filter(batches, conditions, context)
    i += conditions.length
  }
  return batches
}

/** Returns the steps from a place on, up to the first step that is no unnest. */
function unnestsFrom(steps: readonly Step[], from: number): Unnest[] {
  const unnests: Unnest[] = []
  for (let i = from; steps[i]?.op === 'unnest'; i++) unnests.push(steps[i] as Unnest)
  return unnests
}

/** Batches of rows that earlier stages compute. Each batch is computed on read. */
function inputBatches(input: Exclude<Input, { op: 'scan' }>, stored: StoredRows, context: RunContext): LazyBatch[] {
  if (input.op === 'stage') return [computed(frameOf(input.stage, stored, context))]
  const [first] = input.inputs
  if (first === undefined) return []
  const names = columnNames(first)
  return input.inputs.flatMap((stage) => unorderedRows(stage, stored, context, names))
}

/**
 * Returns the rows of a stage in any order, as batches with columns of these names. A stage without a limit and groups
 * is not computed as a whole: the batches of the stage are read in sequence.
 */
export function unorderedRows(
  stage: Stage,
  stored: StoredRows,
  context: RunContext,
  names = columnNames(stage),
): LazyBatch[] {
  const { sink } = stage
  if (sink.op === 'top' && isUnlimited(sink)) {
    const columns = sink.columns.map(({ value }, i) => ({ name: names[i], value }))
    return project(batchesOf(stage, stored, context), columns, context)
  }
  const frame = frameOf(stage, stored, context)
  return [computed(async () => renamed(await frame(), columnNames(stage), names))]
}

function computed(make: () => Promise<Frame>): LazyBatch {
  return {
    minUs: Number.NEGATIVE_INFINITY,
    maxUs: Number.POSITIVE_INFINITY,
    read: async (use) => use(await make()),
  }
}

/** The same rows with other names for their columns. */
function renamed(frame: Frame, from: readonly string[], to: readonly string[]): Frame {
  const names = new Map(to.map((name, i) => [name, from[i]]))
  return { ...frame, column: (name) => frame.column(names.get(name) ?? name) }
}

/** Rows that are copied without a look at the clock. */
const COPIED_ROWS = 4096

/** The columns that were read while batches were open. */
async function earlyColumns({ columns, rows }: Found, yieldIfDue: Yielder): Promise<Map<string, Scalar[]>> {
  const lists = columns.map((name) => [name, [] as Scalar[]] as const)
  for (const [position, { values }] of rows.entries()) {
    if (position % COPIED_ROWS === 0) await yieldIfDue()
    for (const [i, [, list]] of lists.entries()) list.push(values[i])
  }
  return new Map(lists)
}

/** Reads the late columns of the rows found: all of their columns are in memory then. */
async function finish(found: Found, { early, late }: OutputColumns, context: RunContext): Promise<Frame> {
  const { yieldIfDue, limits, memory } = context
  const columns = await earlyColumns(found, yieldIfDue)
  if (late.length === 0) return computedFrame(found.rows.length, columns)
  const frame = lateFrame(found)
  const evaluate = createEvaluate(frame)
  let bytes = 0
  const meter = createMeter(memory)
  const vectors: { name: string; vector: Vector; values: Scalar[] }[] = []
  for (const { name, value } of late) {
    vectors.push({ name, vector: evaluate(value), values: [] })
    const pause = yieldIfDue()
    if (pause !== undefined) await pause
  }
  for await (const { from, to } of blocksOf(
    frame,
    vectors.map(({ vector }) => vector),
    yieldIfDue,
  )) {
    for (const { vector, values } of vectors) {
      for (let i = from; i < to; i++) {
        const value = vector.at(i)
        values.push(value)
        bytes += bytesOfValue(value)
      }
      meter(bytes)
      if (bytes > limits.bytes) throw tooMuchMemory(limits.bytes)
      // There may be many columns, each of which reads the rows of the block.
      const pause = yieldIfDue()
      if (pause !== undefined) await pause
    }
  }
  for (const { name, values } of vectors) columns.set(name, values)
  for (const { name } of early) if (!columns.has(name)) columns.set(name, [])
  return computedFrame(found.rows.length, columns)
}

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

const kindsBySource = new Map<SourceName, SourceKinds>()

/** How the columns of a source are stored. An empty text of a category means an absent text. */
export function kindsOf(source: SourceName): SourceKinds {
  const known = kindsBySource.get(source)
  if (known !== undefined) return known
  const kinds = new Map(hotColumns(source).map(({ name, kind }) => [name, kind]))
  const fields = declaredColumns(source)
  const made: SourceKinds = {
    fieldColumn: (keys) => fields.get(JSON.stringify(keys)),
    hasEmptyTexts: (name) => name === 'project' || kinds.get(name) === 'text',
    kindOf(name) {
      const kind = name === 'project' ? 'category' : kinds.get(name)
      return kind === 'category' ? 'text' : kind
    },
  }
  kindsBySource.set(source, made)
  return made
}
