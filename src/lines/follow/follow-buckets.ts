import { Interner } from '../../base/memory/interner.js'
import { entryOf } from '../../engine/execute/columns/dictionary.js'
import { readKeys } from '../../engine/execute/columns/key-bytes.js'
import type { Frame } from '../../engine/execute/expressions/frame.js'
import { bytesOfStates, type States } from '../../engine/execute/grouping/aggregate.js'
import { frameOfStates, GROUP_BYTES } from '../../engine/execute/grouping/groups.js'
import type { GroupSink } from '../../engine/execute/grouping/sink.js'
import { momentUs } from '../../plan/values/values.js'
import type { LineGroups } from '../execute/block-rows.js'
import type { TimeBucket } from './time-bucket.js'

/** Groups that are over, by the start of their bucket. */
interface Bucket {
  /** Infinity for groups without a time. */
  startUs: number
  keys: Buffer[]
  states: States[]
}

/** Removes the groups of buckets that start before a time, and returns their rows, a frame a bucket, in order. */
export function takeBuckets(lineGroups: LineGroups, sink: GroupSink, { place }: TimeBucket, beforeUs: number): Frame[] {
  const { groups, aggregation } = lineGroups
  const over = new Map<number, Bucket>()
  const left = { keys: new Interner(), states: [] as States[], bytes: 0 }
  for (const [code, states] of groups.states.entries()) {
    const key = entryOf(groups.keys, code)
    const startUs = startOfKey(key, place)
    if (startUs < beforeUs || beforeUs === Number.POSITIVE_INFINITY) {
      const bucket = over.get(startUs) ?? { startUs, keys: [], states: [] }
      over.set(startUs, bucket)
      bucket.keys.push(Buffer.from(key))
      bucket.states.push(states)
    } else {
      left.keys.intern(key, 0, key.length)
      left.states.push(states)
      left.bytes += GROUP_BYTES + bytesOfStates(aggregation, states)
    }
  }
  if (over.size === 0) return []
  Object.assign(groups, left)
  return [...over.values()]
    .sort((a, b) => a.startUs - b.startUs)
    .map(({ keys, states }) => frameOfStates(states, (position) => keys[position], sink, aggregation))
}

function startOfKey(key: Buffer, place: number): number {
  const us = momentUs(readKeys(key, place + 1)[place])
  return us === undefined ? Number.POSITIVE_INFINITY : Number(us)
}
