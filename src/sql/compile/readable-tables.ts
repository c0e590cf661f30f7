import type { ReadableViews } from './readable-views.js'

/** The tables that a text may name: sources and views, or the only table of a stream of lines. */
export type ReadableTables = { kind: 'stored'; views: ReadableViews } | { kind: 'lines' }

/** See {@link relationOfLines}. */
export const LINES_ALONE: ReadableTables = { kind: 'lines' }
