import { BUCKET_US, truncate } from '../../../base/buckets.js'
import type { BucketUnit } from '../../plan.js'
import type { Batch } from '../columns/batch.js'
import { timeAt } from '../columns/batch.js'
import { rowAt, type Selection, sizeOf } from '../columns/selection.js'
import { firstRowAt } from './filter.js'

/**
 * Stretches of a selection with rows of one bucket: span i has the positions [ends[i - 1], ends[i]) and the bucket that
 * starts at `bucketsUs[i]`. Rows that ascend in time have one span per bucket; others may have several.
 */
export interface Spans {
  bucketsUs: number[]
  ends: number[]
}

/** Divides the selected rows into spans of one bucket. Reads no row if the whole batch is in one bucket. */
export function spansByBucket(batch: Batch, selection: Selection, unit: BucketUnit): Spans {
  const first = truncate(batch.minUs, unit)
  if (first === truncate(batch.maxUs, unit)) return { bucketsUs: [first], ends: [sizeOf(selection)] }
  return selection.kind === 'range' && selection.timeOrdered
    ? spansOfRange(batch, selection.start, selection.end, unit)
    : spansOfRows(batch, selection, unit)
}

function spansOfRange({ times }: Batch, start: number, end: number, unit: BucketUnit): Spans {
  const spans: Spans = { bucketsUs: [], ends: [] }
  for (let row = start; row < end; ) {
    const bucketUs = truncate(timeAt(times, row), unit)
    row = firstRowAt(times, row + 1, end, bucketUs + BUCKET_US[unit])
    spans.bucketsUs.push(bucketUs)
    spans.ends.push(row - start)
  }
  return spans
}

function spansOfRows({ times }: Batch, selection: Selection, unit: BucketUnit): Spans {
  const spans: Spans = { bucketsUs: [], ends: [] }
  const size = sizeOf(selection)
  let bucketUs = Number.NaN
  let bucketEndUs = Number.NEGATIVE_INFINITY
  for (let position = 0; position < size; position++) {
    const timestampUs = timeAt(times, rowAt(selection, position))
    if (timestampUs >= bucketUs && timestampUs < bucketEndUs) continue
    if (position > 0) spans.ends.push(position)
    bucketUs = truncate(timestampUs, unit)
    bucketEndUs = bucketUs + BUCKET_US[unit]
    spans.bucketsUs.push(bucketUs)
  }
  spans.ends.push(size)
  return spans
}
