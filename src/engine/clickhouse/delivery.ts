import { randomUUID } from 'node:crypto'
import type { Files } from '../disk/files.js'
import type { Damage } from '../disk/journal/recover.js'
import { batchOf, type Group } from './groups.js'
import { columnsOf, type Layout, tableOf } from './layout.js'
import { toNative } from './native.js'
import { type Server, ServerError } from './server.js'
import { readUnconfirmed, removeUnconfirmed } from './unconfirmed.js'
import { quoteName, textValue } from './values.js'

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
  layout: Layout
  files: Files
  /** Waits, and rejects when delivery is given up. */
  wait(ms: number): Promise<void>
  /** Is told of each try that failed, and of the one that did not. */
  tried(group: Group, error: Error | undefined): void
  damage(stretch: Damage): void
  timing: DeliveryTiming
}

/**
 * Brings the rows of a group to the server, each once, however many tries that takes: once a try has failed, or may have
 * been made by an earlier process, it is made sure that it has ended, and only what is not there is sent. Resolves when the
 * server has confirmed all rows and the group's file is gone; rejects when `wait` does.
 */
export async function deliver(group: Group, parts: DeliveryParts): Promise<void> {
  const { wait, tried, files, timing } = parts
  for (let attempt = group.first === undefined ? 1 : 0; ; attempt++) {
    try {
      await send(group, attempt === 0, parts)
      break
    } catch (error) {
      tried(group, error as Error)
    }
    await wait(Math.min(timing.longestWaitMs, timing.firstWaitMs * 2 ** attempt))
  }
  await group.first?.journal.close()
  await removeUnconfirmed(files, group)
  tried(group, undefined)
}

async function send(group: Group, isFirst: boolean, parts: DeliveryParts): Promise<void> {
  const { server, layout } = parts
  const { batch, blocks } = isFirst ? group.first! : await readRest(group, parts)
  if (batch === undefined || blocks.length === 0) return
  const names = columnsOf(group.source).map(({ name }) => name)
  const sql = `INSERT INTO ${tableOf(layout, group.source)} (${names.join(', ')}) FORMAT Native`
  await server.insert(sql, blocks, `${queryPrefix(batch)}${randomUUID()}`)
}

/** Begins the ids of all queries that send rows of these batches. */
const queryPrefix = (batch: bigint) => `logweir-${batch.toString(16).padStart(16, '0')}-`

/** The blocks of what is not yet on the server. */
async function readRest(group: Group, parts: DeliveryParts): Promise<{ batch?: bigint; blocks: Uint8Array[] }> {
  const { files, damage } = parts
  let batch = group.first?.batch
  if (batch === undefined) {
    const marker = await readUnconfirmed(files, group, { batch() {}, damage })
    if (marker === undefined) return { blocks: [] }
    batch = batchOf(marker)
  }
  await makeSureOfEnd(batch, parts)
  const there = await rowsThere(group, batch, parts)
  const blocks: Uint8Array[] = []
  let firstRow = 0
  await readUnconfirmed(files, group, {
    batch(read) {
      const { block, rows } = toNative(
        read,
        { arrivedUs: group.arrivedUs, batch: batch!, firstRow },
        (row) => !there.has(row),
      )
      if (rows > 0) blocks.push(block)
      firstRow += read.rows
    },
    damage() {},
  })
  return { batch, blocks }
}

/** Rejects while something of an earlier try runs on any shard, and ends it. */
async function makeSureOfEnd(batch: bigint, { server, layout, wait, timing }: DeliveryParts): Promise<void> {
  const pattern = textValue(`${queryPrefix(batch)}%`)
  const processes =
    layout.cluster === undefined ? 'system.processes' : `cluster(${quoteName(layout.cluster)}, system, processes)`
  const running = `SELECT count() FROM ${processes} WHERE initial_query_id LIKE ${pattern}`
  for (let look = 0; look < 2; look++) {
    if (look > 0) await wait(timing.settleMs)
    const [[count]] = (await server.select(running)) as [[string]]
    if (Number(count) === 0) continue
    await server.command(`KILL QUERY WHERE query_id LIKE ${pattern}`)
    throw new ServerError(new Error('an insert that was given up still runs; it is being ended'))
  }
}

/** The places of a group's rows that the server has. */
async function rowsThere(
  { source, arrivedUs }: Group,
  batch: bigint,
  { server, layout }: DeliveryParts,
): Promise<Set<number>> {
  const where = `batch = toUInt64(${batch}) AND arrived = ${arrivedUs}`
  const rows = await server.select(`SELECT row FROM ${tableOf(layout, source)} WHERE ${where}`)
  return new Set(rows.map(([row]) => Number(row)))
}
