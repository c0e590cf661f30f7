import type { SourceName } from '../../common/sources.js'

/** A fault: bytes are damaged, missing, doubled or in the wrong place. A note: no stored row is affected. */
type Level = 'fault' | 'note'

/** The kind of a finding, in snake_case. The kind stays the same when the text of the finding is rewritten. */
export type FindingCode =
  | 'unreadable'
  | 'newer_format'
  | 'damaged_format'
  | 'damaged_header'
  | 'damaged_frames'
  | 'torn_end'
  | 'damaged_segment'
  | 'damaged_column'
  | 'damaged_batch'
  | 'damaged_path_columns'
  | 'wrong_order'
  | 'wrong_place'
  | 'equal_number'
  | 'copy'
  | 'missing'
  | 'damaged_view'
  | 'damaged_tokens'
  | 'damaged_retention'
  | 'damaged_deletion'
  | 'damaged_rejects'
  | 'interrupted_repair'
  | 'leftover'
  | 'unknown_file'
  | 'set_aside'

/** The cost of a fault, as far as the cost is known. */
export interface Cost {
  source?: SourceName
  /** Rows that queries cannot return, or not whole. */
  rows?: number
  /** The first and the last timestamp of these rows, in µs since the epoch. */
  fromUs?: number
  throughUs?: number
  /** The loss, if the loss is not a number of rows: a text such as `no row`. */
  instead?: string
}

/** A finding of a check at one place. */
export interface Finding {
  level: Level
  code: FindingCode
  /** The file or directory, below the data directory. */
  path: string
  /** The description of the finding. The description continues a sentence that begins with the path. */
  what: string
  /** The bytes of the file that are concerned. */
  offset?: number
  bytes?: number
  cost?: Cost
}

/** Returns a finding about something that affects stored rows or settings. */
export const fault = (code: FindingCode, path: string, what: string, more: Partial<Finding> = {}): Finding => ({
  level: 'fault',
  code,
  path,
  what,
  ...more,
})

/** Returns a finding about something that is correct or harmless. */
export const note = (code: FindingCode, path: string, what: string, more: Partial<Finding> = {}): Finding => ({
  level: 'note',
  code,
  path,
  what,
  ...more,
})

/** The cost of a fault that affects no row. */
export const NO_ROW: Cost = { instead: 'no row' }

/** Whether a list of findings has a fault. */
export const hasFault = (findings: readonly Finding[]): boolean => findings.some(({ level }) => level === 'fault')
