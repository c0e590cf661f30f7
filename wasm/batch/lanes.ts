/** Lanes: the columns of each source, and the fields that they are filled from. The host lays them out at the start. */
import { BUILDER_BYTES, CATEGORY, COLUMN_BYTES, TEXT, TIMESTAMP } from '../../src/wasm-layout/batch'
import { PROJECT } from '../../src/wasm-layout/field-table'
import { Column, initColumn } from './columns'
import { clearDictionary } from './dictionary'
import { batchBytes, batchRows } from './regions'
import { textBytes } from './texts'

/** A lane's header; its columns follow it. */
@unmanaged
export class Lane {
  /** Rows of the batch so far. */
  rows: i32
  /** Bytes of text in them, and in the dictionaries. */
  textBytes: i32
  columns: i32
  number: i32
  /** The fields that can hold the project: the first that is a text does. */
  firstProject: u32
  secondProject: u32
  thirdProject: u32
}

/** There is room for so many; a host that adds more is stopped by a trap. */
const MAX_COLUMNS: i32 = 12
const MAX_LANES: i32 = 16
const LANE_BYTES: i32 = BUILDER_BYTES + MAX_COLUMNS * COLUMN_BYTES
const LANES: usize = memory.data(LANE_BYTES * MAX_LANES, 16)

let lanes: i32 = 0

/** Adds a lane, whose number is one above that of the one before, from 0; says where it lies. */
export function addLane(firstProject: u32, secondProject: u32, thirdProject: u32): Lane {
  if (lanes == MAX_LANES) unreachable()
  const lane = laneAt(lanes)
  lane.number = lanes++
  lane.firstProject = firstProject
  lane.secondProject = secondProject
  lane.thirdProject = thirdProject
  addColumn(lane, TIMESTAMP, 0)
  addColumn(lane, CATEGORY, PROJECT)
  for (let text = 0; text < 3; text++) addColumn(lane, TEXT, 0)
  return lane
}

/** Adds a hot column of this kind, which the field fills. */
export function addColumn(lane: Lane, kind: i32, field: u32): void {
  if (lane.columns == MAX_COLUMNS) unreachable()
  initColumn(columnAt(lane, lane.columns++), kind, field)
}

// @ts-ignore: decorator
@inline
export function laneAt(number: i32): Lane {
  return changetype<Lane>(LANES + number * LANE_BYTES)
}

// @ts-ignore: decorator
@inline
export function columnAt(lane: Lane, number: i32): Column {
  return changetype<Column>(changetype<usize>(lane) + BUILDER_BYTES + number * COLUMN_BYTES)
}

/** Makes the row that has been written count. */
export function endRow(lane: Lane): void {
  lane.rows++
  let bytes = 0
  for (let i = 0; i < lane.columns; i++) {
    const column = columnAt(lane, i)
    if (column.kind == TEXT) bytes += textBytes(column, lane.rows)
    else if (column.kind == CATEGORY) bytes += textBytes(column, column.entries)
  }
  lane.textBytes = bytes
}

export function isFull(lane: Lane): bool {
  return lane.rows >= batchRows || lane.textBytes >= batchBytes
}

/** Makes the lane ready for its next batch. */
export function clearLane(lane: Lane): void {
  lane.rows = 0
  lane.textBytes = 0
  for (let i = 0; i < lane.columns; i++) {
    const column = columnAt(lane, i)
    column.nulls = 0
    if (column.kind == CATEGORY) clearDictionary(column)
  }
}
