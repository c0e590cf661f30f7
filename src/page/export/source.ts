/** The interface between a view and its export menu. */
import type { Failure } from '../api/api.js'
import type { ExportRow } from './formats.js'

/** A view with rows to save. */
export interface ExportSource {
  /**
   * Returns the choices of the menu, the default first, or none if the view has no rows. Called when the menu opens.
   */
  extents(): readonly Extent[]
  /**
   * Returns the address of the page that shows the same rows later, never with the token. Absent: there is no address.
   */
  link?(): string
  /** Returns true if the page handled the failure by signing out. */
  isHandled?(failure: Failure): boolean
}

/** Rows that can be saved as a file. */
export interface Extent {
  /** Name in the menu: `These 300 rows`. */
  label: string
  /** Called when the user saves the rows: an open range ends then. */
  open(): ExportRows
}

/** The rows of a file. */
export interface ExportRows {
  /** Name of the file without the ending, made by `fileName`. */
  name: string
  /** Names of the columns in order. Undefined: the columns of the first row, so that CSV without rows is empty. */
  columns?: readonly string[] | undefined
  /** The rows, page by page, or an array of all rows if the view has them. Throws a Failure. */
  pages: readonly ExportRow[] | ((work: Work) => AsyncIterable<readonly ExportRow[]>)
  /** Counts the rows of the pages before they are read. Throws a Failure. */
  count?(work: Work): Promise<number>
}

/** The side of the menu while rows are read. */
export interface Work {
  /** Aborted if the user cancels. */
  signal: AbortSignal
  /** Tells the user why the next page takes time. Empty: reading goes on. */
  onWait(text: string): void
}

/** Returns rows that the view has. `unit`: their name, in singular and plural. */
export function loadedRows(
  rows: readonly ExportRow[],
  { name, columns, unit = ['row', 'rows'] }: { name: string; columns?: readonly string[]; unit?: [string, string] },
): Extent {
  const label = rows.length === 1 ? `This ${unit[0]}` : `These ${rows.length.toLocaleString('en')} ${unit[1]}`
  return { label, open: () => ({ name, columns, pages: rows }) }
}
