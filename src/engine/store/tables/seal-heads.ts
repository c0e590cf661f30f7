import type { SourceName } from '../../../common/sources.js'
import { ABSENT } from '../../execute/columns/dictionary.js'
import {
  bytesOfOpenBatch,
  type CategoryColumn,
  contentBytesOf,
  createOpenBatch,
  type OpenBatch,
} from '../../execute/open-batch/open-batch.js'
import type { HeadPersistence } from '../persistence/persistence.js'
import type { CancellationFlag } from '../sealing/cancellation.js'
import type { IdleWork } from '../sealing/sealer.js'
import { dayOf, segmentOfSealedRows } from '../segment/segment.js'
import type { SealingHead, SourceTable } from './source-table.js'
import { recycleHead, type StoreState, tableOf } from './state.js'

/**
 * The time in which heads are still taken from the queue after the store began to close. The last head that is taken
 * takes longer.
 */
const SEAL_WHILE_CLOSING_MS = 1_500

/** Which rows of a head's persistence are sealed: all, or a part, after which more rows of the persistence follow. */
type Extent = 'all' | 'part'

/**
 * Starts to seal the open head of a table, and opens the next head. The promise rejects if the head cannot be sealed or
 * written: the rows then stay visible in memory, and in the journal. The rejection is handled here, so callers may
 * ignore it. A slow head is sealed with high effort until another head waits.
 */
export function sealHead(state: StoreState, table: SourceTable, extent: Extent = 'all', isSlow = false): Promise<void> {
  const { effortPolicy, backlog } = state
  const cancellation = effortPolicy.startHead(isSlow, backlog.length > 0)
  const sealing: SealingHead = { head: table.head, persistence: table.persistence! }
  table.sealing.push(sealing)
  table.head = createOpenBatch(table.source)
  if (extent === 'all') table.persistence = undefined
  const sealed = sealAndWrite(state, table, sealing, extent, cancellation)
  const waiting = { bytes: bytesOfOpenBatch(sealing.head), done: sealed }
  backlog.push(waiting)
  const remove = () => void backlog.splice(backlog.indexOf(waiting), 1)
  sealed.then(remove, remove)
  return sealed
}

function sealAndWrite(
  state: StoreState,
  table: SourceTable,
  sealing: SealingHead,
  extent: Extent,
  cancellation: CancellationFlag | undefined,
): Promise<void> {
  const { head, persistence } = sealing
  const rows = state.sealing.run(async () => {
    if (isTooLate(state, persistence)) throw new Error('The store closes. The head stays in its journal.')
    return head.rows > 0 ? state.sealer.seal(head, cancellation) : []
  })
  return state.writing.run(async () => {
    const sealedRows = await rows
    for (const segment of await persistence.write(sealedRows.map(segmentOfSealedRows))) table.segments.push(segment)
    table.sealing.splice(table.sealing.indexOf(sealing), 1)
    head.isOpen = false
    state.onDrop([head])
    recycleHead(state, head)
    const isWhole = !table.sealing.some((other) => other.persistence === persistence)
    if (extent === 'all' && isWhole) await persistence.commit()
  })
}

/** A stop has little time, and many heads may wait. A journal that cannot be synced is no safe place for rows. */
function isTooLate({ clock, sealUntilMs }: StoreState, persistence: HeadPersistence): boolean {
  return clock.monotonicMs() >= sealUntilMs && !persistence.isFailing()
}

/**
 * Starts to seal the open head of a table with the effort that suits how fast the head has filled, see
 * {@link sealHead}.
 */
export function sealByRate(state: StoreState, table: SourceTable): Promise<void> {
  return sealHead(state, table, 'all', state.effortPolicy.isSlow(contentBytesOf(table.head), table.headSinceMs))
}

/**
 * Seals the open heads that have a row of a UTC day before `day`, in days since the epoch. Seals the heads in
 * succession, so that an append waits for one head at most. Resolves when each head is sealed or cannot be sealed.
 * Never rejects. Does nothing while an earlier call runs, and stops when the store closes.
 */
