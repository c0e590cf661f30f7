import type { SourceName } from '../../common/sources.js'
import type { Finding } from './finding.js'
import type { Repair } from './repair.js'

/** The result of reading one file, or the files of a segment. */
export interface Report {
  findings: Finding[]
  /** Intact rows. */
  rows: number
  files: number
  bytes: number
  /** The repair that makes the file whole. Undefined if the file is whole, or if only a person can repair the file. */
  repair?: Repair | undefined
  /** Bytes that are equal in two files only if one file is a copy of the other. Undefined if the bytes are damaged. */
  identity?: string | undefined
  /** The source that the content names. */
  source?: SourceName | undefined
}

/** Returns the report about something that was not read, or has no rows. */
export const reportOf = (findings: readonly Finding[], repair?: Repair): Report => ({
  findings: [...findings],
  rows: 0,
  files: 0,
  bytes: 0,
  repair,
})
