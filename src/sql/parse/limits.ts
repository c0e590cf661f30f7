import { KIB } from '../../base/units.js'

/** Limits of an SQL text. Each has a small value in tests. */
export interface SqlLimits {
  /** Length of the text in UTF-8. */
  textBytes: number
  /** Nodes of the syntax tree, common table expressions counted at each use. */
  expressions: number
  /** Depth of the syntax tree, and of expressions with the columns of derived tables in place of their names. */
  levels: number
  /** Sources read, common table expressions counted at each use. */
  scans: number
  /** Lists of FROM, counted in the same way. */
  unnests: number
  /** Columns of a SELECT, keys of a GROUP BY, and keys of an ORDER BY. */
  columns: number
}

/** The limits of every SQL text. */
export const SQL_LIMITS: SqlLimits = {
  textBytes: 64 * KIB,
  expressions: 10_000,
  levels: 1_000,
  scans: 100,
  // The counts of Studio's unified logs have 143, with four kinds of logs.
  unnests: 200,
  columns: 1_000,
}
