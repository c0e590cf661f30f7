import { Interner } from '../../base/memory/interner.js'
import { sortInSlices } from '../../base/scheduling/sort-in-slices.js'
import { dayOf } from '../../base/time/moment.js'
import { KIB } from '../../base/units.js'
import { entryOf } from '../../engine/execute/columns/dictionary.js'
import type { Groups } from '../../engine/execute/grouping/groups.js'
import { bytesOfGroup, type GroupStream, partsOfKey, type StateGroup } from './group.js'
import type { Merging } from './merged-states.js'

/** Bytes of groups that a stream returns at once, about. */
const BATCH_BYTES = 64 * KIB

/** Groups between two looks at the clock, while keys are taken apart. */
const CODES_AT_ONCE = 256
/** Projects for which memory is allocated at first. */
const FIRST_PROJECTS = 64

/** Groups of the executor, in numbers by code, so that a million groups are sorted without an object for each. */
interface Places {
  projects: readonly Buffer[]
  /** The place of each group's project among the projects in order. */
  projectRanks: Uint32Array
  bucketsUs: Float64Array
  /** The groups' other keys are `bytes[keyStarts[code] .. keyEnds[code])`. */
  bytes: Buffer
  keyStarts: Uint32Array
  keyEnds: Uint32Array
  /** 1 for a group with the keys of the rest of its bucket. */
  rests: Uint8Array
}

/**
 * Returns the groups of a plan by UTC day, each day as a stream in order. The first key of the plan is the project, the
 * second the bucket of time. `restKeys` are the bytes of the keys of a rest, see `restKeysOf`. The groups must not
 * change as long as a stream is used. Their states are written when a stream comes to them. Throws a TypeError if the
 * second key is no time.
 */
export async function streamsByDay(
  groups: Groups,
  restKeys: Buffer,
  merging: Merging,
): Promise<Map<number, GroupStream>> {
  const places = await placesOf(groups, restKeys, merging)
  const codesByDay = new Map<number, number[]>()
  for (let code = 0; code < groups.states.length; code++) {
    const day = dayOf(places.bucketsUs[code])
    const codes = codesByDay.get(day)
    if (codes === undefined) codesByDay.set(day, [code])
    else codes.push(code)
    const pause = code % CODES_AT_ONCE === 0 ? merging.yieldIfDue() : undefined
    if (pause !== undefined) await pause
  }
  const streams = new Map<number, GroupStream>()
  for (const [day, codes] of codesByDay) {
    const sorted = await sortInSlices(codes, (a, b) => compareCodes(places, a, b), merging.yieldIfDue)
    streams.set(day, streamOf(groups, places, sorted, merging))
  }
  return streams
}

async function placesOf({ keys, states }: Groups, restKeys: Buffer, { yieldIfDue }: Merging): Promise<Places> {
  const { bytes, offsets } = keys
  const count = states.length
  const places = {
    bytes,
    projectRanks: new Uint32Array(count),
    bucketsUs: new Float64Array(count),
    keyStarts: new Uint32Array(count),
    keyEnds: new Uint32Array(count),
    rests: new Uint8Array(count),
  }
  const projects = new Interner(FIRST_PROJECTS)
  for (let code = 0; code < count; code++) {
    const [start, end] = [offsets[code], offsets[code + 1] - 1]
    const { projectEnd, bucketUs, keysStart } = partsOfKey(bytes, start)
    places.projectRanks[code] = projects.intern(bytes, start, projectEnd)
    places.bucketsUs[code] = bucketUs
    places.keyStarts[code] = keysStart
    places.keyEnds[code] = end
    places.rests[code] = restKeys.compare(bytes, keysStart, end) === 0 ? 1 : 0
    const pause = code % CODES_AT_ONCE === 0 ? yieldIfDue() : undefined
    if (pause !== undefined) await pause
  }
  const sorted = Array.from({ length: projects.count }, (_, code) => ({ code, project: entryOf(projects, code) }))
  sorted.sort((a, b) => a.project.compare(b.project))
  const ranks = new Uint32Array(sorted.length)
  for (const [rank, { code }] of sorted.entries()) ranks[code] = rank
  for (let code = 0; code < count; code++) places.projectRanks[code] = ranks[places.projectRanks[code]]
  return { ...places, projects: sorted.map(({ project }) => project) }
}

/** The order of `compareGroups`. */
function compareCodes(places: Places, a: number, b: number): number {
  const { projectRanks, bucketsUs, rests, bytes, keyStarts, keyEnds } = places
  if (projectRanks[a] !== projectRanks[b]) return projectRanks[a] - projectRanks[b]
  if (bucketsUs[a] !== bucketsUs[b]) return bucketsUs[b] - bucketsUs[a]
  if (rests[a] !== rests[b]) return rests[a] - rests[b]
  return bytes.compare(bytes, keyStarts[b], keyEnds[b], keyStarts[a], keyEnds[a])
}

function streamOf(
  { states }: Groups,
  { projects, projectRanks, bucketsUs, bytes, keyStarts, keyEnds, rests }: Places,
  codes: readonly number[],
  { codec, yieldIfDue }: Merging,
): GroupStream {
  const groupOf = (code: number): StateGroup => ({
    project: projects[projectRanks[code]],
    bucketUs: bucketsUs[code],
    keys: bytes.subarray(keyStarts[code], keyEnds[code]),
    states: codec.write(states[code]),
    isRest: rests[code] === 1,
    isPartial: false,
  })
  async function* read(): AsyncGenerator<readonly StateGroup[], void> {
    for (let at = 0; at < codes.length; ) {
      const batch: StateGroup[] = []
      for (let taken = 0; at < codes.length && taken < BATCH_BYTES; ) {
        const group = groupOf(codes[at++])
        taken += bytesOfGroup(group)
        batch.push(group)
      }
      yield batch
      const pause = yieldIfDue()
      if (pause !== undefined) await pause
    }
  }
  return { [Symbol.asyncIterator]: read }
}
