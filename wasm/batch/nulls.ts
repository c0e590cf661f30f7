/** Validity bits and null counts of a column. */
import { Column } from './columns'

/** Marks a row as having a value. */
// @ts-ignore: decorator
@inline
export function markPresent(column: Column, row: i32): void {
  mark(column, row, 1)
}

/** Marks a row as null, and counts it. */
// @ts-ignore: decorator
@inline
export function markNull(column: Column, row: i32): void {
  mark(column, row, 0)
  column.nulls++
}

/** Writes the bit of a row. The first row of a byte clears the bits of the later ones. */
// @ts-ignore: decorator
@inline
function mark(column: Column, row: i32, bit: u32): void {
  const byte = column.validity + (row >> 3)
  const before = row & 7 ? load<u8>(byte) : 0
  store<u8>(byte, before | (bit << (row & 7)))
}
