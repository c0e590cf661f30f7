/** Limits of projects: how long their rows are kept. The host knows them, and is asked only about old records. */
import { hiddenThrough } from '../base/host'
import { isText } from '../scan/table'
import { BatchBuilder } from './batch-builder'
import { hasDefaultProject, locateDefaultProject, locateText, textEnd, textStart } from './texts'

/** The time of the newest record that is past the limit of its project, in any source. */
let newestHiddenUs: f64 = -Infinity

/** Sets the time of the newest record that may be past a limit, for the next lines. */
export function setNewestHidden(timestampUs: f64): void {
  newestHiddenUs = timestampUs
}

/** Returns whether a record of this time is past the limit of its source, and of the project in this field. */
export function isPastLimit(row: usize, builder: BatchBuilder, project: u32, timestampUs: f64): bool {
  if (timestampUs > newestHiddenUs) return false
  if (isText(row, project)) locateText(row, project)
  else if (hasDefaultProject) locateDefaultProject()
  else return timestampUs <= hiddenThrough(builder.number, 0, 0)
  return timestampUs <= hiddenThrough(builder.number, textStart, textEnd)
}
