import { randomUUID } from 'node:crypto'
import type { SourceName } from '../../sources.js'
import type { IngestBatch } from '../engine.js'
import type { TimeRange } from '../plan.js'
import { timesOf, toNative } from './native.js'
import { type Server, ServerError } from './server.js'
import { type TableLocation, tableColumns, tableOf } from './table-names.js'
import { int64Value, quoteName, textValue } from './values.js'

/** Batches of a source that are sent together and confirmed together. */
export interface BatchGroup {
  source: SourceName
  /** When the first of them came, in microseconds since the epoch; no two groups of a process have the same. */
  arrivedUs: number
  rows: number
  bytes: number
  /** What the first try sends; undefined where an earlier process may have tried. */
  first?: { batch: bigint; blocks: readonly Uint8Array[] }
  /** Hands out the batches again, in their order; gives the number that names them, undefined where nothing can be read. */
  read(visit: (batch: IngestBatch) => void): Promise<bigint | undefined>
  /** Lets go of them: the server has confirmed all rows. */
  confirmed(): Promise<void>
}

export interface DeliveryTiming {
  /** Waits between two tries: the first, doubled each time, and the longest. */
  firstWaitMs: number
  longestWaitMs: number
  /**
   * How long a shard that was sent something by a try that failed may take to begin with it: it is looked for a second time
   * after that before what is there of a group is believed to be all.
   */
  settleMs: number
}

export const DELIVERY_TIMING: DeliveryTiming = { firstWaitMs: 200, longestWaitMs: 5_000, settleMs: 1_000 }

export interface DeliveryParts {
  server: Server
  location: TableLocation
  /** Waits, and rejects when delivery is given up. */
  wait(ms: number): Promise<void>
  /** Is told of each try that failed, and of the one that did not. */
  onAttempt(group: BatchGroup, error: Error | undefined): void
  timing: DeliveryTiming
}

/**
 * Brings the rows of a group to the server, each once, however many tries that takes: once a try has failed, or may have
 * been made by an earlier process, it is made sure that it has ended, and only what is not there is sent. Resolves when the
 * server has confirmed all rows and the group is told of it; rejects when `wait` does.
 */
export async function deliver(group: BatchGroup, parts: DeliveryParts): Promise<void> {
  const { wait, onAttempt, timing } = parts
  for (let attempt = group.first === undefined ? 1 : 0; ; attempt++) {
    try {
      await send(group, attempt === 0, parts)
      break
    } catch (error) {
      onAttempt(group, error as Error)
    }
    await wait(Math.min(timing.longestWaitMs, timing.firstWaitMs * 2 ** attempt))
  }
  await group.confirmed()
  onAttempt(group, undefined)
}

async function send(group: BatchGroup, isFirst: boolean, parts: DeliveryParts): Promise<void> {
  const { server, location } = parts
  const { batch, blocks } = isFirst ? group.first! : await readRest(group, parts)
  if (batch === undefined || blocks.length === 0) return
  const names = tableColumns(group.source).map(({ name }) => name)
  const sql = `INSERT INTO ${tableOf(location, group.source)} (${names.join(', ')}) FORMAT Native`
  await server.insert(sql, blocks, `${queryPrefix(batch)}${randomUUID()}`)
}

/** Begins the ids of all queries that send rows of these batches. */
const queryPrefix = (batch: bigint) => `logweir-${batch.toString(16).padStart(16, '0')}-`

/** The blocks of what is not yet on the server. */
async function readRest(group: BatchGroup, parts: DeliveryParts): Promise<{ batch?: bigint; blocks: Uint8Array[] }> {
  const times: TimeRange[] = []
  const batch = await group.read((read) => times.push(timesOf(read)))
  if (batch === undefined) return { blocks: [] }
  await assertNoneRunning(batch, parts)
  const there = await storedRows(group, batch, times, parts)
  const isMissing = (row: number) => !there.has(row)
  const blocks: Uint8Array[] = []
  let firstRow = 0
  await group.read((read) => {
    const { block, rows } = toNative(read, { arrivedUs: group.arrivedUs, batch, firstRow }, isMissing)
    if (rows > 0) blocks.push(block)
    firstRow += read.rows
  })
  return { batch, blocks }
}

/** Rejects while something of an earlier try runs on any shard, and ends it. */
async function assertNoneRunning(batch: bigint, { server, location, wait, timing }: DeliveryParts): Promise<void> {
  const pattern = textValue(`${queryPrefix(batch)}%`)
  const processes =
    location.cluster === undefined ? 'system.processes' : `cluster(${quoteName(location.cluster)}, system, processes)`
  const running = `SELECT count() FROM ${processes} WHERE initial_query_id LIKE ${pattern}`
  for (let look = 0; look < 2; look++) {
    if (look > 0) await wait(timing.settleMs)
    const [[count]] = (await server.select(running)) as [[string]]
    if (Number(count) === 0) continue
    await server.command(`KILL QUERY WHERE query_id LIKE ${pattern}`)
    throw new ServerError(new Error('an insert that was given up still runs; it is being ended'))
  }
}

/** The places of a group's rows that the server has. It looks at the days of these rows only. */
async function storedRows(
  { source, arrivedUs }: BatchGroup,
  batch: bigint,
  times: readonly TimeRange[],
  { server, location }: DeliveryParts,
): Promise<Set<number>> {
  if (times.length === 0) return new Set()
  const where = [
    `timestamp >= ${int64Value(Math.min(...times.map(({ fromUs }) => fromUs)))}`,
    `timestamp <= ${int64Value(Math.max(...times.map(({ throughUs }) => throughUs)))}`,
    `batch = toUInt64(${batch})`,
    `arrived = ${int64Value(arrivedUs)}`,
  ]
  const rows = await server.select(`SELECT row FROM ${tableOf(location, source)} WHERE ${where.join(' AND ')}`)
  return new Set(rows.map(([row]) => Number(row)))
}
