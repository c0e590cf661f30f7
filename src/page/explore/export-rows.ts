/** The rows of the explorer that can be saved: the rows of the list, and all rows of the range. */
import type { Failure } from '../api/api.js'
import { ROW_COLUMNS } from '../api/explore.js'
import { fileName } from '../export/file-name.js'
import { countOf, pagesOf } from '../export/range-pages.js'
import { type ExportSource, type Extent, loadedRows } from '../export/source.js'
import type { Bounds } from '../shared/range.js'
import { closedBounds, queryOf } from './model/explore-request.js'
import { listKindOf, type Model } from './model/model.js'

/** Callbacks to the page. */
interface Host {
  linkOf(range: Bounds): string
  isHandled(failure: Failure): boolean
}

/** Returns the export source of the explorer. */
export const exportSourceOf = ({ linkOf, isHandled }: Host, modelNow: () => Model): ExportSource => ({
  extents: () => extentsOf(modelNow()),
  link: () => linkOf(boundsNow(modelNow())),
  isHandled,
})

const boundsNow = (model: Model) => closedBounds(model, Date.now() * 1_000)

/** Returns the extents to save: the current rows of the list, and all rows of the query. */
function extentsOf(model: Model): readonly Extent[] {
  if (listKindOf(model) !== 'rows') return []
  const { asked, rows } = model
  const nameOf = (range: Bounds) => fileName(asked.source, asked.project, range)
  const lines = rows.map(({ line }) => line)
  return [
    loadedRows(lines, { name: nameOf(boundsNow(model)), columns: ROW_COLUMNS }),
    {
      label: 'All rows of the range',
      open() {
        const range = boundsNow(model)
        const query = queryOf(asked, range)
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
