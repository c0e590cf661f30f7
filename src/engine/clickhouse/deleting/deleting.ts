import { LogweirError } from '../../../base/errors.js'
import { KIB } from '../../../base/units.js'
import type { SourceName } from '../../../common/sources.js'
import type { DeletedFrom, DeletingEngine, Deletion } from '../../deletion.js'
import { readBytesOfRow } from '../query/usage.js'
import type { ConnectShards } from '../schema/shards.js'
import { quotedTable, type TableLocation, tableWithRows } from '../schema/table-names.js'
import { lacksTable, type Server } from '../server/clickhouse-server.js'
import { type DeletedRows, deletedRows } from './deleted-rows.js'
import { deleteWhere, type ShardTable, untilFilesAreGone } from './mutations.js'
import { decideRows } from './undecided.js'

interface DeletingOptions {
  server: Server
  location: TableLocation
  /** Resolves with a time of arrival, in microseconds: rows that are appended from now on arrive later. */
  cut(): Promise<number>
  /** Connects to all servers that have rows. */
  connectShards: ConnectShards
  /** Whether the server reads fields without a column. */
  readsJson(): Promise<boolean>
  /** Resolves when the server has confirmed all rows that were appended so far. */
  settled(): Promise<void>
}

/** Deletes rows of a server or a cluster. */
export interface ClickHouseDeleting extends DeletingEngine {
  /** Returns conditions in SQL, true in the rows of a source that queries may read. */
  visibleIn(source: SourceName): readonly string[]
}

/**
 * Returns the deletion of rows of a server or cluster, by mutations on each server that has rows. The number of a head
 * is a time of arrival, in microseconds: rows that arrived later stay. Queries leave out the rows of which the server
 * can decide by its columns that they are deleted. Other rows of a deletion are visible until they are erased.
 */
export function createClickHouseDeleting(options: DeletingOptions): ClickHouseDeleting {
  const { server, location, cut, connectShards, settled, readsJson } = options
  const hidden = new Map<string, Deletion>()
  return {
    async closeHeads(sources) {
      await assertMutations(server)
      await (await connectShards()).close()
      const arrivedUs = await cut()
      return new Map(sources.map((source) => [source, arrivedUs]))
    },
    hide(deletion) {
      hidden.set(deletion.id, deletion)
    },
    visibleIn: (source) => visibleConditions([...hidden.values()], source),
    async erase(deletion, signal) {
      // A retry of a delivery would send rows again that are gone.
      await settled()
      const reads = await readsJson()
      const shards = await connectShards()
      const erased = { rows: 0, bytes: 0 }
      try {
        for (const [source, from] of deletion.sources) {
          const rows = rowsOf(deletion, from, source, reads)
          const table = { server, location, source, shards: shards.servers }
          const bytesOfRow = await readBytesOfRow({ server, location, source, signal })
          const count = await eraseFrom(table, rows, signal)
          erased.rows += count
          erased.bytes += Math.round(count * bytesOfRow)
        }
      } finally {
        await shards.close()
      }
      hidden.delete(deletion.id)
      return erased
    },
  }
}

/** The most characters of all conditions of a query, which has at most 1 MiB. */
const MOST_CONDITIONS_LENGTH = 256 * KIB

/** Returns conditions that are false in the rows of deletions which the server decides by its columns. */
function visibleConditions(deletions: readonly Deletion[], source: SourceName): string[] {
  const conditions = deletions.flatMap((deletion) => {
    const from = deletion.sources.get(source)
    const decided = from && deletedRows(deletion, from, source, false)?.decided
    return decided === undefined ? [] : [`NOT (${decided})`]
  })
  let length = 0
  return conditions.filter((condition) => (length += condition.length) <= MOST_CONDITIONS_LENGTH)
}

/** Throws `unsupported_by_engine` if a server is too old to delete rows. */
async function assertMutations(server: Server): Promise<void> {
  const [[version, count]] = await server.select(
    "SELECT version(), count() FROM system.tables WHERE database = 'system' AND name = 'mutations'",
  )
  if (Number(count) > 0) return
  throw new LogweirError(
    'unsupported_by_engine',
    `ClickHouse ${version} has no mutations, so that rows cannot be deleted. ClickHouse 18.16 or newer has.`,
  )
}

function rowsOf(deletion: Deletion, from: DeletedFrom, source: SourceName, reads: boolean): DeletedRows {
  const rows = deletedRows(deletion, from, source, reads)
  if (rows !== undefined) return rows
  throw new LogweirError(
    'unsupported_by_engine',
    'ClickHouse cannot decide on the condition of the deletion. Write it over id, timestamp, event_message and ' +
      'fields of the metadata.',
  )
}

interface ErasedTable {
  server: Server
  location: TableLocation
  source: SourceName
  /** All servers that have rows. */
  shards: readonly Server[]
}

/** Deletes the rows of a source. Returns their number. */
async function eraseFrom(table: ErasedTable, rows: DeletedRows, signal: AbortSignal): Promise<number> {
  const { location, source, shards } = table
  const onEach = (work: (at: ShardTable) => Promise<void>) =>
    Promise.all(
      shards.map((server) =>
        work({ server, location, table: tableWithRows(location, source) }).catch(unlessTableIsMissing),
      ),
    )
  let erased = 0
  for await (const { condition, rows: count } of conditionsOf(table, rows, signal)) {
    await onEach((at) => deleteWhere(at, condition, signal))
    erased += count
  }
  await onEach((at) => untilFilesAreGone(at, signal))
  return erased
}

/** Yields conditions, each with the number of rows in which it is true: the rows to be deleted. */
async function* conditionsOf(
  table: ErasedTable,
  { decided, undecided }: DeletedRows,
  signal: AbortSignal,
): AsyncGenerator<{ condition: string; rows: number }> {
  try {
    if (decided !== undefined) {
      const rows = await countWhere(table, decided, signal)
      if (rows > 0) yield { condition: decided, rows }
    }
    if (undecided !== undefined) yield* decideRows(undecided, table, signal)
  } catch (error) {
    unlessTableIsMissing(error as Error)
  }
}

async function countWhere(
  { server, location, source }: ErasedTable,
  condition: string,
  signal: AbortSignal,
): Promise<number> {
  const sql = `SELECT count() FROM ${quotedTable(location, source)} WHERE ${condition}`
  const [[count] = [0]] = await server.select(sql, { signal })
  return Number(count)
}

/** A source without a table has no rows, and neither has a server that only passes queries on. */
function unlessTableIsMissing(error: Error): void {
  if (!lacksTable(error)) throw error
}
