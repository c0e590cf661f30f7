import { type Batch, timeAt } from '../../execute/columns/batch.js'
import { rowAt, type Selection, sizeOf } from '../../execute/columns/selection.js'
import { createCancellationFlag } from '../sealing/cancellation.js'
import type { RowsToKeep } from '../sealing/keep-rows.js'
import type { SegmentHandle } from '../segment/handle.js'
import type { SealedRows, Segment } from '../segment/segment.js'
import { type StoreState, tableOf } from './state.js'

/** Returns the rows of a segment that stay, ascending. */
export type KeptRows = (batch: Batch) => Promise<Selection>

/** Rows that were removed from a segment. */
export interface RemovedRows {
  rows: number
  /** The bytes by which the files have become smaller, negative if they have grown. */
  bytes: number
  /** The segment that took the place of the segment. Undefined if no row was left. */
  segment: SegmentHandle | undefined
  /** Resolves when the files with the removed rows are gone: queries may still read them. */
  gone: Promise<void>
}

/**
 * Removes rows of a sealed segment: seals the rows that stay again, none if `keptOf` is `none`, and puts the result in
 * place of the segment. Queries that have begun read the old segment on. Undefined if all rows stay, or if the segment
 * was dropped or replaced in the meantime. Rejects with `damaged_segment`, which sets the segment aside, or with the
 * system's error: the segment is unchanged then.
 */
export const removeRows = (
  state: StoreState,
  segment: SegmentHandle,
  keptOf: KeptRows | 'none',
): Promise<RemovedRows | undefined> => state.removing.run(() => removeFrom(state, segment, keptOf))

async function removeFrom(
  state: StoreState,
  segment: SegmentHandle,
  keptOf: KeptRows | 'none',
): Promise<RemovedRows | undefined> {
  const { persistence, sealing, sealer, readers, onDrop } = state
  if (!tableOf(state, segment.source).segments.includes(segment)) return undefined
  const sealed = keptOf === 'none' ? 'none' : await sealAgain(state, segment, keptOf)
  if (sealed === 'all') return undefined
  const left = sealed === 'none' ? undefined : sealed
  const rows = segment.rows - (left?.rows ?? 0)
  const replacement = await persistence.replace(segment, left, (ofLeft) =>
    sealing.run(() => sealer.makePathColumns(ofLeft, createCancellationFlag())),
  )
  const table = tableOf(state, segment.source)
  const place = table.segments.indexOf(segment)
  const isDropped = place < 0
  if (!isDropped) table.segments.splice(place, 1, ...(replacement === undefined ? [] : [replacement]))
  const dropped = isDropped ? [replacement].filter((one) => one !== undefined) : [segment]
  const bytes = segment.fileBytes - (replacement?.fileBytes ?? 0)
  const gone = persistence.drop(dropped, readers.drained())
  onDrop(dropped)
  return isDropped ? undefined : { rows, bytes, segment: replacement, gone }
}

/** Returns the rows that stay, sealed again. `all` if all rows stay, `none` if no row does. */
async function sealAgain(
  { persistence, sealing, sealer }: StoreState,
  segment: SegmentHandle,
  keptOf: KeptRows,
): Promise<SealedRows | 'all' | 'none'> {
  const { segment: batch, cold } = await persistence.readToSeal(segment)
  const kept = await keptOf(batch)
  if (sizeOf(kept) === 0) return 'none'
  if (sizeOf(kept) === batch.rows) return 'all'
  return sealing.run(() => sealer.keepRows({ ...plainRows(batch), cold, kept: indicesOf(kept) }))
}

function plainRows({
  source,
  day,
  rows,
  times,
  projects,
  columns,
  inMetadata,
}: Segment): Omit<RowsToKeep, 'cold' | 'kept'> {
  const timestampsUs = new Float64Array(rows)
  for (let row = 0; row < rows; row++) timestampsUs[row] = timeAt(times, row)
  return { source, day, timestampsUs, projects, columns, inMetadata }
}

function indicesOf(selection: Selection): Uint32Array {
  if (selection.kind === 'indices') return selection.indices.slice()
  const indices = new Uint32Array(sizeOf(selection))
  for (let i = 0; i < indices.length; i++) indices[i] = rowAt(selection, i)
  return indices
}
