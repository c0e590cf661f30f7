import type { Yielder } from '../../../base/time-slices.js'
import { expressionKey } from '../../../plan/expression-key.js'
import type { NamedAggregate, NamedExpression } from '../../../plan/plan.js'
import type { Scalar } from '../../../plan/values/values.js'
import { tooManyGroups } from '../../engine.js'
import { createInterner, type Dictionary, entryOf } from '../columns/dictionary.js'
import { KeyBytes, readKeys } from '../columns/key-bytes.js'
import { createEvaluate } from '../expressions/evaluate.js'
import { computedFrame, type Frame } from '../expressions/frame.js'
import type { Vector } from '../expressions/vector.js'
import {
  type Aggregation,
  bytesOfStates,
  createFolding,
  createStates,
  mergeStates,
  type States,
  shrinkStates,
  vectorsOf,
} from './aggregate.js'
import { type Block, blocksOf } from './blocks.js'
import { groupRows } from './group-rows.js'
import type { LazyBatch, QueryLimits, RunContext } from './lazy-batch.js'
import { cacheKey } from './partial-cache.js'
import { createLoad } from './stretch.js'

/** What rows are grouped by, and what is computed of each group. */
export interface GroupSink {
  op: 'group'
  keys: readonly NamedExpression[]
  aggregates: readonly NamedAggregate[]
}

/** Groups by their keys' bytes, with the states of each: what a batch gives, and what all batches give together. */
interface Groups {
  keys: ReturnType<typeof createInterner>
  /** By code; code 0, which stands for absent, is not used. */
  states: States[]
  /** Bytes that the states take, about. */
  bytes: number
}

/** The groups of a sealed part, to be kept and merged: the keys of each, and its states. */
interface Partial {
  keys: readonly Buffer[]
  states: readonly States[]
}

/** Objects and pointers of one group, about. */
const GROUP_BYTES = 128
/** Groups that take more than this share of their limit after shrinking would be shrunk over and over. */
const MAX_SHARE_AFTER_SHRINKING = 0.5
/** A partial is kept only if it takes at most this share of what a query may take. */
const MAX_PARTIAL_SHARE = 1 / 16

/**
 * Groups all rows and returns one batch with a row for each group. The groups of a sealed part that is read whole are
 * kept in the cache and merged by the next run. Throws `too_many_groups` beyond the limits.
 */
export function group(
  input: readonly LazyBatch[],
  sink: GroupSink,
  aggregation: Aggregation,
  context: RunContext,
): LazyBatch[] {
  return [
    {
      minUs: Number.NEGATIVE_INFINITY,
      maxUs: Number.POSITIVE_INFINITY,
      async read(use) {
        const total = createGroups()
        for (const batch of input) {
          await addBatch(total, batch, sink, aggregation, context)
          await context.yieldIfDue()
        }
        if (sink.keys.length === 0 && total.states.length === 0) statesOf(total, NO_KEYS, 0, aggregation)
        return use(await frameOf(total, sink, aggregation, context.yieldIfDue))
      },
    },
  ]
}

const NO_KEYS = new Uint8Array(0)
const createGroups = (): Groups => ({ keys: createInterner(), states: [], bytes: 0 })

async function addBatch(
  total: Groups,
  batch: LazyBatch,
  sink: GroupSink,
  aggregation: Aggregation,
  context: RunContext,
): Promise<void> {
  const { cached } = batch
  if (cached === undefined) {
    await batch.read((frame) => fold(total, frame, sink, aggregation, context))
    return
  }
  const key = cacheKey(cached.key, sinkKey(sink))
  const known = context.partialCache.get<Partial>(cached.part, key)
  if (known !== undefined) return merge(total, known, aggregation, context)
  const groups = createGroups()
  await batch.read((frame) => fold(groups, frame, sink, aggregation, context))
  const partial = partialOf(groups, aggregation)
  const bytes = groups.bytes + partial.keys.reduce((sum, { length }) => sum + length, 0)
  if (bytes <= context.limits.bytes * MAX_PARTIAL_SHARE) context.partialCache.put(cached.part, key, partial, bytes)
  await merge(total, partial, aggregation, context)
}

/** Identifies the keys and the aggregates, whose results a partial has in this order. */
function sinkKey({ keys, aggregates }: GroupSink): readonly string[] {
  const calls = aggregates.map(({ value: { fn, args } }) => `${fn}(${args.map(expressionKey).join(',')})`)
  return ['group', ...keys.map(({ value }) => expressionKey(value)), 'aggregate', ...calls]
}

