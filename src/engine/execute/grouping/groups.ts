import { Interner } from '../../../base/memory/interner.js'
import { KIB } from '../../../base/units.js'
import type { Expression } from '../../../plan/expression.js'
import type { Cell } from '../../../plan/functions/function.js'
import { tooManyGroups } from '../../engine.js'
import type { RunContext } from '../batches/lazy-batch.js'
import type { Key } from '../caches/partial-cache.js'
import { entryOf } from '../columns/dictionary.js'
import { readKeys } from '../columns/key-bytes.js'
import { cellFrame } from '../expressions/computed-frame.js'
import type { Frame } from '../expressions/frame.js'
import { type Bucket, remembered } from '../expressions/vector.js'
import {
  type Aggregation,
  bytesOfStates,
  copyStates,
  createStates,
  mergeStates,
  type States,
  shrinkStates,
} from './aggregate.js'
import type { GroupSink } from './sink.js'

/** Groups by key bytes, with the states of each group. The groups of a batch, or of all batches. */
export interface Groups {
  keys: Interner
  /** By code. */
  states: States[]
  /** Bytes that the states take, about. */
  bytes: number
  /** Bytes of other groups of the same query, which count towards the same limit. */
  otherBytes: number
  /** 1 for the code of a group that shares its states with other groups. Shared states are copied before a change. */
  shared: Uint8Array
}

/** The parts of a run that all batches share. */
export interface Grouping {
  sink: GroupSink
  /** See `groupExpressions`. */
  expressions: readonly Expression[]
  /** Returns the key of the groups of rows, given the key of the rows. */
  keyOf: (rows: Key) => Key
  aggregation: Aggregation
  context: RunContext
  /** Cuts stored rows by time. The bucket of a row is then a key of the row's group, before all other keys. */
  cut?: Bucket
  /** Counts the bytes of all groups of the run. */
  meter(bytes: number): void
}

/** Groups for which memory is allocated at first. */
const FIRST_GROUPS = 8
/** Approximate bytes of the objects and pointers of a group. */
export const GROUP_BYTES = 128
/** Groups that are merged without a look at the clock and the limits, if the groups add at most `UNCHECKED_BYTES`. */
const GROUPS_AT_ONCE = 16
const UNCHECKED_BYTES = 64 * KIB
/** Groups that take more than this share of their limit after shrinking would be shrunk over and over. */
const MAX_SHARE_AFTER_SHRINKING = 0.5

/** Returns an empty set of groups, which shares the memory limit of a query with `others`. */
export const createGroups = (others?: Groups): Groups => ({
  keys: new Interner(FIRST_GROUPS),
  states: [],
  bytes: 0,
  otherBytes: others === undefined ? 0 : bytesOf(others),
  shared: NONE_SHARED,
})

const NONE_SHARED = new Uint8Array(0)

/**
 * Returns a copy of groups, which perhaps shares the memory limit of a query with `others`. The originals stay
 * unchanged. The copy shares states until a state changes.
 */
export const copyOf = ({ keys, states, bytes }: Groups, others?: Groups): Groups => ({
  keys: keys.copy(),
  states: states.slice(),
  bytes,
  otherBytes: others === undefined ? 0 : bytesOf(others),
  shared: new Uint8Array(states.length).fill(1),
})

/** The states of the group with the keys in `bytes[start .. end)`. Adds the group if there is no such group. */
export function statesOf(
  groups: Groups,
  bytes: Uint8Array,
  start: number,
  end: number,
  aggregation: Aggregation,
): States {
  return statesOfCode(groups, groups.keys.intern(bytes, start, end), aggregation)
}

/** The states of a group, ready to be changed. Creates states if the key was just added. */
function statesOfCode(groups: Groups, code: number, aggregation: Aggregation): States {
  const { states, shared } = groups
  if (shared[code] === 1) {
    shared[code] = 0
    states[code] = copyStates(aggregation, states[code])
  }
  if (code < states.length) return states[code]
  const added = createStates(aggregation)
  states.push(added)
  groups.bytes += GROUP_BYTES + bytesOfStates(aggregation, added)
  return added
}

/** Merges groups into `total`. The merged groups stay unchanged. Throws `too_many_groups` beyond the limits. */
export async function merge(total: Groups, { keys, states }: Groups, grouping: Grouping): Promise<void> {
  const { aggregation, context } = grouping
  const { yieldIfDue } = context
  let uncheckedBytes = 0
  for (let code = 0; code < states.length; code++) {
    const into = statesOfCode(total, total.keys.internFrom(keys, code), aggregation)
    const before = bytesOfStates(aggregation, into)
    const rest = mergeStates(aggregation, into, states[code], yieldIfDue)
    if (rest !== undefined) await rest
    const addedBytes = bytesOfStates(aggregation, into) - before
    total.bytes += addedBytes
    uncheckedBytes += addedBytes
    if (code % GROUPS_AT_ONCE !== 0 && uncheckedBytes < UNCHECKED_BYTES) continue
    uncheckedBytes = 0
    if (isBeyond(total, grouping)) await shrink(total, grouping)
    const pause = yieldIfDue()
    if (pause !== undefined) await pause
  }
}

/** Bytes of the memory of groups, about. */
const bytesOf = ({ bytes, keys }: Groups) => bytes + keys.byteLength

/** Counts the bytes of groups. Returns whether the groups must be shrunk. */
export function isBeyond(groups: Groups, { context: { limits }, meter }: Grouping): boolean {
  const bytes = bytesOf(groups) + groups.otherBytes
  meter(bytes)
  return groups.states.length > limits.groups || bytes > limits.bytes
}

/** Shrinks groups that take too much memory. Throws `too_many_groups` if that is not enough. */
export async function shrink(groups: Groups, grouping: Grouping): Promise<void> {
  const { limits } = grouping.context
  if (groups.states.length > limits.groups) throw tooManyGroups(limits)
  const bytes = (await shrinkGroups(groups, grouping)) + groups.otherBytes
  if (bytes > limits.bytes * MAX_SHARE_AFTER_SHRINKING) throw tooManyGroups(limits)
}

/** Converts all states to their smallest form. Returns the bytes that the groups take then. */
export async function shrinkGroups(groups: Groups, { aggregation, context }: Grouping): Promise<number> {
  groups.bytes = 0
  for (const states of groups.states) {
    shrinkStates(aggregation, states)
    groups.bytes += GROUP_BYTES + bytesOfStates(aggregation, states)
    const pause = context.yieldIfDue()
    if (pause !== undefined) await pause
  }
  return bytesOf(groups)
}

/** The groups as rows: keys, then aggregates. Each value is computed on read. */
export const frameOfGroups = ({ keys, states }: Groups, sink: GroupSink, aggregation: Aggregation): Frame =>
  frameOfStates(states, (code) => entryOf(keys, code), sink, aggregation)

/** Groups as {@link frameOfGroups}, given the states and the key bytes of the group at each position. */
export function frameOfStates(
  states: readonly States[],
  keyBytesOf: (position: number) => Buffer,
  sink: GroupSink,
  { outputs }: Aggregation,
): Frame {
  const keysOf = remembered((position) => readKeys(keyBytesOf(position), sink.keys.length))
  const cells = new Map<string, Cell>()
  for (const [i, { name }] of sink.keys.entries()) cells.set(name, (position) => keysOf(position)[i])
  for (const { name, fold, finish } of outputs)
    cells.set(
      name,
      remembered((position) => finish(states[position][fold])),
    )
  return cellFrame(states.length, cells)
}
