/** The rows of the explorer that can be saved: the rows of the list, and all rows of the range. */
import { ROW_COLUMNS } from '../api/explore.js'
import { fileName } from '../export/file-name.js'
import { countOf, pagesOf } from '../export/range-pages.js'
import { type ExportSource, type Extent, loadedRows } from '../export/source.js'
import { byId } from '../shared/dom.js'
import type { Bounds } from '../shared/range.js'
import type { Parts } from './parts.js'
import { closedBounds, queryOf } from './query.js'

/** Returns the export source of the explorer. */
export const exportSourceOf = (parts: Parts): ExportSource => ({
  extents: () => extentsOf(parts),
  link: () => parts.host.linkOf(closedBounds(parts)),
  isHandled: parts.host.isHandled,
})

/** Returns the extents to save: the current rows of the list, and all rows of the query. */
function extentsOf({ state, store, bounds }: Parts): readonly Extent[] {
  if (byId('list').dataset.state !== 'rows') return []
  const nameOf = (range: Bounds) => fileName(state.source, state.project, range)
  const lines = store.rows.map(({ line }) => line)
  return [
    loadedRows(lines, { name: nameOf(closedBounds({ bounds, store })), columns: ROW_COLUMNS }),
    {
      label: 'All rows of the range',
      open() {
        const range = closedBounds({ bounds, store })
        const query = queryOf(state, range)
        return {
          name: nameOf(range),
          columns: ROW_COLUMNS,
          count: (work) => countOf(query, work),
          pages: (work) => pagesOf(query, work),
        }
      },
    },
  ]
}
