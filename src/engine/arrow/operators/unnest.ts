import { ensureCapacity } from '../../../base/growable.js'
import { MIB } from '../../../base/units.js'
import { expressionKey } from '../../../plan/expression-key.js'
import { scalarOfJson } from '../../../plan/functions/json.js'
import { elementsOfJson } from '../../../plan/functions/json-path.js'
import type { Operator } from '../../../plan/plan.js'
import { RawJson, type Scalar } from '../../../plan/values/values.js'
import { bytesOfValue } from '../columns/value-bytes.js'
import { createEvaluate } from '../expressions/evaluate.js'
import { type Frame, mappedFrame } from '../expressions/frame.js'
import type { Vector } from '../expressions/vector.js'
import { blocksOf } from './blocks.js'
import type { LazyBatch, RunContext } from './lazy-batch.js'
import { extendKey } from './partial-cache.js'
import { tooMuchMemory } from './top.js'

type Unnest = Extract<Operator, { op: 'unnest' }>

/**
 * Makes a row for each element of a list; see the operator in `plan.ts`. The rows made count as scanned. Throws
 * `too_much_memory` if those of one batch are too many.
 */
export function unnest(input: readonly LazyBatch[], operator: Unnest, context: RunContext): LazyBatch[] {
  const { list, name, isOuter } = operator
  const keyOf = extendKey(() => ['unnest', name, isOuter, expressionKey(list)])
  return input.map(({ readByTime: _, ...batch }) => ({
    ...batch,
    ...(batch.cached && { cached: { part: batch.cached.part, key: keyOf(batch.cached.key) } }),
    read: (use) => batch.read(async (frame) => use(await unnested(frame, operator, context))),
  }))
}

/** Elements that take up to this much memory are kept; those of longer frames are read again when they are needed. */
const KEPT_BYTES = 16 * MIB
/** Position and place of a row that was made. */
const ROW_BYTES = 16

async function unnested(frame: Frame, { list, name, isOuter }: Unnest, context: RunContext): Promise<Frame> {
  const vector = createEvaluate(frame)(list)
  const elementsAt = createElements(vector)
  let positions = new Uint32Array(0)
  let places = new Uint32Array(0)
  let rows = 0
  let kept: Scalar[] | undefined = []
  let bytes = 0
  for await (const { from, to } of blocksOf(frame, [vector], context.yieldIfDue)) {
    for (let position = from; position < to; position++) {
      const elements = elementsAt(position)
      const found = elements.length === 0 && isOuter ? NULL_ELEMENT : elements
      if ((rows + found.length) * ROW_BYTES > context.limits.bytes) throw tooMuchMemory(context.limits.bytes)
      positions = ensureCapacity(positions, rows, rows + found.length)
      places = ensureCapacity(places, rows, rows + found.length)
      for (const [place, element] of found.entries()) {
        positions[rows] = position
        places[rows++] = place
        if (kept === undefined) continue
        kept.push(element)
        bytes += bytesOfValue(element)
        if (bytes > KEPT_BYTES) kept = undefined
      }
    }
  }
  context.onScan(Math.max(0, rows - frame.rows))
  const column = kept === undefined ? elementVector(vector, positions, places) : keptVector(kept)
  return mappedFrame(frame, positions.subarray(0, rows), new Map([[name, column]]))
}

const keptVector = (elements: readonly Scalar[]): Vector => ({ at: (i) => elements[i]!, isCold: false })

/** The elements, each taken from its list when it is read. */
function elementVector(vector: Vector, positions: Uint32Array, places: Uint32Array): Vector {
  const elementsAt = createElements(vector)
  return { at: (i) => elementsAt(positions[i]!)[places[i]!] ?? null, isCold: vector.isCold }
}

const NULL_ELEMENT: readonly Scalar[] = [null]

/**
 * Returns the elements at a position. Those of the last list are remembered: the rows that another unnest has made of
 * one row have the same list.
 */
function createElements({ at }: Vector): (position: number) => readonly Scalar[] {
  let text: string | undefined
  let elements: readonly Scalar[] = []
  return (position) => {
    const value = at(position)
    if (!(value instanceof RawJson)) return elementsOf(value)
    if (value.text !== text) {
      text = value.text
      elements = elementsOf(value)
    }
    return elements
  }
}

/** The elements of a list, an object as the only one; none of any other value. */
function elementsOf(value: Scalar): readonly Scalar[] {
  if (Array.isArray(value)) return value as readonly Scalar[]
  if (!(value instanceof RawJson)) return []
  return value.text.startsWith('[') ? elementsOfJson(value.text).map(scalarOfJson) : [value]
}
