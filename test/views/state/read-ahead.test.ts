import { describe, expect, it } from 'vitest'
import type { GroupStream, StateGroup } from '../../../src/views/state/group.js'
import { readAhead } from '../../../src/views/state/read-ahead.js'

const group = (bucketUs: number): StateGroup => ({
  ...{ project: Buffer.alloc(1), bucketUs, keys: Buffer.alloc(0), states: Buffer.alloc(0) },
  ...{ isRest: false, isPartial: false },
})

/** A stream that notes what it reads, and its end. */
function noted(batches: number, failsAt = Number.POSITIVE_INFINITY) {
  const events: string[] = []
  async function* read() {
    try {
      for (let i = 0; i < batches; i++) {
        events.push(`read ${i}`)
        if (i === failsAt) throw new Error('damaged')
        yield [group(i)]
      }
    } finally {
      events.push('closed')
    }
  }
  const stream: GroupStream = { [Symbol.asyncIterator]: read }
  return { events, stream }
}

async function bucketsIn(stream: GroupStream): Promise<number[]> {
  const buckets: number[] = []
  for await (const groups of stream) buckets.push(...groups.map(({ bucketUs }) => bucketUs))
  return buckets
}

describe('a stream that is read ahead', () => {
  it('reads its first groups at once, and all groups once', async () => {
    const { events, stream } = noted(3)
    const ahead = readAhead(stream)
    expect(events).toEqual(['read 0'])
    expect(await bucketsIn(ahead)).toEqual([0, 1, 2])
    expect(events).toEqual(['read 0', 'read 1', 'read 2', 'closed'])
    await ahead.end()
    expect(events.length).toBe(4)
  })

  it('closes what is open, whether it was iterated or not', async () => {
    const unread = noted(3)
    await readAhead(unread.stream).end()
    expect(unread.events).toEqual(['read 0', 'closed'])
    const begun = noted(3)
    for await (const _ of readAhead(begun.stream)) break
    expect(begun.events).toEqual(['read 0', 'closed'])
  })

  it('throws the error of its first groups when it is iterated, and not before', async () => {
    const { events, stream } = noted(3, 0)
    const ahead = readAhead(stream)
    await new Promise((resolve) => setImmediate(resolve))
    await expect(bucketsIn(ahead)).rejects.toThrow('damaged')
    expect(events).toEqual(['read 0', 'closed'])
    const other = readAhead(noted(3, 0).stream)
    await other.end()
  })
})
