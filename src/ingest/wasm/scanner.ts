/**
 * Scans whole lines into a field table of plain integers (src/wasm-layout/field-table.ts), so that any implementation
 * can fill the table and no object is allocated per line.
 *
 * The caller writes bytes into `bytes`, calls `scan`, and moves an incomplete last line to the front. A scanner does
 * not check UTF-8: the caller does that for whole chunks.
 */
export interface Scanner {
  /** Input bytes, of fixed size. May be a view of a WebAssembly memory, which another view replaces if it grows. */
  readonly bytes: Uint8Array
  /** `maxLines` rows of LINE_INTS integers, a view like `bytes`. The offsets in the table count bytes in `bytes`. */
  readonly table: Int32Array
  readonly maxLines: number
  /**
   * Scans the lines in [start, end), at most `maxLines`. `end` is the offset after a newline, or the end of the last
   * line. Fills `table` from the first row and returns the number of lines. The next call starts after the last
   * scanned line, at `lineEnd + 1`.
   */
  scan(start: number, end: number): number
}
