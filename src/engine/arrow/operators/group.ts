import type { Spans } from './truncate.js'

/**
 * Dense ids for the buckets of some spans: span i belongs to group `ids[i]`, whose bucket starts at
 * `bucketsUs[id]`.
 */
export interface BucketGroups {
  bucketsUs: number[]
  ids: Uint32Array
}

/** Assigns an id to each distinct bucket, in order of first appearance. */
export function groupSpans({ bucketsUs: spanBucketsUs }: Spans): BucketGroups {
  const idOf = new Map<number, number>()
  const ids = new Uint32Array(spanBucketsUs.length)
  spanBucketsUs.forEach((bucketUs, span) => {
    const id = idOf.get(bucketUs) ?? idOf.size
    idOf.set(bucketUs, id)
    ids[span] = id
  })
  return { bucketsUs: [...idOf.keys()], ids }
}
