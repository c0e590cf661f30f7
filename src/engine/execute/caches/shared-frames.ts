import { MIB } from '../../../base/units.js'
import { bytesOfValue } from '../columns/value-bytes.js'
import type { Frame } from '../expressions/frame.js'

/** Frames that several stages of a run read. A small frame is computed once. */
export interface SharedFrames {
  /** Returns the frame of a stage with columns of these names: the cached frame, or the result of `compute`. */
  read(stage: object, names: readonly string[], compute: () => Promise<Frame>): Promise<Frame>
}

/** Approximate bytes of the frames that a run caches. A frame that does not fit is computed at each use. */
const CACHED_BYTES = 16 * MIB
/** Frames with more rows are not cached: to count their bytes would take too long. */
const MOST_CACHED_ROWS = 20_000

/** Creates the shared frames of a run. The frames are cached as long as the returned object. */
export function createSharedFrames(): SharedFrames {
  const cached = new Map<object, Frame>()
  let cachedBytes = 0
  return {
    async read(stage, names, compute) {
      const known = cached.get(stage)
      if (known !== undefined) return known
      const frame = await compute()
      const bytes = bytesOf(frame, names)
      if (cachedBytes + bytes <= CACHED_BYTES) {
        cachedBytes += bytes
        cached.set(stage, frame)
      }
      return frame
    },
  }
}

function bytesOf({ rows, column }: Frame, names: readonly string[]): number {
  if (rows > MOST_CACHED_ROWS) return Number.POSITIVE_INFINITY
  let bytes = 0
  for (const name of names) {
    const { at } = column(name)!
    for (let position = 0; position < rows; position++) bytes += bytesOfValue(at(position))
  }
  return bytes
}
