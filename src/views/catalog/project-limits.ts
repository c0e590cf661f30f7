import { createYielder } from '../../base/scheduling/time-slices.js'
import { createSettledTime, type SettledTime } from '../../base/time/settled-time.js'
import { DAY_US, MINUTE_US } from '../../base/units.js'
import { readKeys } from '../../engine/execute/columns/key-bytes.js'
import { filterGroups, type StateGroup } from '../state/group.js'
import { groupsOfFile } from '../state/read-file.js'
import { replaceFile } from './build.js'
import { type Catalog, NO_LIMITS, setAsideDamaged } from './catalog.js'
import type { LiveState } from './live-states.js'

type GroupPlace = Pick<StateGroup, 'project' | 'bucketUs'>

/**
 * Returns a test of groups that come by project: whether the bucket has ended by the time through which groups of the
 * project are hidden at `nowUs`.
 */
export function createExpired({ rowLimits }: Pick<Catalog, 'rowLimits'>, unitUs: number, nowUs: number) {
  let last: Buffer | undefined
  let throughUs = Number.NEGATIVE_INFINITY
  return ({ project, bucketUs }: GroupPlace): boolean => {
    if (last === undefined || !project.equals(last)) {
      last = project
      const [name] = readKeys(project, 1) as [string | null]
      throughUs = rowLimits.viewsHiddenThroughUs(name ?? undefined, nowUs)
    }
    return bucketUs + unitUs <= throughUs
  }
}

/** Deletes groups that are kept less long than the view keeps groups, since a limit of their project says so. */
export interface ProjectLimits {
  /** Looks at the files of a day, at most once each minute, and at each file once a day of the settled clock. */
  deleteExpired(signal: AbortSignal): Promise<void>
}

interface State {
  catalog: Catalog
  settled: SettledTime
  /** The settled time at which each file was looked at. */
  checkedUs: WeakMap<LiveState, number>
}

/** Creates the deletion of groups, which starts when the clock has been past a limit for an hour. */
export function createProjectLimits(catalog: Catalog): ProjectLimits {
  const state: State = { catalog, settled: createSettledTime(), checkedUs: new WeakMap() }
  let nextMs = catalog.clock.monotonicMs()
  return {
    async deleteExpired(signal) {
      const { clock, rowLimits } = catalog
      if (rowLimits === NO_LIMITS || clock.monotonicMs() < nextMs) return
      nextMs = clock.monotonicMs() + MINUTE_MS
      state.settled.record(clock.nowUs())
      await checkDay(state, signal)
    },
  }
}

const MINUTE_MS = MINUTE_US / 1000

/** Checks the files of the oldest day that is due. */
async function checkDay({ catalog, settled, checkedUs }: State, signal: AbortSignal): Promise<void> {
  const nowUs = settled.settledUs()
  const due = catalog.live.all().filter((state) => {
    const isOver = (state.facts.day + 1) * DAY_US <= nowUs
    return isOver && nowUs - (checkedUs.get(state) ?? Number.NEGATIVE_INFINITY) >= DAY_US
  })
  const oldest = Math.min(...due.map(({ facts }) => facts.day))
  for (const state of due.filter(({ facts }) => facts.day === oldest)) {
    await deleteIn(catalog, state, nowUs, signal)
    checkedUs.set(state, nowUs)
  }
}

/** Writes a file again without the groups of the projects whose limit all buckets of the day are past. */
async function deleteIn(catalog: Catalog, state: LiveState, nowUs: number, signal: AbortSignal): Promise<void> {
  const { files, kept } = catalog
  const yieldIfDue = createYielder(signal)
  const unitUs = kept.get(state.facts.view)?.unitUs ?? DAY_US
  const lastUs = (state.facts.day + 1) * DAY_US - unitUs
  const stream = () => {
    const isExpired = createExpired(catalog, unitUs, nowUs)
    const isKept = ({ project }: StateGroup) => !isExpired({ project, bucketUs: lastUs })
    return { all: groupsOfFile(files, state, state.facts.states), isKept }
  }
  try {
    let areAllKept = true
    const { all, isKept } = stream()
    for await (const groups of all) {
      areAllKept &&= groups.every(isKept)
      await yieldIfDue()
    }
    if (areAllKept) return
    const rest = stream()
    const groups = filterGroups(rest.all, rest.isKept)
    await replaceFile(catalog, state, { groups, without: state.without }, yieldIfDue)
  } catch (error) {
    setAsideDamaged(catalog, [state], error)
    throw error
  }
}
