import type { Interner } from '../../../base/interner.js'
import { nullsLast } from '../../../base/nulls-last.js'
import type { Yielder } from '../../../base/time-slices.js'
import { type GroupingKey, groupingKey } from '../../columns.js'
import { type GroupingLimits, type Row, tooManyGroups, type Value } from '../../engine.js'
import type { GroupsShape } from '../../plan.js'
import type { Batch, TextColumn } from '../columns/batch.js'
import { ABSENT, createInterner, entryOf } from '../columns/dictionary.js'
import { type Selection, sizeOf } from '../columns/selection.js'
import {
  type Aggregation,
  bytesOfStates,
  createAggregation,
  createFolding,
  createStates,
  type States,
  shrinkStates,
} from '../operators/aggregate.js'
import { createRanking } from '../operators/ranking.js'
import { distinctCodes, sortByGroup } from '../operators/sort-by-group.js'
import { urlPath } from '../operators/url-path.js'
import { createSelect, type RunContext } from './select.js'

/** The groups of a run: their keys, with dense codes, and their states by code. */
interface Groups {
  keys: Interner
  states: (States | undefined)[]
  count: number
  /** Approximate memory of the states. */
  bytes: number
}

/** Approximate bytes of the objects and pointers of one group. */
const GROUP_BYTES = 128
/**
 * A run fails if shrunk groups still take more than this share of the limit: they would have to be shrunk
 * again soon.
 */
const MOST_AFTER_SHRINKING = 0.5

/**
 * Runs a plan of the groups shape: folds the rows of one part after another into their groups. Caches only
 * the selection of the predicates. Throws `too_many_groups` beyond the limits.
 */
export async function runGroups(shape: GroupsShape, context: RunContext, limits: GroupingLimits): Promise<Row[]> {
  const { parts, yieldIfDue } = context
  const key = groupingKey(shape.source, shape.by)
  const aggregation = createAggregation(shape.aggregates)
  const select = createSelect(shape, context)
  const groups: Groups = { keys: createInterner(), states: [], count: 0, bytes: 0 }
  for (const part of parts) {
    context.onOpen()
    await select(part, (batch, selection) => {
      context.onScan(sizeOf(selection))
      const column = batch.columns.get(key.column) as TextColumn
      return foldRows(groups, { batch, selection, column }, key, aggregation, { yieldIfDue, limits })
    })
    await yieldIfDue()
  }
  return orderedRows(groups, shape, aggregation, yieldIfDue)
}

interface Rows {
  batch: Batch
  selection: Selection
  column: TextColumn
}

interface RunControl {
  yieldIfDue: Yielder
  limits: GroupingLimits
}

async function foldRows(
  groups: Groups,
  { batch, selection, column }: Rows,
  key: GroupingKey,
  aggregation: Aggregation,
  control: RunControl,
): Promise<void> {
  const { codes, groupOf } = await groupsOf(groups, column, selection, key, aggregation, control)
  const sorted = sortByGroup(column, selection, groupOf, codes.length)
  const fold = createFolding(batch, sorted.selection, aggregation)
  let from = 0
  for (const [group, code] of codes.entries()) {
    const states = groups.states[code]!
    const before = bytesOfStates(aggregation, states)
    fold(from, sorted.ends[group]!, states)
    groups.bytes += bytesOfStates(aggregation, states) - before
    await enforceLimits(groups, aggregation, control)
    from = sorted.ends[group]!
    await control.yieldIfDue()
  }
}

/** Finds the groups of the selected rows. Returns their codes, and for each code of the column its index in these. */
async function groupsOf(
  groups: Groups,
  column: TextColumn,
  selection: Selection,
  key: GroupingKey,
  aggregation: Aggregation,
  control: RunControl,
): Promise<{ codes: number[]; groupOf: Uint32Array }> {
  const groupOf = new Uint32Array(column.dictionary.count)
  const found = new Map<number, number>()
  for (const columnCode of distinctCodes(column, selection)) {
    const code = internKey(groups.keys, column, columnCode, key)
    if (groups.states[code] === undefined) addGroup(groups, code, aggregation)
    const group = found.get(code) ?? found.size
    found.set(code, group)
    groupOf[columnCode] = group
    await enforceLimits(groups, aggregation, control)
    await control.yieldIfDue()
  }
  return { codes: [...found.keys()], groupOf }
}