/** Folds the rows of a frame into groups. */
async function fold(
  groups: Groups,
  frame: Frame,
  { keys }: GroupSink,
  aggregation: Aggregation,
  { yieldIfDue, limits }: RunContext,
): Promise<void> {
  const evaluate = createEvaluate(frame)
  const keyVectors = keys.map(({ value }) => evaluate(value))
  const vectors = vectorsOf(aggregation, evaluate)
  const read = [...keyVectors, ...vectors].filter((vector) => vector !== undefined)
  for await (const block of read.every(isFast) ? wholeOf(frame) : blocksOf(frame, read, yieldIfDue)) {
    const { rows, ends, addKeys } = groupRows(frame, keyVectors, block)
    const foldRows = createFolding(aggregation, vectors, createLoad(rows))
    const bytes = new KeyBytes()
    let from = 0
    for (let i = 0; i < ends.length; i++) {
      if (ends[i] === from) continue
      bytes.clear()
      addKeys(i, bytes)
      const states = statesOf(groups, bytes.bytes, bytes.length, aggregation)
      const before = bytesOfStates(aggregation, states)
      foldRows(from, ends[i]!, states)
      groups.bytes += bytesOfStates(aggregation, states) - before
      from = ends[i]!
      await keepWithin(groups, aggregation, yieldIfDue, limits)
      await yieldIfDue()
    }
  }
}

/** Whether a vector is read by a loop over its columns, which takes little time for a whole batch. */
const isFast = (vector: Vector) =>
  !vector.isCold &&
  (vector.isConstant ||
    vector.bucket !== undefined ||
    vector.counted !== undefined ||
    vector.entries?.bytesOf !== undefined ||
    vector.stored?.kind === 'number')

const wholeOf = ({ rows }: Frame): Block[] => (rows === 0 ? [] : [{ from: 0, to: rows }])

/** The states of the group with these keys; a new group if there is none. */
function statesOf(groups: Groups, keys: Uint8Array, length: number, aggregation: Aggregation): States {
  const index = groups.keys.intern(keys, 0, length) - 1
  if (index < groups.states.length) return groups.states[index]!
  const states = createStates(aggregation)
  groups.states.push(states)
  groups.bytes += GROUP_BYTES + bytesOfStates(aggregation, states)
  return states
}

function partialOf({ keys, states }: Groups, aggregation: Aggregation): Partial {
  for (const those of states) shrinkStates(aggregation, those)
  return { keys: states.map((_, i) => Buffer.from(entryOf(keys as Dictionary, i + 1))), states }
}

async function merge(
  total: Groups,
  { keys, states }: Partial,
  aggregation: Aggregation,
  { yieldIfDue, limits }: RunContext,
): Promise<void> {
  for (const [i, key] of keys.entries()) {
    const into = statesOf(total, key, key.length, aggregation)
    const before = bytesOfStates(aggregation, into)
    mergeStates(aggregation, into, states[i]!)
    total.bytes += bytesOfStates(aggregation, into) - before
    await keepWithin(total, aggregation, yieldIfDue, limits)
    await yieldIfDue()
  }
}

/** Shrinks the groups if they take too much memory. Throws `too_many_groups` if that is not enough. */
async function keepWithin(
  groups: Groups,
  aggregation: Aggregation,
  yieldIfDue: Yielder,
  limits: QueryLimits,
): Promise<void> {
  if (groups.states.length > limits.groups) throw tooManyGroups(limits)
  if (groups.bytes + groups.keys.byteLength <= limits.bytes) return
  groups.bytes = 0
  for (const states of groups.states) {
    shrinkStates(aggregation, states)
    groups.bytes += GROUP_BYTES + bytesOfStates(aggregation, states)
    await yieldIfDue()
  }
  if (groups.bytes + groups.keys.byteLength > limits.bytes * MAX_SHARE_AFTER_SHRINKING) throw tooManyGroups(limits)
}

/** The groups as rows: their keys, then their aggregates. */
async function frameOf(
  { keys, states }: Groups,
  sink: GroupSink,
  { outputs }: Aggregation,
  yieldIfDue: Yielder,
): Promise<Frame> {
  const names = [...sink.keys.map(({ name }) => name), ...outputs.map(({ name }) => name)]
  const columns: Scalar[][] = names.map(() => [])
  for (const [i, those] of states.entries()) {
    const values = readKeys(entryOf(keys as Dictionary, i + 1), sink.keys.length)
    for (const { fold, finish } of outputs) values.push(finish(those[fold]))
    for (const [column, value] of values.entries()) columns[column]!.push(value)
    await yieldIfDue()
  }
  return computedFrame(states.length, new Map(names.map((name, i) => [name, columns[i]!])))
}
