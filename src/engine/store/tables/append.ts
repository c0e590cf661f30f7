import type { SourceName } from '../../../common/sources.js'
import type { IngestBatch } from '../../engine.js'
import { decodeBatch } from '../../execute/open-batch/append-batch.js'
import { contentBytesOf, type OpenBatch } from '../../execute/open-batch/open-batch.js'
import type { HeadPersistence, Replay } from '../persistence/persistence.js'
import { sealByRate, sealHead } from './seal-heads.js'
import type { SourceTable } from './source-table.js'
import { type StoreState, tableOf } from './state.js'

/**
 * Persists a batch, makes the batch visible, and starts to seal the batch's head if that head is full. Batches of a
 * source are stored in the order of the calls. Resolves when there is room for more.
 */
export async function append(state: StoreState, batch: IngestBatch): Promise<void> {
  const table = tableOf(state, batch.source)
  await table.queue.run(() => persistAndShow(state, table, batch))
  const full = roomInBacklog(state, 1)
  if (full !== undefined) await full.catch((error) => refuseUnlessClosing(state, error))
}

/**
 * Stores a batch although an earlier head cannot be sealed. The sender is refused, so that no more rows come, unless no
 * more rows will come anyway.
 */
function refuseUnlessClosing({ isClosing }: StoreState, error: Error): void {
  if (!isClosing) throw error
}

/** Resolves when all heads that are being sealed or wait for the sealer are within their limit of memory. */
export const roomForHeads = async (state: StoreState): Promise<void> => roomInBacklog(state, 0)?.catch(() => {})

/**
 * Backpressure: returns a promise that resolves when the heads of the backlog, apart from the newest `free` heads, are
 * within the limit of the backlog. Undefined if already within the limit.
 */
function roomInBacklog({ backlog, backlogBytes }: StoreState, free: number): Promise<void> | undefined {
  let bytes = 0
  for (let i = backlog.length - 1 - free; i >= 0; i--) {
    bytes += backlog[i].bytes
    if (bytes > backlogBytes) return backlog[i].done
  }
  return undefined
}

async function persistAndShow(state: StoreState, table: SourceTable, batch: IngestBatch): Promise<void> {
  const appendTo = decodeBatch(batch, state.holdsBatches)
  table.persistence ??= state.persistence.openHead(table.source)
  await table.persistence.append(batch)
  const head = openHead(state, table)
  const firstRow = head.rows
  const isHeld = appendTo(head)
  table.revision++
  state.onAppend(head, firstRow)
  if (!isHeld) batch.release?.()
  if (isFull(state, head)) void sealByRate(state, table)
}

/** Returns the head for the next rows. An empty head moves to memory of the pool, if there is some. */
function openHead({ headPool, clock }: StoreState, table: SourceTable): OpenBatch {
  if (table.head.rows === 0) {
    table.head = headPool.take(table.source) ?? table.head
    table.headSinceMs = clock.monotonicMs()
  }
  return table.head
}

function isFull({ sealRows, sealBytes }: StoreState, head: OpenBatch): boolean {
  return head.rows >= sealRows || contentBytesOf(head) >= sealBytes
}

/**
 * Makes the head of an earlier process the open head of its source. The previous open head is sealed. A head that is
 * longer than the limits is sealed in parts during the read.
 */
export function reopen(
  state: StoreState,
  source: SourceName,
  persistence: HeadPersistence,
  replay: Replay,
): Promise<void> {
  const table = tableOf(state, source)
  // The head must not be sealed for its age before the whole head is read.
  return table.queue.run(() => replayHead(state, table, persistence, replay))
}

async function replayHead(
  state: StoreState,
  table: SourceTable,
  persistence: HeadPersistence,
  replay: Replay,
): Promise<void> {
  if (table.head.rows > 0) void sealHead(state, table)
  table.persistence = persistence
  let isLong = false
  const end = await replay((batch) => {
    decodeBatch(batch)(openHead(state, table))
    if (!isFull(state, table.head)) return
    isLong = true
    void sealHead(state, table, 'part')
  })
  // A head that is only read keeps the number.
  if (end === 'none' && table.head.rows > 0) return
  if (end === 'none') table.persistence = undefined
  else if (isLong || (end === 'full' && table.head.rows > 0)) void sealHead(state, table)
  else if (end === 'full') table.persistence = undefined
}
