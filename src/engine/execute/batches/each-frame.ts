import type { Key } from '../caches/partial-cache.js'
import type { Frame } from '../expressions/frame.js'
import type { CachedRows, LazyBatch, ReadByTime } from './lazy-batch.js'

/**
 * Returns batches that apply `change` to each frame that is read, whole or in chunks by time. `keyOf` extends the key
 * under which results may be cached. The change must leave rows in their order of time.
 */
export function eachFrame(
  input: readonly LazyBatch[],
  keyOf: (before: Key) => Key,
  change: (frame: Frame) => Promise<Frame>,
): LazyBatch[] {
  const after = ({ part, slice, key }: CachedRows): CachedRows => ({ part, slice, key: keyOf(key) })
  function changed(batch: LazyBatch): LazyBatch {
    const { cached, slice, joined, readByTime } = batch
    const inChunks: ReadByTime | undefined =
      readByTime &&
      ((direction, isWanted, use) => readByTime(direction, isWanted, async (rows) => use(await change(rows))))
    return {
      ...batch,
      ...(cached && { cached: after(cached) }),
      ...(slice && { slice: { ...slice, key: keyOf(slice.key), join: (count) => changed(slice.join(count)) } }),
      ...(joined && { joined: joined.map(after) }),
      read: (use) => batch.read(async (frame) => use(await change(frame))),
      ...(inChunks && { readByTime: inChunks }),
    }
  }
  return input.map(changed)
}
