import type { SourceName } from '../../sources.js'
import type { IngestBatch } from '../engine.js'
import { type DeliveryParts, deliver, type Group } from './delivery.js'
import { toNative } from './native.js'
import type { Server } from './server.js'
import { type TableLocation, tableOf } from './table-names.js'
import { batchOf } from './unconfirmed.js'

/**
 * Rows from elsewhere that can be had again, the same in the same order: they need no journal, since what is not there yet
 * can be sent by any later process. Both numbers are theirs for good.
 */
export interface Parcel {
  source: SourceName
  /** Eight bytes that name them. */
  marker: Uint8Array
  /** Their place among all parcels of the source: a number below {@link ARRIVED_BEFORE}. */
  arrivedUs: number
  batches: readonly IngestBatch[]
}

/**
 * Rows that came as parcels stand in front of those of equal time that came as logs: as if they had arrived before this
 * moment of 1973, and no log did.
 */
export const ARRIVED_BEFORE = 1e14

/** How many rows of each parcel a table has; {@link nameOf} is the key. */
export type Brought = ReadonlyMap<string, number>

export const nameOf = ({ marker, arrivedUs }: Pick<Parcel, 'marker' | 'arrivedUs'>) => `${batchOf(marker)} ${arrivedUs}`

/** Looks at all rows of a source, two columns of them. Rejects with a ServerError. */
export async function askBrought(server: Server, location: TableLocation, source: SourceName): Promise<Brought> {
  const table = tableOf(location, source)
  const rows = await server.select(
    `SELECT batch, arrived, count() FROM ${table} WHERE arrived < ${ARRIVED_BEFORE} GROUP BY batch, arrived`,
  )
  return new Map(rows.map(([batch, arrived, count]) => [`${batch} ${arrived}`, Number(count)]))
}

/**
 * Brings the rows of a parcel to the server, those that are not there yet. `isNew` says that none is there, and that no
 * earlier process may be about to bring one: then nobody looks. Resolves when the server has confirmed them all.
 */
export async function bring(parcel: Parcel, isNew: boolean, parts: DeliveryParts): Promise<void> {
  const { source, marker, arrivedUs, batches } = parcel
  const batch = batchOf(marker)
  const rows = batches.reduce((sum, batch) => sum + batch.rows, 0)
  const first = isNew ? { batch, blocks: blocksOf(parcel, batch) } : undefined
  const read: Group['read'] = async (visit) => {
    for (const one of batches) visit(one)
    return batch
  }
  await deliver({ source, arrivedUs, rows, bytes: 0, first, read, confirmed: async () => {} }, parts)
}

function blocksOf({ arrivedUs, batches }: Parcel, batch: bigint): Uint8Array[] {
  let firstRow = 0
  return batches.map((read) => {
    const { block, rows } = toNative(read, { arrivedUs, batch, firstRow })
    firstRow += rows
    return block
  })
}
