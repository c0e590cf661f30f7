import { randomUUID } from 'node:crypto'
import type { SourceName } from '../../../common/sources.js'
import type { TimeRange } from '../../../plan/plan.js'
import type { IngestBatch } from '../../engine.js'
import type { ExistingColumns } from '../schema/existing-columns.js'
import { quotedTable, type TableLocation } from '../schema/table-names.js'
import { type Server, ServerError } from '../server/clickhouse-server.js'
import { int64Value, quoteName, textValue } from '../server/values.js'
import { bytesOfBlock, type NativeBlock, timesOf, toNative } from './native.js'

/** Batches of a source that are sent together and confirmed together. */
export interface BatchGroup {
  source: SourceName
  /** When the group was started, in microseconds since the epoch. Unique among the groups of a process. */
  arrivedUs: number
  rows: number
  /** Bytes of the blocks. */
  bytes: number
  /** The blocks of the first attempt. Undefined if an earlier process may have made an attempt. */
  firstAttempt?: { batch: bigint; blocks: readonly NativeBlock[] }
  /**
   * Calls `visit` with the batches again, in order. Resolves to the number that names the batches. Undefined if
   * unreadable.
   */
  read(visit: (batch: IngestBatch) => void): Promise<bigint | undefined>
  /** Whether a row is sent at all, by its number in the group. By default every row is. */
  isSent?: ((row: number) => boolean) | undefined
  /** Called when the server has confirmed all rows: releases the batches. */
  confirmed(): Promise<void>
}

/** The timing of retries. */
export interface DeliveryTiming {
  /** Wait before the first retry, doubled each time. */
  firstWaitMs: number
  longestWaitMs: number
  /**
   * How long a shard may take to start an insert of a failed attempt. A retry looks for running inserts twice, this
   * time apart, before the retry trusts the list of stored rows.
   */
  settleMs: number
}

/** The timing of the service. Tests use shorter times. */
export const DELIVERY_TIMING: DeliveryTiming = { firstWaitMs: 200, longestWaitMs: 5_000, settleMs: 1_000 }

/** The server of a delivery, the wait between retries, and the observer of the attempts. */
export interface DeliveryContext {
  server: Server
  location: TableLocation
  columns: ExistingColumns
  /** Waits before a retry. Rejects if delivery is abandoned. */
  wait(ms: number): Promise<void>
  /** Called after each failed attempt with the error, and after the successful attempt with undefined. */
  onAttempt(group: BatchGroup, error: Error | undefined): void
  timing: DeliveryTiming
}

/**
 * Sends the rows of a group to the server exactly once, with any number of attempts. After a failed attempt, or if an
 * earlier process may have made an attempt, the delivery first makes sure that no insert is still running. Then only
 * the missing rows are sent. Each attempt sends only the columns that the table has then. Resolves after the server has
 * confirmed all rows and `group.confirmed` has resolved. Rejects if `wait` does.
 */
export async function deliver(group: BatchGroup, context: DeliveryContext): Promise<void> {
  const { wait, onAttempt, timing } = context
  for (let attempt = group.firstAttempt === undefined ? 1 : 0; ; attempt++) {
    try {
      await send(group, attempt === 0, context)
      break
    } catch (error) {
      context.columns.forget(group.source)
      onAttempt(group, error as Error)
    }
    await wait(Math.min(timing.longestWaitMs, timing.firstWaitMs * 2 ** attempt))
  }
  await group.confirmed()
  onAttempt(group, undefined)
}

async function send(group: BatchGroup, isFirst: boolean, context: DeliveryContext): Promise<void> {
  const { server, location } = context
  const { batch, blocks } = isFirst ? group.firstAttempt! : await missingBlocks(group, context)
  if (batch === undefined || blocks.length === 0) return
  const columns = await context.columns.of(group.source)
  const names = columns.map(({ name }) => name).join(', ')
  const sql = `INSERT INTO ${quotedTable(location, group.source)} (${names}) FORMAT Native`
  const bytes = blocks.map((block) => bytesOfBlock(block, columns))
  await server.insert(sql, bytes, `${queryPrefix(batch)}${randomUUID()}`)
}

/** The prefix of the query ids of all inserts of a group. */
const queryPrefix = (batch: bigint) => `logweir-${batch.toString(16).padStart(16, '0')}-`

/** Returns the blocks of the rows that are not on the server. */
async function missingBlocks(
  group: BatchGroup,
  context: DeliveryContext,
): Promise<{ batch?: bigint; blocks: NativeBlock[] }> {
  const times: TimeRange[] = []
  const batch = await group.read((read) => times.push(timesOf(read)))
  if (batch === undefined) return { blocks: [] }
  await assertNoneRunning(batch, context)
  const stored = await storedRows(group, batch, times, context)
  const { isSent = () => true } = group
  const isMissing = (row: number) => !stored.has(row) && isSent(row)
  const blocks: NativeBlock[] = []
  let firstRow = 0
  await group.read((read) => {
    const block = toNative(read, { arrivedUs: group.arrivedUs, batch, firstRow }, isMissing)
    if (block.rows > 0) blocks.push(block)
    firstRow += read.rows
  })
  return { batch, blocks }
}

/** Kills inserts of earlier attempts that still run on any shard, and then rejects: the next attempt checks again. */
async function assertNoneRunning(batch: bigint, { server, location, wait, timing }: DeliveryContext): Promise<void> {
  const pattern = textValue(`${queryPrefix(batch)}%`)
  const processes =
    location.cluster === undefined ? 'system.processes' : `cluster(${quoteName(location.cluster)}, system, processes)`
  const running = `SELECT count() FROM ${processes} WHERE initial_query_id LIKE ${pattern}`
  for (let check = 0; check < 2; check++) {
    if (check > 0) await wait(timing.settleMs)
    const [[count]] = (await server.select(running)) as [[string]]
    if (Number(count) === 0) continue
    await server.command(`KILL QUERY WHERE query_id LIKE ${pattern}`)
    throw new ServerError(new Error('an abandoned insert is still running; it is being killed'))
  }
}

/** Returns the row numbers of a group that are on the server. Reads only the days of the group's rows. */
async function storedRows(
  { source, arrivedUs }: BatchGroup,
  batch: bigint,
  times: readonly TimeRange[],
  { server, location }: DeliveryContext,
): Promise<Set<number>> {
  if (times.length === 0) return new Set()
  const where = [
    `timestamp >= ${int64Value(Math.min(...times.map(({ fromUs }) => fromUs)))}`,
    `timestamp <= ${int64Value(Math.max(...times.map(({ throughUs }) => throughUs)))}`,
    `batch = toUInt64(${batch})`,
    `arrived = ${int64Value(arrivedUs)}`,
  ]
  const rows = await server.select(`SELECT row FROM ${quotedTable(location, source)} WHERE ${where.join(' AND ')}`)
  return new Set(rows.map(([row]) => Number(row)))
}
