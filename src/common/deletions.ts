import type { SourceName } from './sources.js'

/** The path of deletions: a request for one, and their list. The path of a deletion is the id behind it. */
export const DELETIONS_PATH = '/api/deletions'

/** The most deletions that are not erased yet. */
export const MAX_OPEN_DELETIONS = 100

/** Which rows are to be deleted. */
export interface AskedDeletion {
  project: string
  /** Undefined: all sources. */
  source: SourceName | undefined
  /** Only rows with `startUs <= timestamp < endUs`, in microseconds since the epoch. Undefined: no bound. */
  startUs: number | undefined
  endUs: number | undefined
  /** A condition in SQL. Undefined: all rows. */
  where: string | undefined
}

/**
 * `accepted`: the deletion survives a crash. `hidden`: no answer shows the rows. `erased`: no file of the service has
 * the rows.
 */
type DeletionState = 'accepted' | 'hidden' | 'erased'

/** Groups of a view that were dropped, since their rows were gone before and could not be grouped again. */
export interface DroppedGroups {
  view: string
  /** The starts of the first and the last of their buckets, as ISO 8601. */
  first: string
  last: string
}

/** A deletion as the service describes it. Times are ISO 8601. */
export interface ListedDeletion {
  /** 20 hexadecimal digits. The ids of later deletions are greater. */
  id: string
  state: DeletionState
  project: string
  /** Null: all sources. */
  source: SourceName | null
  /** Null: no bound. */
  start: string | null
  end: string | null
  /** The condition. Null without a condition, and once the rows are erased. */
  where: string | null
  /** The SHA-256 of the condition, hexadecimal. Null without a condition. */
  where_sha256: string | null
  /** The token that asked for the deletion: its id, and its name in parentheses if the token has one. */
  by: string
  accepted: string
  /** When the last byte was gone. Null until then. */
  erased: string | null
  /** How many rows were removed, and by how many bytes the files of rows became smaller. Null until all are. */
  rows: number | null
  bytes: number | null
  dropped_groups: readonly DroppedGroups[]
}

/** The rows that a deletion would delete now. */
export interface CountedDeletion {
  project: string
  /** The rows of all sources. */
  rows: number
  /** The sources that have such rows. */
  sources: readonly { source: SourceName; rows: number }[]
}
