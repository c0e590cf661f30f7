/** The path with the list of views. */
export const VIEWS_PATH = '/api/views'

/** A view in the list of a service or a data directory. */
export interface ListedView {
  /** With `@` and a day for an old version. */
  name: string
  /** Whether new rows are grouped: not for old versions, and views without a file. */
  is_current: boolean
  /** Rows of the view that are kept. Groups of a day that are in several files count in each. */
  rows: number
  /** Bytes of the files. */
  bytes: number
  /** The starts of the first and the last bucket that are kept, as ISO 8601. Null: none yet. */
  first: string | null
  last: string | null
  /** The part of the sealed rows that is grouped, from 0 to 1. Null if unknown, or if no rows are grouped any more. */
  progress: number | null
}
