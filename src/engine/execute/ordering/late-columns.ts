import { createMeter, tooMuchMemory } from '../../../base/memory/memory-budget.js'
import type { Yielder } from '../../../base/scheduling/time-slices.js'
import type { ColdColumn } from '../../../common/columns.js'
import type { Scalar } from '../../../plan/values/values.js'
import { blocksOf } from '../batches/blocks.js'
import type { RunContext } from '../batches/lazy-batch.js'
import { bytesOfValue } from '../columns/value-bytes.js'
import { computedFrame, plainFrame } from '../expressions/computed-frame.js'
import { createEvaluate } from '../expressions/evaluate.js'
import type { Frame } from '../expressions/frame.js'
import { COLD, createLoadedRows } from '../expressions/loaded-rows.js'
import { computed, type Vector } from '../expressions/vector.js'
import { type Found, leafName, type OutputColumns } from './output-columns.js'

/**
 * Returns the rows found. Reads their late columns: all columns of the rows are in memory then. Throws
 * `too_much_memory` beyond the limits.
 */
export async function frameOfFound(found: Found, { early, late }: OutputColumns, context: RunContext): Promise<Frame> {
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

/** Evaluates late columns over rows that were found: their early values and cold columns, by position. */
export function lateFrame({ rows, columns, areas, cold }: Found): Frame {
  const places = new Map(columns.map((name, i) => [name, i]))
  const loaded = createLoadedRows()
  const column = (name: string): Vector | undefined => {
    if (COLD.has(name)) return loaded.vector(name as ColdColumn)
    const place = places.get(leafName(name)) ?? places.get(name)
    if (place === undefined) return undefined
    const at = (position: number) => rows[position].values[place]
    if (!areas.has(leafName(name))) return computed(at)
    return { kind: 'areas', at: () => null, areasAt: (position) => at(position) as number, column: undefined }
  }
  const read = (position: number) => {
    const { batch, row } = rows[position]
    return loaded.reader(batch, cold.get(batch)!)(row)
  }
  const load: Frame['load'] = (positions, yieldIfDue) => loaded.load(positions, read, { isCopied: true, yieldIfDue })
  return plainFrame(rows.length, column, { load })
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
