import type { Batch, Part } from '../columns/batch.js'
import { sizeOf } from '../columns/selection.js'
import type { Gather, RunContext } from './lazy-batch.js'

/** Returns the `gather` of a part that is read whole, if the rows are all rows of a project. */
export function gatherOf(
  part: Part,
  project: string | undefined,
  { columns }: { columns: ReadonlySet<string> },
  { yieldIfDue, onOpen, onScan }: RunContext,
): { gather?: Gather } {
  if (project === undefined) return {}
  return {
    gather(add) {
      const addRows = (batch: Batch) => {
        try {
          const selection = batch.projectRows(project)
          const isAdded = add({ batch, selection })
          if (isAdded) {
            onOpen()
            onScan(sizeOf(selection))
          }
          return isAdded
        } finally {
          part.close()
        }
      }
      const opened = part.open(yieldIfDue, columns)
      return opened instanceof Promise ? opened.then(addRows) : addRows(opened)
    },
  }
}
