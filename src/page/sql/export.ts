/** The rows of the view that can be saved: the rows of the shown answer. */
import { rowsIn } from '../api/raw-rows.js'
import { fileName } from '../export/file-name.js'
import { type ExportSource, loadedRows } from '../export/source.js'
import type { SqlViewElements } from './sql-view-elements.js'

/** Returns the export source of the view: the rows as sent by the service, and a link with their range. */
export const exportSourceOf = (view: SqlViewElements): ExportSource => ({
  extents() {
    const { answered, shown } = view
    if (answered === undefined || answered.answer.rows.length === 0) return []
    const { body, rows } = answered.answer
    const name = fileName('sql', shown.project, answered.bounds)
    return [loadedRows(rowsIn(body), { name, columns: Object.keys(rows[0]) })]
  },
  link: () => view.host.linkOf(view.answered!.bounds),
  isHandled: view.host.isHandled,
})
