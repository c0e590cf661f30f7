/** The rows of the view that can be saved: the rows of the shown answer. */
import { rowsIn } from '../api/raw-rows.js'
import { fileName } from '../export/file-name.js'
import { type ExportSource, loadedRows } from '../export/source.js'
import type { Parts } from './parts.js'

/** Returns the export source of the view: the rows as sent by the service, and a link with their range. */
export const exportSourceOf = (parts: Parts): ExportSource => ({
  extents() {
    const { answered, shown } = parts
    if (answered === undefined || answered.answer.rows.length === 0) return []
    const { body, rows } = answered.answer
    const name = fileName('sql', shown.project, answered.bounds)
    return [loadedRows(rowsIn(body), { name, columns: Object.keys(rows[0]) })]
  },
  link: () => parts.host.linkOf(parts.answered!.bounds),
  isHandled: parts.host.isHandled,
})
