import { endOfKey, KeyBytes, timestampOfKey } from '../../engine/execute/columns/key-bytes.js'
import { type Scalar, Timestamp } from '../../plan/values/values.js'

/** A group of a view. The buffers may be views of larger memory, and never change. */
export interface StateGroup {
  /** The project as bytes of a key, see `KeyBytes`. */
  project: Buffer
  /** The start of the bucket of time. */
  bucketUs: number
  /** All other keys as bytes of keys. */
  keys: Buffer
  /** The states of the aggregates, see `StatesCodec`. */
  states: Buffer
  /** Whether the keys are those of {@link restKeysOf}: the group of all groups of the bucket beyond the bounds. */
  isRest: boolean
  /** Whether the group has such groups, and not only rows with keys that were `…` when the rows were sent. */
  isPartial: boolean
}

/** The place of a group in the order: everything but the states. */
export type GroupPlace = Pick<StateGroup, 'project' | 'bucketUs' | 'keys' | 'isRest'>

/**
 * Groups in the order of {@link compareGroups}, some at a time, each key once. Every iteration starts from the first
 * group. An iteration that ends early closes what the stream has opened.
 */
export type GroupStream = AsyncIterable<readonly StateGroup[]>

/** Groups of one project in buckets that start at `fromUs` or later, and before `toUs`. */
export interface GroupRange {
  project: Buffer
  fromUs: number
  toUs: number
}

/** Whether a group is in a range. */
export const isInRange = (
  { project, fromUs, toUs }: GroupRange,
  group: Pick<StateGroup, 'project' | 'bucketUs'>,
): boolean => group.bucketUs >= fromUs && group.bucketUs < toUs && group.project.equals(project)

/** Returns the groups of a stream for which a test is true. */
export const filterGroups = (stream: GroupStream, test: (group: StateGroup) => boolean): GroupStream => ({
  async *[Symbol.asyncIterator]() {
    for await (const batch of stream) {
      const found = batch.filter(test)
      if (found.length > 0) yield found
    }
  },
})

/**
 * The order of groups: by the bytes of the project, newest bucket first as answers are read, and by the bytes of the
 * other keys. The rest of a bucket comes last: only then is known which groups the rest has.
 */
export function compareGroups(a: GroupPlace, b: GroupPlace): number {
  if (a.project !== b.project) {
    const order = a.project.compare(b.project)
    if (order !== 0) return order
  }
  if (a.bucketUs !== b.bucketUs) return b.bucketUs - a.bucketUs
  return a.isRest === b.isRest ? a.keys.compare(b.keys) : a.isRest ? 1 : -1
}

/** Bytes of a group in a file, about, before compression. */
export const bytesOfGroup = ({ project, keys, states }: StateGroup): number =>
  NUMBERS_BYTES + project.length + keys.length + states.length

/** The bucket and the lengths. */
const NUMBERS_BYTES = 16

/** Returns the bytes of a project's key. `null` is for rows without a project. */
export const projectKey = (project: string | null): Buffer => keysOf([project])

/** The value of each text among the keys of a rest. */
const REST_TEXT = '…'

/** Returns the bytes of the keys of a rest: `…` for each key that is a text, and null for each other key. */
export const restKeysOf = (areTexts: readonly boolean[]): Buffer =>
  keysOf(areTexts.map((isText) => (isText ? REST_TEXT : null)))

/** Reused for the keys of all groups. */
const scratch = new KeyBytes()

function keysOf(values: readonly Scalar[]): Buffer {
  scratch.clear()
  for (const value of values) scratch.add(value)
  return Buffer.from(scratch.bytes.subarray(0, scratch.length))
}

/** Where the parts of a group's key bytes are. */
export interface KeyParts {
  /** The end of the project's key, at which the bucket's starts. */
  projectEnd: number
  bucketUs: number
  /** The start of all other keys. */
  keysStart: number
}

/**
 * Finds the parts of the bytes of a group's keys at `start`: project, bucket, other keys. Throws a TypeError if the
 * second key is no time.
 */
export function partsOfKey(bytes: Buffer, start: number): KeyParts {
  const projectEnd = endOfKey(bytes, start)
  const bucketUs = timestampOfKey(bytes, projectEnd)
  if (bucketUs === undefined) throw new TypeError('The second key of a view is the bucket of time.')
  return { projectEnd, bucketUs, keysStart: endOfKey(bytes, projectEnd) }
}

/** Returns the bytes of all keys of a group, as the executor has the keys. */
export function keyBytesOf({ project, bucketUs, keys }: GroupPlace): Buffer {
  scratch.clear()
  scratch.addBytes(project)
  scratch.add(new Timestamp(bucketUs))
  scratch.addBytes(keys)
  return Buffer.from(scratch.bytes.subarray(0, scratch.length))
}
