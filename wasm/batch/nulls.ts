/** Which rows of a column have a value. */
import { Column } from './columns'

// @ts-ignore: decorator
@inline
export function markPresent(column: Column, row: i32): void {
  mark(column, row, 1)
}

// @ts-ignore: decorator
@inline
export function markNull(column: Column, row: i32): void {
  mark(column, row, 0)
  column.nulls++
}

/** A row that begins a byte clears the bits of those behind it. */
// @ts-ignore: decorator
@inline
function mark(column: Column, row: i32, bit: u32): void {
  const byte = column.validity + (row >> 3)
  const before = row & 7 ? load<u8>(byte) : 0
  store<u8>(byte, before | (bit << (row & 7)))
}
