import { type HotBatch, timeAt } from '../columns/batch.js'
import { rowAt, type Selection, sizeOf } from '../columns/selection.js'
import type { Bucket } from '../expressions/vector.js'
import { firstRowAt } from '../filtering/filter-rows.js'

/**
 * Stretches of a selection, each in a single time bucket: the i-th covers the positions [ends[i - 1], ends[i]) and is
 * in the bucket that starts at `bucketsUs[i]`. Rows that ascend in time give one span for each bucket. Other rows may
 * give more.
 */
export interface Spans {
  bucketsUs: number[]
  ends: number[]
}

/** Cuts the timestamps of the selected rows down to buckets. Reads no row if the whole batch is in a single bucket. */
export function bucketSpans(batch: HotBatch, selection: Selection, bucket: Bucket): Spans {
  const size = sizeOf(selection)
  if (size === 0) return { bucketsUs: [], ends: [] }
  const first = bucket.startOf(batch.minUs)
  if (first === bucket.startOf(batch.maxUs)) return { bucketsUs: [first], ends: [size] }
  return selection.kind === 'range' && selection.timeOrdered
    ? spansOfRange(batch, selection.start, selection.end, bucket)
    : spansOfRows(batch, selection, bucket)
}

function spansOfRange({ times }: HotBatch, start: number, end: number, { startOf, endOf }: Bucket): Spans {
  const spans: Spans = { bucketsUs: [], ends: [] }
  for (let row = start; row < end; ) {
    const bucketUs = startOf(timeAt(times, row))
    row = firstRowAt(times, row + 1, end, endOf(bucketUs))
    spans.bucketsUs.push(bucketUs)
    spans.ends.push(row - start)
  }
  return spans
}

function spansOfRows({ times }: HotBatch, selection: Selection, { startOf, endOf }: Bucket): Spans {
  const spans: Spans = { bucketsUs: [], ends: [] }
  const size = sizeOf(selection)
  let bucketUs = Number.NaN
  let bucketEndUs = Number.NEGATIVE_INFINITY
  for (let position = 0; position < size; position++) {
    const timestampUs = timeAt(times, rowAt(selection, position))
    if (timestampUs >= bucketUs && timestampUs < bucketEndUs) continue
    if (position > 0) spans.ends.push(position)
    bucketUs = startOf(timestampUs)
    bucketEndUs = endOf(bucketUs)
    spans.bucketsUs.push(bucketUs)
  }
  spans.ends.push(size)
  return spans
}
