import { createMeter, tooMuchMemory } from '../../../base/memory/memory-budget.js'
import { MIB } from '../../../base/units.js'
import { column } from '../../../plan/expression.js'
import { expressionKey } from '../../../plan/expression-key.js'
import type { Scalar } from '../../../plan/values/values.js'
import { blocksOf } from '../batches/blocks.js'
import { eachFrame } from '../batches/each-frame.js'
import type { LazyBatch, RunContext } from '../batches/lazy-batch.js'
import { extendKey } from '../caches/partial-cache.js'
import { bytesOfValue } from '../columns/value-bytes.js'
import { mappedFrame } from '../expressions/computed-frame.js'
import { createElements, elementVector, withElement } from '../expressions/elements.js'
import type { Elements, Frame, SingleElement } from '../expressions/frame.js'
import { type FieldUse, pathOfList } from '../expressions/loaded-fields.js'
import { prepare } from '../expressions/prepare.js'
import { computed } from '../expressions/vector.js'
import { type Draft, inScope, withScope, withSteps } from '../stages/draft.js'
import type { Unnest } from '../stages/stage.js'
import { keep } from './filter.js'

/** Adds a step, which makes a column with a name of its own. */
export function cutUnnest(operator: Unnest, draft: Draft): Draft {
  const { steps, scope } = draft
  const name = `${operator.name} ${steps.length}`
  const step = { ...operator, name, list: inScope(operator.list, scope) }
  return withScope(withSteps(draft, [step]), new Map([...scope, [operator.name, column(name)]]))
}

/**
 * Makes a row for each element of a list. See the operator in `plan.ts`. The rows made count as scanned. `next` are the
 * operators directly behind this operator. The lists of `next` are read at the same time. Throws `too_much_memory` if
 * the rows of a batch are too many.
 */
export function unnest(
  input: readonly LazyBatch[],
  operator: Unnest,
  next: readonly Unnest[],
  context: RunContext,
): LazyBatch[] {
  const { list, name, isOuter } = operator
  const keyOf = extendKey(() => ['unnest', name, isOuter, expressionKey(list)])
  const meter = createMeter(context.memory)
  return eachFrame(
    input,
    keyOf,
    async (frame) =>
      (await withSingleElements(frame, operator, next, context)) ?? withElements(frame, operator, context, meter),
  )
}

/**
 * The rows if no list has any element but a single object. No row is copied then, and fields of the element are fields
 * of the record. Undefined if there is another list, or if the list is no field of a stored record.
 */
async function withSingleElements(
  frame: Frame,
  operator: Unnest,
  next: readonly Unnest[],
  context: RunContext,
): Promise<Frame | undefined> {
  const { list, name, isOuter } = operator
  const lists = singleElements([operator, ...next], frame.elements)
  const [first] = lists
  if (first === undefined || frame.loadFields === undefined) return undefined
  const { keys } = first
  const uses = lists.map(countOf)
  await frame.loadFields(uses, context.yieldIfDue)
  const counts = frame.field(uses[0])!
  const positions = new Uint32Array(frame.rows)
  let rows = 0
  for await (const { from, to } of blocksOf(frame, [counts], context.yieldIfDue)) {
    for (let position = from; position < to; position++) {
      const count = counts.at(position)
      if (count === 'other') return undefined
      if (count !== null || isOuter) positions[rows++] = position
    }
  }
  return withElement(keep(frame, positions.subarray(0, rows)), name, { keys, list })
}

/**
 * Returns the lists that are fields of the record, provided that each list has a single element. Stops at the first
 * list that is no field.
 */
function singleElements(unnests: readonly Unnest[], before: Elements): SingleElement[] {
  const elements = new Map(before)
  const found: SingleElement[] = []
  for (const { list, name } of unnests) {
    const keys = pathOfList(list, elements)
    if (keys === undefined) return found
    found.push({ keys, list })
    elements.set(name, { keys, list })
  }
  return found
}

const countOf = ({ keys }: SingleElement): FieldUse => ({ keys, isText: false, isCount: true })

/** Elements that take up to this much memory are kept. Elements of longer frames are read again when needed. */
const KEPT_BYTES = 16 * MIB
const KEPT_SHARE = 1 / 8
/** Position and place of a row that was made. */
const ROW_BYTES = 16

/** A row for each element. */
async function withElements(
  frame: Frame,
  { list, name, isOuter }: Unnest,
  context: RunContext,
  meter: (bytes: number) => void,
): Promise<Frame> {
  const keptBytes = Math.min(KEPT_BYTES, context.limits.bytes * KEPT_SHARE)
  // A field of the record is read once, not for each row that another list has made of the record.
  const evaluate = await prepare(frame, [list], context.yieldIfDue)
  const vector = evaluate(list)
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
      if (rows + found.length > positions.length) {
        positions = await grown(positions, rows, rows + found.length, context)
        places = await grown(places, rows, rows + found.length, context)
      }
      for (let place = 0; place < found.length; place++) {
        const element = found[place]
        positions[rows] = position
        places[rows++] = place
        if (kept === undefined) continue
        kept.push(element)
        bytes += bytesOfValue(element)
        if (bytes > keptBytes) {
          kept = undefined
          bytes = 0
        }
      }
      meter(bytes + rows * ROW_BYTES)
      // Each row of a block may have 100,000 elements.
      const pause = context.yieldIfDue()
      if (pause !== undefined) await pause
    }
  }
  context.onScan(Math.max(0, rows - frame.rows))
  const made = positions.subarray(0, rows)
  const elements = kept
  const column =
    elements === undefined
      ? elementVector(vector, (i) => elementsAt(positions[i])[places[i]] ?? null)
      : computed(
          (i) => elements[i],
          () => 0,
        )
  // The frame knows the bytes of each element in memory.
  const longestAt = elements && ((i: number) => bytesOfValue(elements[i]))
  return mappedFrame(frame, made, { columns: new Map([[name, column]]), longestAt })
}

/** Items that are copied between two looks at the clock: 1 MiB. */
const COPIED_ITEMS = MIB / Uint32Array.BYTES_PER_ELEMENT

/** Returns a copy of the first `used` items with room for `length`, at least twice the room. Yields. */
async function grown(
  array: Uint32Array<ArrayBuffer>,
  used: number,
  length: number,
  { yieldIfDue }: RunContext,
): Promise<Uint32Array<ArrayBuffer>> {
  const copy = new Uint32Array(Math.max(length, array.length * 2))
  for (let from = 0; from < used; from += COPIED_ITEMS) {
    copy.set(array.subarray(from, Math.min(used, from + COPIED_ITEMS)), from)
    const pause = yieldIfDue()
    if (pause !== undefined) await pause
  }
  return copy
}

const NULL_ELEMENT: readonly Scalar[] = [null]
