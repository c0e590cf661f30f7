import type { Log } from '../base/log.js'
import type { Metrics } from '../base/metrics.js'
import type { Clock } from '../base/time/clock.js'
import type { DeletingEngine } from '../engine/deletion.js'
import type { JobFiles } from './job-files.js'
import type { DeletionPlace } from './place.js'

/** The parts of the service that deletions need. */
export interface DeletionsOptions {
  engine: DeletingEngine
  files: JobFiles
  /** The other places, in the order in which rows are erased from them. The engine comes last. */
  places: readonly DeletionPlace[]
  /** Called before a deletion is stored: an earlier version would show its rows. */
  raiseFormat(): Promise<void>
  clock: Clock
  log: Log
  metrics: Pick<Metrics, 'deletions' | 'deletionsOpen' | 'deletedRows'>
  limits?: DeletionLimits
}

/** How many deletions may be open, how many erased ones are kept, and how many a list has. */
export interface DeletionLimits {
  open: number
  kept: number
  listed: number
}