export async function sealOldHeads(state: StoreState, day: number): Promise<void> {
  if (state.isSealingOldHeads) return
  state.isSealingOldHeads = true
  for (const table of state.tables.values()) {
    const sealed: Promise<void>[] = []
    const sealIfOld = async () => {
      if (dayOf(table.head.minUs) < day && !state.isClosing) sealed.push(sealByRate(state, table))
    }
    if (dayOf(table.head.minUs) < day) await table.queue.run(sealIfOld)
    await Promise.allSettled(sealed)
  }
  state.isSealingOldHeads = false
}

/** Seals every head that has a row. Rejects with the first error. Waits for all heads that were being sealed before. */
export async function sealAll(state: StoreState): Promise<void> {
  const sealed: Promise<void>[] = []
  const start = async (table: SourceTable) => {
    if (table.head.rows > 0) sealed.push(sealHead(state, table))
  }
  await Promise.all([...state.tables.values()].map((table) => table.queue.run(() => start(table))))
  await Promise.all(sealed)
  await state.writing.settled()
}

/** See `Store.closeHead`. */
export function closeHead(state: StoreState, source: SourceName, project: string): Promise<number> {
  const table = tableOf(state, source)
  return table.queue.run(async () => {
    if (hasProject(table.head, project)) void sealHead(state, table)
    // An open head gets the next rows.
    return table.persistence === undefined ? state.persistence.lastHead(source) : table.persistence.number - 1
  })
}

function hasProject({ rows, columns }: OpenBatch, project: string): boolean {
  if (rows === 0) return false
  const { interner } = columns.get('project') as CategoryColumn
  const bytes = Buffer.from(project)
  return interner.find(bytes, 0, bytes.length) > ABSENT
}

/** Whether a source has heads up to a number that are not sealed yet. */
export function hasHead({ tables }: StoreState, source: SourceName, lastHead: number): boolean {
  const table = tables.get(source)
  if (table === undefined) return false
  const isOpen = table.head.rows > 0 && table.persistence!.number <= lastHead
  return isOpen || table.sealing.some(({ persistence }) => persistence.number <= lastHead)
}

/** Starts to seal the heads that may lose rows in a power cut, since their journal cannot be synced. */
export function sealFailing(state: StoreState): void {
  for (const table of state.tables.values()) {
    if (!table.persistence?.isFailing()) continue
    void table.queue.run(async () => {
      if (table.head.rows > 0 && table.persistence?.isFailing()) void sealHead(state, table)
    })
  }
}

/** Runs work on the sealer, unless a head is being sealed or rows arrived fast a moment ago. */
export async function whenIdle({ backlog, effortPolicy, sealing, sealer }: StoreState, work: IdleWork): Promise<void> {
  const cancellation = backlog.length > 0 ? undefined : effortPolicy.startCompaction()
  if (cancellation !== undefined) await sealing.run(() => work(sealer, cancellation))
}

/** Resolves when all appends that were called are done and no head is being sealed. */
export async function settled({ tables, writing }: StoreState): Promise<void> {
  await Promise.all([...tables.values()].map(({ queue }) => queue.settled()))
  await writing.settled()
}

/**
 * Marks the store as closing. Heads that wait for the sealer are sealed for a while, and then stay in their journals.
 */
export function beginClosing(state: StoreState): void {
  if (state.isClosing) return
  state.isClosing = true
  state.sealUntilMs = state.clock.monotonicMs() + SEAL_WHILE_CLOSING_MS
}

/** Cancels high effort, waits until nothing is being sealed, and closes the sealer. */
export async function closeSealing(state: StoreState): Promise<void> {
  beginClosing(state)
  state.effortPolicy.close()
  await settled(state)
  await state.sealing.settled()
  await state.sealer.close()
}
