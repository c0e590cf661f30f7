import type { SourceName } from './sources.js'

/** The rows of a project, a source and a UTC day. */
export interface Usage {
  /** Undefined: rows without a project. */
  project: string | undefined
  source: SourceName
  /** In days since the epoch. */
  day: number
  rows: number
  /** The share of these rows of the bytes in which they are stored. Rows that are stored together have equal shares. */
  bytes: number
}

/** Which rows are counted. */
export interface UsageQuery {
  /** The first and the last UTC day, in days since the epoch, perhaps infinite. */
  fromDay: number
  throughDay: number
  /** Undefined: all sources. */
  source?: SourceName | undefined
  /** Undefined: all projects, and rows without a project. */
  projects?: ReadonlySet<string> | undefined
}

/** The most members of a result. */
export const MAX_USAGE_ROWS = 1_000_000
