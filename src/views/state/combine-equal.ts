import { compareGroups, type StateGroup } from './group.js'
import { MergedStates, type Merging } from './merged-states.js'

/** Returns groups in order, in which groups with equal keys are neighbours, with each key once. */
export async function* combineEqual(
  sorted: AsyncIterable<readonly StateGroup[]>,
  merging: Merging,
): AsyncGenerator<readonly StateGroup[], void> {
  let last: StateGroup | undefined
  /** The states of the last group, if the group came more than once. */
  let merged: MergedStates | undefined
  for await (const batch of sorted) {
    const done: StateGroup[] = []
    for (const group of batch) {
      if (last !== undefined && compareGroups(last, group) === 0) {
        merged ??= new MergedStates(merging, last.states)
        await merged.add(group.states)
        last = { ...last, isPartial: last.isPartial || group.isPartial }
        continue
      }
      if (last !== undefined) done.push(withStates(last, merged))
      last = group
      merged = undefined
    }
    if (done.length > 0) yield done
    const pause = merging.yieldIfDue()
    if (pause !== undefined) await pause
  }
  if (last !== undefined) yield [withStates(last, merged)]
}

const withStates = (group: StateGroup, merged: MergedStates | undefined): StateGroup =>
  merged === undefined ? group : { ...group, states: merged.bytes }
