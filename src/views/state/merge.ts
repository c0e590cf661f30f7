import { combineEqual } from './combine-equal.js'
import { bytesOfGroup, type GroupStream, type StateGroup } from './group.js'
import { MergedStates, type Merging } from './merged-states.js'
import { sortedGroups } from './sorted.js'

/** Bounds of groups. Groups beyond a bound are counted in the rest of their bucket. Bytes are before compression. */
export interface GroupBounds {
  /** The most groups of a bucket of a project that keep their keys. */
  groups: number
  /** The most bytes of a project's groups that keep their keys. */
  bytesOf(project: Buffer): number
  /** The most bytes of all groups that keep their keys. */
  bytes: number
  /** The bytes of the keys of a rest, see `restKeysOf`. */
  restKeys: Buffer
}

/**
 * Merges streams into one: each key once, with the merged states.
 *
 * If a bucket of a project has more groups than the bounds allow, the groups that come first in the order of keys keep
 * their keys. All others become the rest of the bucket, which is marked as partial. The order of keys decides and not
 * the time at which a group came, so that the result is the same whatever is merged first, also if a crash repeats a
 * merge. A group that has its key in the result had its key in every merge before, so that the group counts all of its
 * rows. By time, a key that came early to one file and late to another would be counted in part as itself and in part
 * in the rest. Short texts come before long ones in that order, so that most paths of a service stay if somebody sends
 * random paths. The sum over all groups of a bucket is exact in any case.
 *
 * The bounds of bytes are met by the newest buckets, which come first, and in other merges by other groups. They
 * protect the disk, and not the order. The bound of each project is applied first, so that the bytes of all groups are
 * only exceeded by many projects.
 *
 * One batch of each stream is in memory, and the file of each stream is open. Rejects with the error of a stream, or of
 * `yieldIfDue`, which may stop the merge.
 */
export const mergeGroups = (streams: readonly GroupStream[], bounds: GroupBounds, merging: Merging): GroupStream => ({
  [Symbol.asyncIterator]: () => bounded(combineEqual(sortedGroups(streams), merging), bounds, merging),
})

async function* bounded(
  stream: AsyncIterable<readonly StateGroup[]>,
  bounds: GroupBounds,
  merging: Merging,
): AsyncGenerator<readonly StateGroup[], void> {
  let bucket: Bucket | undefined
  let bytes = 0
  for await (const batch of stream) {
    const done: StateGroup[] = []
    for (const group of batch) {
      if (!bucket?.has(group)) {
        done.push(...(bucket?.rest ?? []))
        bucket = new Bucket(group, bucket?.roomAfter(group) ?? bounds.bytesOf(group.project), bounds, merging)
      }
      const groupBytes = bytesOfGroup(group)
      if (bytes + groupBytes <= bounds.bytes && bucket.keeps(group)) {
        bytes += groupBytes
        done.push(group)
      } else await bucket.addToRest(group)
    }
    if (done.length > 0) yield done
  }
  const rest = bucket?.rest ?? []
  if (rest.length > 0) yield rest
}

/** The state of a bucket of a project while its groups come. */
class Bucket {
  readonly #project: Buffer
  readonly #bucketUs: number
  readonly #bounds: GroupBounds
  readonly #merging: Merging
  #groups = 0
  /** Bytes that further groups of the project may have, in this bucket and those behind. */
  #room: number
  #rest: MergedStates | undefined
  #isPartial = false

  constructor({ project, bucketUs }: StateGroup, room: number, bounds: GroupBounds, merging: Merging) {
    this.#project = project
    this.#bucketUs = bucketUs
    this.#bounds = bounds
    this.#merging = merging
    this.#room = room
  }

  /** The room for the bucket of a group, the next of the stream. Undefined if the group is of another project. */
  roomAfter({ project }: StateGroup): number | undefined {
    return project.equals(this.#project) ? this.#room : undefined
  }

  has({ project, bucketUs }: StateGroup): boolean {
    return bucketUs === this.#bucketUs && project.equals(this.#project)
  }

  /** Counts a group that keeps its keys. Returns false for a group of the rest. */
  keeps(group: StateGroup): boolean {
    if (group.isRest || this.#groups >= this.#bounds.groups) return false
    // Also counted beyond the bound, so that no smaller group is kept after a larger one was not.
    this.#room -= bytesOfGroup(group)
    if (this.#room < 0) return false
    this.#groups++
    return true
  }

  async addToRest({ states, isRest, isPartial }: StateGroup): Promise<void> {
    this.#isPartial ||= isPartial || !isRest
    if (this.#rest === undefined) this.#rest = new MergedStates(this.#merging, states)
    else await this.#rest.add(states)
  }

  /** The rest, if there is one. */
  get rest(): readonly StateGroup[] {
    if (this.#rest === undefined) return []
    const { keys, states } = { keys: this.#bounds.restKeys, states: this.#rest.bytes }
    const [project, bucketUs, isPartial] = [this.#project, this.#bucketUs, this.#isPartial]
    return [{ project, bucketUs, keys, states, isRest: true, isPartial }]
  }
}
