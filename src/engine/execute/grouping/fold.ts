import { type Block, blocksOf } from '../batches/blocks.js'
import { KeyBytes } from '../columns/key-bytes.js'
import type { Frame } from '../expressions/frame.js'
import { prepare } from '../expressions/prepare.js'
import type { Bucket, Vector } from '../expressions/vector.js'
import { bytesOfStates, createFolding, isQuick, vectorsOf } from './aggregate.js'
import { groupRows } from './group-rows.js'
import { type Grouping, type Groups, isBeyond, shrink, statesOf } from './groups.js'
import { createLoad } from './stretch.js'

/** Keys of rows that take little time to combine. */
const MAX_WHOLE_KEYS = 2 ** 17
/** Rows of a group that take longer than a look at the clock. */
const LONG_GROUP = 256
/** Groups that are folded without a look at the clock, if none has many rows and no key is evaluated. */
const GROUPS_AT_ONCE = 16

/** Folds the rows of a frame into groups. */
export async function fold(groups: Groups, frame: Frame, grouping: Grouping): Promise<void> {
  if (frame.rows === 0) return
  const { sink, expressions, aggregation, context, cut } = grouping
  const { yieldIfDue } = context
  const evaluate = await prepare(frame, expressions, yieldIfDue)
  const ownVectors = sink.keys.map(({ value }) => evaluate(value))
  const keyVectors = cut === undefined ? ownVectors : [spansOf(cut), ...ownVectors]
  const vectors = vectorsOf(aggregation, evaluate)
  const groupsAtOnce = keyVectors.some(isEvaluated) ? 1 : GROUPS_AT_ONCE
  const foldBlock = async (block: Block) => {
    const { rows, ends, addKeys } = groupRows(frame, keyVectors, block)
    const foldRows = createFolding(aggregation, vectors, createLoad(rows))
    let from = 0
    for (let i = 0; i < ends.length; i++) {
      const end = ends[i]
      if (end === from) continue
      keyBytes.clear()
      addKeys(i, keyBytes)
      const states = statesOf(groups, keyBytes.bytes, 0, keyBytes.length, aggregation)
      const before = bytesOfStates(aggregation, states)
      foldRows(from, end, states)
      groups.bytes += bytesOfStates(aggregation, states) - before
      const isLong = end - from > LONG_GROUP
      from = end
      if (i % groupsAtOnce !== 0 && !isLong) continue
      if (isBeyond(groups, grouping)) await shrink(groups, grouping)
      const pause = yieldIfDue()
      if (pause !== undefined) await pause
    }
    if (isBeyond(groups, grouping)) await shrink(groups, grouping)
  }
  const isShort = keyVectors.length <= 1 || frame.rows * keyVectors.length <= MAX_WHOLE_KEYS
  const isWhole = isShort && keyVectors.every(isFast) && isQuick(aggregation, vectors)
  if (isWhole) return foldBlock({ from: 0, to: frame.rows })
  const read = [...keyVectors, ...vectors].filter((vector) => vector !== undefined)
  for await (const block of blocksOf(frame, read, yieldIfDue)) await foldBlock(block)
}

/** The keys of a group, reused for the look-up of each group's states. */
const keyBytes = new KeyBytes()

/** The vector of a cut of time. Groups read no single value of the vector. */
const spansOf = (bucket: Bucket): Vector => ({ kind: 'spans', at: () => null, bucket })

/** Whether a key is read by a loop over a stored column, which takes little time for a whole batch. */
function isFast(key: Vector): boolean {
  switch (key.kind) {
    case 'constant':
    case 'spans':
    case 'entries':
    case 'numbers':
      return true
    case 'times':
    case 'areas':
    case 'bits':
    case 'computed':
      return false
  }
}

/** Whether the values of a key are evaluated when groups are folded, which may take long. */
const isEvaluated = (key: Vector) => key.kind === 'entries' && key.addKey === undefined
