/** The source of the menu of a panel, which is loaded with the menu. */
import { rowsIn } from '../api/raw-rows.js'
import { fileName } from '../export/file-name.js'
import type { ExportRow } from '../export/formats.js'
import { type ExportSource, loadedRows } from '../export/source.js'
import type { Bounds } from '../shared/range.js'

/** Rows of an answer that a panel shows. */
export interface PanelRows {
  /** The first part of the name of their file. */
  subject: string
  /** The rows, or the JSON of the answer. */
  rows: readonly ExportRow[] | string
  /** Names of the columns. Undefined: the columns of the rows. */
  columns?: readonly string[]
  /** Name of the rows, in singular and plural. */
  unit?: [string, string]
}

/** Rows that a panel shows. */
export interface PanelExport {
  project: string
  /** With an end. Undefined if the rows are not of a range that the page chose. */
  bounds: Bounds | undefined
  answers: readonly PanelRows[]
}

/** Returns the address of the page, with another range if given. */
export type LinkOf = (range: Bounds | undefined) => string

/** Returns the export source of a panel. `shown` returns the rows of the panel, or undefined for no rows. */
export function panelSource(shown: () => PanelExport | undefined, linkOf: LinkOf): ExportSource {
  return {
    extents() {
      const { project, bounds, answers } = shown() ?? { project: '', bounds: undefined, answers: [] }
      return answers
        .map(({ rows, ...more }) => ({ rows: typeof rows === 'string' ? rowsIn(rows) : rows, ...more }))
        .filter(({ rows }) => rows.length > 0)
        .map(({ subject, rows, ...more }) => loadedRows(rows, { name: fileName(subject, project, bounds), ...more }))
    },
    link: () => linkOf(shown()?.bounds),
  }
}
