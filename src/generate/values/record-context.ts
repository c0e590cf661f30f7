import type { Out } from './template-writer.js'
import type { Project } from './projects.js'
import type { TimeText } from './times.js'

/** What a source's writer is told of one record. */
export interface Moment {
  project: Project
  timestampUs: number
  time: TimeText
  /** Only what the stored queries read, and little more. */
  slim: boolean
  /** What opens and closes a nested record: `{` and `}`, or `[{` and `}]` for BigQuery-style repeated records. */
  open: string
  close: string
}

/** Writes a record's members behind `id` and `timestamp`: `"project":…,"event_message":…,"metadata":…`. */
export type RecordWriter = (out: Out, moment: Moment) => void
