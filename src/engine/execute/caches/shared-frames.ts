import { MIB } from '../../../base/units.js'
import { bytesOfValue } from '../columns/value-bytes.js'
import type { Frame } from '../expressions/frame.js'

/** Frames that several stages of a run read. A small frame is computed once. */
export interface SharedFrames {
  /** Returns the frame of a stage with columns of these names: the kept frame, or the frame that `compute` returns. */
  read(stage: object, names: readonly string[], compute: () => Promise<Frame>): Promise<Frame>
}

/** Approximate bytes of the frames that a run keeps. A frame that does not fit is computed at each use. */
const KEPT_BYTES = 16 * MIB
/** Frames with more rows are not kept: to count their bytes would take too long. */
const MOST_KEPT_ROWS = 20_000

/** Creates the shared frames of a run. The frames are kept as long as the returned object. */
export function createSharedFrames(): SharedFrames {
  const kept = new Map<object, Frame>()
  let keptBytes = 0
  return {
    async read(stage, names, compute) {
      const known = kept.get(stage)
      if (known !== undefined) return known
      const frame = await compute()
      const bytes = bytesOf(frame, names)
      if (keptBytes + bytes <= KEPT_BYTES) {
        keptBytes += bytes
        kept.set(stage, frame)
      }
      return frame
    },
  }
}

function bytesOf({ rows, column }: Frame, names: readonly string[]): number {
  if (rows > MOST_KEPT_ROWS) return Number.POSITIVE_INFINITY
  let bytes = 0
  for (const name of names) {
    const { at } = column(name)!
    for (let position = 0; position < rows; position++) bytes += bytesOfValue(at(position))
  }
  return bytes
}
