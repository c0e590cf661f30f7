import { Interner } from '../../../base/interner.js'
import type { Expression } from '../../../plan/expression.js'
import { expressionKey } from '../../../plan/expression-key.js'
import type { Cell } from '../../../plan/functions/function.js'
import type { NamedAggregate, NamedExpression } from '../../../plan/plan.js'
import { tooManyGroups } from '../../engine.js'
import { entryOf } from '../columns/dictionary.js'
import { KeyBytes, readKeys } from '../columns/key-bytes.js'
import { createEvaluate } from '../expressions/evaluate.js'
import { cellFrame, type Frame } from '../expressions/frame.js'
import { fieldsIn } from '../expressions/loaded-fields.js'
import { remembered, type Vector } from '../expressions/vector.js'
import {
  type Aggregation,
  bytesOfStates,
  createFolding,
  createStates,
  isQuick,
  mergeStates,
  type States,
  shrinkStates,
  vectorsOf,
} from './aggregate.js'
import { type Block, blocksOf } from './blocks.js'
import { groupRows } from './group-rows.js'
import type { LazyBatch, QueryLimits, RunContext } from './lazy-batch.js'
import { extendKey, type Key } from './partial-cache.js'
import { createLoad } from './stretch.js'

/** The keys of groups, and the aggregates that are computed of each group. */
export interface GroupSink {
  op: 'group'
  keys: readonly NamedExpression[]
  aggregates: readonly NamedAggregate[]
}

/** Groups by their keys' bytes, with the states of each: those of a batch, or those of all batches. */
interface Groups {
  keys: Interner
  /** By code. */
  states: States[]
  /** Bytes that the states take, about. */
  bytes: number
}

/** Groups for which memory is allocated at first. */
const FIRST_GROUPS = 8
/** Objects and pointers of one group, about. */
const GROUP_BYTES = 128
/** Groups that take more than this share of their limit after shrinking would be shrunk over and over. */
const MAX_SHARE_AFTER_SHRINKING = 0.5
/** Keys of rows that take little time to combine. */
const MAX_WHOLE_KEYS = 2 ** 17
/** Groups of a part are kept only if they take at most this share of what a query may take. */
const MAX_KEPT_SHARE = 1 / 16
/** With more groups for each row, merging the groups of a part costs as much as grouping its rows again. */
const MAX_KEPT_GROUPS_A_ROW = 1 / 4
/** Groups of a part that are kept whatever its rows. */
const ALWAYS_KEPT_GROUPS = 64
/** Rows of a group that take longer than a look at the clock. */
const LONG_GROUP = 256
/** Groups that are folded without a look at the clock, if none has many rows and no key is evaluated. */
const GROUPS_AT_ONCE = 16

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
  const keyOf = extendKey(() => sinkKey(sink))
  return [
    {
      minUs: Number.NEGATIVE_INFINITY,
      maxUs: Number.POSITIVE_INFINITY,
      async read(use) {
        const total = createGroups()
        const keeping = { isWorthwhile: true }
        for (const batch of input) {
          await addBatch(total, batch, keyOf, keeping, { sink, aggregation, context })
          await context.yieldIfDue()
        }
        if (sink.keys.length === 0 && total.states.length === 0) statesOf(total, NO_KEYS, 0, 0, aggregation)
        return use(frameOf(total, sink, aggregation))
      },
    },
  ]
}

/** The parts of a run that all of its batches share. */
interface Grouping {
  sink: GroupSink
  aggregation: Aggregation
  context: RunContext
}

const NO_KEYS = new Uint8Array(0)
const createGroups = (): Groups => ({ keys: new Interner(FIRST_GROUPS), states: [], bytes: 0 })

/** Whether the groups of the parts of a run are kept: not if there are almost as many as rows. */
interface Keeping {
  isWorthwhile: boolean
}

async function addBatch(
  total: Groups,
  batch: LazyBatch,
  keyOf: (before: Key) => Key,
  keeping: Keeping,
  grouping: Grouping,
): Promise<void> {
  const { cached } = batch
  if (cached === undefined) return batch.read((frame) => fold(total, frame, grouping))
  const { partialCache, limits } = grouping.context
  const { hash } = keyOf(cached.key)
  const known = partialCache.get<Groups>(cached.part, hash)
  if (known !== undefined) return merge(total, known, grouping)
  if (!keeping.isWorthwhile) return batch.read((frame) => fold(total, frame, grouping))
  const groups = createGroups()
  await batch.read(async (frame) => {
    await fold(groups, frame, grouping)
    keeping.isWorthwhile = groups.states.length <= Math.max(ALWAYS_KEPT_GROUPS, frame.rows * MAX_KEPT_GROUPS_A_ROW)
  })
  const bytes = await shrinkGroups(groups, grouping)
  if (bytes <= limits.bytes * MAX_KEPT_SHARE) partialCache.put(cached.part, hash, groups, bytes)
  return merge(total, groups, grouping)
}

/** Identifies the keys and the aggregates, whose results the groups of a part have in this order. */
function sinkKey({ keys, aggregates }: GroupSink): readonly string[] {
  const calls = aggregates.map(({ value: { fn, args } }) => `${fn}(${args.map(expressionKey).join(',')})`)
  return ['group', ...keys.map(({ value }) => expressionKey(value)), 'aggregate', ...calls]
}

