import type { Spans } from './truncate.js'

/** Dense numbers for the buckets of some spans: span i belongs to group `ids[i]`, whose bucket starts at `bucketsUs[id]`. */
export interface Groups {
  bucketsUs: number[]
  ids: Uint32Array
}

/** Gives each distinct bucket one group, in order of first appearance. */
export function group({ bucketsUs: spanBucketsUs }: Spans): Groups {
  const idOf = new Map<number, number>()
  const ids = new Uint32Array(spanBucketsUs.length)
  spanBucketsUs.forEach((bucketUs, span) => {
    const id = idOf.get(bucketUs) ?? idOf.size
    idOf.set(bucketUs, id)
    ids[span] = id
  })
  return { bucketsUs: [...idOf.keys()], ids }
}
