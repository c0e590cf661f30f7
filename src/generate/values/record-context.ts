import type { Project } from './projects.js'
import type { TemplateWriter } from './template-writer.js'
import type { TimeFormatter } from './times.js'

/** Input of a source's writer for a record. */
export interface RecordContext {
  project: Project
  timestampUs: number
  time: TimeFormatter
  /** Whether to write little more than the fields that the stored queries read. */
  slim: boolean
  /** Whether requests have headers that others lack. */
  optionalHeaders: boolean
  /** Brackets of a nested record: `{` and `}`, or `[{` and `}]` for BigQuery-style repeated records. */
  open: string
  close: string
}

/** Writes the members that follow `id` and `timestamp`: `"project":…,"event_message":…,"metadata":…`. */
export type RecordWriter = (out: TemplateWriter, context: RecordContext) => void