/** Returns the code of the key for an entry of the column; adds the key if it is new. */
function internKey(
  keys: Interner,
  { dictionary }: TextColumn,
  code: number,
  { part, hasEmptyTexts }: GroupingKey,
): number {
  if (code === ABSENT) return ABSENT
  const entry = entryOf(dictionary, code)
  const text = part === 'path' ? urlPath(entry) : entry
  return text.length === 0 && !hasEmptyTexts ? ABSENT : keys.intern(text, 0, text.length)
}

function addGroup(groups: Groups, code: number, aggregation: Aggregation): void {
  const states = createStates(aggregation.folds)
  groups.states[code] = states
  groups.count += 1
  groups.bytes += GROUP_BYTES + bytesOfStates(aggregation, states)
}

/** Shrinks the groups if they exceed the memory limit. Throws `too_many_groups` if that is not enough. */
async function enforceLimits(
  groups: Groups,
  aggregation: Aggregation,
  { yieldIfDue, limits }: RunControl,
): Promise<void> {
  if (groups.count > limits.groups) throw tooManyGroups(limits)
  if (bytesOf(groups) <= limits.bytes) return
  await shrink(groups, aggregation, yieldIfDue)
  if (bytesOf(groups) > limits.bytes * MOST_AFTER_SHRINKING) throw tooManyGroups(limits)
}

const bytesOf = ({ bytes, keys }: Groups) => bytes + keys.byteLength

/** Converts all states to their smallest form, and updates the memory of the groups. */
async function shrink(groups: Groups, aggregation: Aggregation, yieldIfDue: Yielder): Promise<void> {
  groups.bytes = 0
  for (const states of groups.states) {
    if (states === undefined) continue
    shrinkStates(aggregation, states)
    groups.bytes += GROUP_BYTES + bytesOfStates(aggregation, states)
    await yieldIfDue()
  }
}

/** A group to be ordered: the code of its key, and the value that it is ordered by; null if ordered by key. */
interface Ranked {
  code: number
  value: Value
}

async function orderedRows(
  { keys, states }: Groups,
  { by, orderBy, direction, limit }: GroupsShape,
  { outputs }: Aggregation,
  yieldIfDue: Yielder,
): Promise<Row[]> {
  const ordering = outputs.find(({ name }) => name === orderBy)
  const ranking = createRanking(limit, orderOf(keys, direction, ordering !== undefined))
  for (const [code, of] of states.entries()) {
    if (of === undefined) continue
    ranking.offer({ code, value: ordering?.finish(of[ordering.fold]) ?? null })
    await yieldIfDue()
  }
  const rows: Row[] = []
  for (const { code } of ranking.first()) {
    const key = code === ABSENT ? null : entryOf(keys, code).toString()
    const values = outputs.map(({ name, fold, finish }) => [name, finish(states[code]![fold])] as const)
    rows.push(Object.fromEntries<Value>([[by, key], ...values]))
    await yieldIfDue()
  }
  return rows
}

/** Compares groups by value and then by key, ascending, or by key alone. Keys are compared by bytes; nulls are last. */
function orderOf(keys: Interner, direction: GroupsShape['direction'], byValue: boolean) {
  const sign = direction === 'asc' ? 1 : -1
  const compareKeys = (a: Ranked, b: Ranked, keySign: number) =>
    nullsLast(a.code === ABSENT, b.code === ABSENT) ??
    keySign * Buffer.compare(entryOf(keys, a.code), entryOf(keys, b.code))
  if (!byValue) return (a: Ranked, b: Ranked) => compareKeys(a, b, sign)
  return (a: Ranked, b: Ranked) =>
    (nullsLast(a.value === null, b.value === null) ?? sign * (Number(a.value) - Number(b.value))) ||
    compareKeys(a, b, 1)
}
