import type { SerialQueue } from '../../../base/scheduling/serial-queue.js'
import { createYielder } from '../../../base/scheduling/time-slices.js'
import { conjunctsOf, type Expression } from '../../../plan/expression.js'
import { rowAt, type Selection } from '../../execute/columns/selection.js'
import { storedFrame } from '../../execute/expressions/stored-frame.js'
import type { FieldCache } from '../../execute/fields/field-cache.js'
import { createFieldReader } from '../../execute/fields/read-fields.js'
import type { OpenBatch } from '../../execute/open-batch/open-batch.js'
import { partOfOpenBatch } from '../../execute/open-batch/snapshot.js'
import { keepPassing } from '../../execute/operators/filter.js'
import { columnsReadBy } from '../../execute/stages/read-columns.js'
import { kindsOf } from '../../execute/stages/source-kinds.js'

/** Rows of a head that were appended and are not filtered yet. */
interface Range {
  head: OpenBatch
  from: number
  to: number
  release(): void
}

/** Waits until all rows queued before are delivered. */
interface Marker {
  resolve(): void
}

/** The resources that the filters of all subscriptions share. */
export interface FilterContext {
  /** Filters for a single subscription at a time, so that all filters together take no more time than a query. */
  queue: SerialQueue
  fieldCache: FieldCache
  /** Keeps the memory of a head until the returned function is called. */
  hold(head: OpenBatch): () => void
}

/** A subscription with a condition on the rows. */
export interface FilteredSubscription {
  where: Expression
  /** Returns the rows of the project in [from, to) of a head. */
  select(head: OpenBatch, from: number, to: number): Selection
  /** Called with rows that pass, ascending. `hasGap` if earlier rows were not filtered. */
  deliver(head: OpenBatch, rows: readonly number[], hasGap: boolean): void
}

/** Filters the rows of a subscription, later than the append. */
export interface RowFilter {
  /** Adds the rows of a head from `firstRow` on. */
  add(head: OpenBatch, firstRow: number): void
  /** Resolves when the rows added so far are delivered. */
  settled(): Promise<void>
  stop(): void
}

/** The most rows to filter before another subscription has a turn. */
const TURN_ROWS = 4_096

interface State extends FilteredSubscription {
  context: FilterContext
  conditions: readonly Expression[]
  /** In order of arrival. */
  waiting: (Range | Marker)[]
  /** Whether rows were skipped since the last that were delivered. */
  hasGap: boolean
  isScheduled: boolean
}

/**
 * Filters appended rows in order of arrival, while later rows are appended: ingest does not wait. Waiting rows are in
 * the open head or the head before. If a filter falls further behind, older rows are skipped. Rows in which a condition
 * fails are skipped too.
 */
export function createRowFilter(subscription: FilteredSubscription, context: FilterContext): RowFilter {
  const conditions = conjunctsOf(subscription.where)
  const state: State = { ...subscription, context, conditions, waiting: [], hasGap: false, isScheduled: false }
  return {
    add: (head, firstRow) => add(state, head, firstRow),
    settled: () =>
      new Promise((resolve) => {
        state.waiting.push({ resolve })
        schedule(state)
      }),
    stop() {
      for (const one of state.waiting.splice(0)) {
        if (isRange(one)) one.release()
        else one.resolve()
      }
    },
  }
}

const isRange = (one: Range | Marker): one is Range => 'head' in one

function add(state: State, head: OpenBatch, firstRow: number): void {
  const { waiting, context } = state
  const last = waiting.at(-1)
  if (last !== undefined && isRange(last) && last.head === head) last.to = head.rows
  else {
    if (!waiting.some((one) => isRange(one) && one.head === head)) skipOld(state)
    state.waiting.push({ head, from: firstRow, to: head.rows, release: context.hold(head) })
  }
  schedule(state)
}

/** Skips the waiting rows, except the rows of the newest head. */
function skipOld(state: State): void {
  const newest = state.waiting.findLast(isRange)?.head
  state.waiting = state.waiting.filter((one) => {
    if (!isRange(one) || one.head === newest) return true
    state.hasGap = true
    one.release()
    return false
  })
}

/** Queues a turn of a filter, unless a turn is queued or no row waits. */
function schedule(state: State): void {
  if (state.isScheduled || state.waiting.length === 0) return
  state.isScheduled = true
  const done = () => {
    state.isScheduled = false
    schedule(state)
  }
  void state.context.queue.run(() => takeTurn(state)).then(done)
}

async function takeTurn(state: State): Promise<void> {
  const [first] = state.waiting
  if (first === undefined) return
  if (!isRange(first)) {
    state.waiting.shift()
    first.resolve()
    return
  }
  const { head, from } = first
  const to = Math.min(first.to, from + TURN_ROWS)
  const release = state.context.hold(head)
  first.from = to
  if (to === first.to) {
    state.waiting.shift()
    first.release()
  }
  await filterRows(state, head, from, to).finally(release)
}

async function filterRows(state: State, head: OpenBatch, from: number, to: number): Promise<void> {
  try {
    const rows = await passing(head, state.select(head, from, to), state.conditions, state.context)
    if (rows.length === 0) return
    state.deliver(head, rows, state.hasGap)
    state.hasGap = false
  } catch {
    state.hasGap = true
  }
}

/** Returns the rows of a selection for which every condition is true. */
async function passing(
  head: OpenBatch,
  selection: Selection,
  conditions: readonly Expression[],
  { fieldCache }: FilterContext,
): Promise<number[]> {
  const yieldIfDue = createYielder()
  const kinds = kindsOf(head.source)
  const steps = conditions.map((where) => ({ op: 'filter' as const, where }))
  const part = partOfOpenBatch(head)
  const batch = await part.open(yieldIfDue, columnsReadBy({ steps, sink: NO_COLUMNS }, head.source))
  const fields = createFieldReader(batch, part.owner, fieldCache)
  const kept = await keepPassing(storedFrame(batch, selection, kinds, fields), conditions, yieldIfDue)
  const { selection: rows } = kept.stored!
  return Array.from({ length: kept.rows }, (_, position) => rowAt(rows, position))
}

const NO_COLUMNS = { op: 'group', keys: [], aggregates: [] } as const