/** Folds the rows of a frame into groups. */
async function fold(groups: Groups, frame: Frame, grouping: Grouping): Promise<void> {
  if (frame.rows === 0) return
  const { sink, aggregation, context } = grouping
  const { yieldIfDue, limits } = context
  await frame.loadFields?.(fieldsIn(groupExpressions(sink), frame.elements), yieldIfDue)
  const evaluate = createEvaluate(frame)
  const keyVectors = sink.keys.map(({ value }) => evaluate(value))
  const vectors = vectorsOf(aggregation, evaluate)
  const groupsAtOnce = keyVectors.some(isEvaluated) ? 1 : GROUPS_AT_ONCE
  const foldBlock = async (block: Block) => {
    const { rows, ends, addKeys } = groupRows(frame, keyVectors, block)
    const foldRows = createFolding(aggregation, vectors, createLoad(rows))
    let from = 0
    for (let i = 0; i < ends.length; i++) {
      const end = ends[i]!
      if (end === from) continue
      keyBytes.clear()
      addKeys(i, keyBytes)
      const states = statesOf(groups, keyBytes.bytes, 0, keyBytes.length, aggregation)
      const before = bytesOfStates(aggregation, states)
      foldRows(from, end, states)
      groups.bytes += bytesOfStates(aggregation, states) - before
      const isLong = end - from > LONG_GROUP
      from = end
      if (i % groupsAtOnce !== 0 && !isLong) continue
      if (isBeyond(groups, limits)) await shrink(groups, grouping)
      const pause = yieldIfDue()
      if (pause !== undefined) await pause
    }
    if (isBeyond(groups, limits)) await shrink(groups, grouping)
  }
  const isShort = keyVectors.length <= 1 || frame.rows * keyVectors.length <= MAX_WHOLE_KEYS
  const isWhole = isShort && keyVectors.every(isFast) && isQuick(aggregation, vectors)
  if (isWhole) return foldBlock({ from: 0, to: frame.rows })
  const read = [...keyVectors, ...vectors].filter((vector) => vector !== undefined)
  for await (const block of blocksOf(frame, read, yieldIfDue)) await foldBlock(block)
}

/** Returns the expressions that a group evaluates in its input: keys, and arguments of aggregates. */
export const groupExpressions = ({ keys, aggregates }: GroupSink): Expression[] => [
  ...keys.map(({ value }) => value),
  ...aggregates.flatMap(({ value }) => value.args),
]

/** The keys of one group on their way to its states. */
const keyBytes = new KeyBytes()

/** Whether a key is read by a loop over its column, which takes little time for a whole batch. */
const isFast = (vector: Vector) =>
  !vector.isCold &&
  (vector.isConstant || vector.bucket !== undefined || vector.entries !== undefined || vector.stored?.kind === 'number')

/** Whether the values of a key are evaluated when groups are folded, which may take long. */
const isEvaluated = ({ entries, stored }: Vector) =>
  entries !== undefined && entries.addKey === undefined && stored === undefined

/** The states of the group with the keys in `bytes[start .. end)`; a new group if there is none. */
function statesOf(groups: Groups, bytes: Uint8Array, start: number, end: number, aggregation: Aggregation): States {
  const code = groups.keys.intern(bytes, start, end)
  if (code < groups.states.length) return groups.states[code]!
  const states = createStates(aggregation)
  groups.states.push(states)
  groups.bytes += GROUP_BYTES + bytesOfStates(aggregation, states)
  return states
}

async function merge(total: Groups, { keys, states }: Groups, grouping: Grouping): Promise<void> {
  const { aggregation, context } = grouping
  const { yieldIfDue, limits } = context
  for (let code = 0; code < states.length; code++) {
    const into = statesOf(total, keys.bytes, keys.offsets[code]!, keys.offsets[code + 1]! - 1, aggregation)
    const before = bytesOfStates(aggregation, into)
    const rest = mergeStates(aggregation, into, states[code]!, yieldIfDue)
    if (rest !== undefined) await rest
    total.bytes += bytesOfStates(aggregation, into) - before
    if (isBeyond(total, limits)) await shrink(total, grouping)
    const pause = yieldIfDue()
    if (pause !== undefined) await pause
  }
}

function isBeyond({ states, bytes, keys }: Groups, limits: QueryLimits): boolean {
  return states.length > limits.groups || bytes + keys.byteLength > limits.bytes
}

/** Shrinks groups that take too much memory. Throws `too_many_groups` if that is not enough. */
async function shrink(groups: Groups, grouping: Grouping): Promise<void> {
  const { limits } = grouping.context
  if (groups.states.length > limits.groups) throw tooManyGroups(limits)
  const bytes = await shrinkGroups(groups, grouping)
  if (bytes > limits.bytes * MAX_SHARE_AFTER_SHRINKING) throw tooManyGroups(limits)
}

/** Converts all states to their smallest form. Returns the bytes that the groups take then. */
async function shrinkGroups(groups: Groups, { aggregation, context }: Grouping): Promise<number> {
  groups.bytes = 0
  for (const states of groups.states) {
    shrinkStates(aggregation, states)
    groups.bytes += GROUP_BYTES + bytesOfStates(aggregation, states)
    const pause = context.yieldIfDue()
    if (pause !== undefined) await pause
  }
  return groups.bytes + groups.keys.byteLength
}

/** The groups as rows: their keys, then their aggregates, each computed when it is read. */
function frameOf({ keys, states }: Groups, sink: GroupSink, { outputs }: Aggregation): Frame {
  const keysOf = remembered((code) => readKeys(entryOf(keys, code), sink.keys.length))
  const cells = new Map<string, Cell>()
  for (const [i, { name }] of sink.keys.entries()) cells.set(name, (code) => keysOf(code)[i]!)
  for (const { name, fold, finish } of outputs)
    cells.set(
      name,
      remembered((code) => finish(states[code]![fold])),
    )
  return cellFrame(states.length, cells)
}
