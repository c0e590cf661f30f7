import { KIB } from '../../base/units.js'
import { bytesOfGroup, compareGroups, type GroupStream, type StateGroup } from './group.js'

/** Bytes of groups that are returned at once, about. */
const BATCH_BYTES = 64 * KIB

/** A stream and its next group. */
interface Cursor {
  iterator: AsyncIterator<readonly StateGroup[]>
  batch: readonly StateGroup[]
  at: number
  /** The place of the stream among all: equal groups come in the order of the streams. */
  rank: number
}

/**
 * Returns the groups of several streams in order. Groups with equal keys are neighbours, in the order of their streams.
 * One batch of each stream is in memory.
 */
export async function* sortedGroups(streams: readonly GroupStream[]): AsyncGenerator<readonly StateGroup[], void> {
  const iterators = streams.map((stream) => stream[Symbol.asyncIterator]())
  try {
    yield* mergeIterators(iterators)
  } finally {
    // An iterator that has ended, or has not begun, has nothing to close.
    for (const iterator of iterators) await iterator.return?.()
  }
}

async function* mergeIterators(
  iterators: readonly AsyncIterator<readonly StateGroup[]>[],
): AsyncGenerator<readonly StateGroup[], void> {
  const heap: Cursor[] = []
  for (const [rank, iterator] of iterators.entries()) {
    const cursor: Cursor = { iterator, batch: [], at: 0, rank }
    if (await load(cursor)) heap.push(cursor)
  }
  for (let i = (heap.length >>> 1) - 1; i >= 0; i--) sink(heap, i)
  let merged: StateGroup[] = []
  let bytes = 0
  while (heap.length > 0) {
    const [cursor] = heap
    const group = cursor.batch[cursor.at++]
    merged.push(group)
    bytes += bytesOfGroup(group)
    if (cursor.at === cursor.batch.length && !(await load(cursor))) {
      const last = heap.pop()!
      if (last !== cursor) heap[0] = last
    }
    sink(heap, 0)
    if (bytes < BATCH_BYTES) continue
    yield merged
    merged = []
    bytes = 0
  }
  if (merged.length > 0) yield merged
}

/** Loads the next batch with groups. Returns false at the end of the stream. */
async function load(cursor: Cursor): Promise<boolean> {
  for (;;) {
    const { done, value } = await cursor.iterator.next()
    if (done) return false
    cursor.batch = value
    cursor.at = 0
    if (value.length > 0) return true
  }
}

/** Moves the cursor at a place down to its place in the heap, whose first has the first group of all. */
function sink(heap: Cursor[], start: number): void {
  for (let place = start; ; ) {
    let first = place
    for (const below of [2 * place + 1, 2 * place + 2])
      if (below < heap.length && isBefore(heap[below], heap[first])) first = below
    if (first === place) return
    ;[heap[place], heap[first]] = [heap[first], heap[place]]
    place = first
  }
}

function isBefore(a: Cursor, b: Cursor): boolean {
  const order = compareGroups(a.batch[a.at], b.batch[b.at])
  return order < 0 || (order === 0 && a.rank < b.rank)
}
