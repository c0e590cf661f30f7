import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  budgetLimits,
  createMemoryBudget,
  createMeter,
  createQueryYielder,
  type MemoryShare,
} from '../../../src/base/memory/memory-budget.js'
import { GIB, MIB } from '../../../src/base/units.js'
import { createFakeClock } from '../../support/clock.js'

const LIMITS = { bytes: 160, shareBytes: 40, smallBytes: 10, waitMs: 10_000, slowMs: 5_000 }
const PROGRESS = 64 * 1024

function setup(limits = LIMITS) {
  const clock = createFakeClock()
  const budget = createMemoryBudget(limits, clock)
  const opened = (bytes: number) => {
    const share = budget.open()
    share.add(bytes)
    return share
  }
  const large = () => {
    const share = opened(20)
    expect(share.room()).toBeUndefined()
    return share
  }
  const sending = (bytes: number) => {
    const share = opened(bytes)
    const cuts = { count: 0 }
    share.startSending(() => cuts.count++)
    return { share, cuts }
  }
  return { clock, budget, opened, large, sending }
}

/** Follows a promise: how it has settled, after the pending microtasks. */
function watch(waiting: Promise<void> | undefined) {
  const seen = { outcome: 'waits' }
  expect(waiting).toBeInstanceOf(Promise)
  waiting!.then(
    () => (seen.outcome = 'goes on'),
    (error) => (seen.outcome = error.code ?? String(error)),
  )
  return async () => {
    await new Promise((resolve) => setImmediate(resolve))
    return seen.outcome
  }
}

describe('a running query', () => {
  test('that is small never waits, whatever others hold', () => {
    const { large, opened, sending } = setup()
    large()
    large()
    sending(500)
    expect(opened(10).room()).toBeUndefined()
  })

  test('that is large goes on while every large one can grow to its limit', () => {
    const { large, opened } = setup()
    large()
    large()
    expect(opened(11).room()).toBeInstanceOf(Promise)
  })

  test('that is large already goes on up to its limit, and is refused beyond it', () => {
    const { large, budget } = setup()
    const share = large()
    share.add(20)
    expect([share.room(), share.bytes, budget.usedBytes()]).toEqual([undefined, 40, 40])
    share.add(1)
    expect(() => share.room()).toThrow(
      expect.objectContaining({ code: 'too_much_memory', message: expect.stringMatching(/holds more than 0 MiB/) }),
    )
  })

  const endings: Record<string, (share: MemoryShare) => void> = {
    'is released': (share) => share.release(),
    'is released twice': (share) => [share.release(), share.release()],
    'gives its answer to a client that has taken it': (share) => {
      share.startSending(() => {})
      share.add(-20)
    },
  }
  test.each(Object.entries(endings))('waits until another one %s', async (_, end) => {
    const { large, opened } = setup()
    const first = large()
    large()
    const waiting = opened(20)
    const state = watch(waiting.room())
    expect(await state()).toBe('waits')
    end(first)
    expect([await state(), waiting.room()]).toEqual(['goes on', undefined])
  })

  test('waits in FIFO order, one for each place', async () => {
    const { large, opened } = setup()
    const [one, two] = [large(), large()]
    const states = [20, 20, 20].map((bytes) => watch(opened(bytes).room()))
    const all = () => Promise.all(states.map((state) => state()))
    one.release()
    expect(await all()).toEqual(['goes on', 'waits', 'waits'])
    two.release()
    expect(await all()).toEqual(['goes on', 'goes on', 'waits'])
  })

  test('is refused after 10 s, and leaves the queue', async () => {
    const { clock, large, opened } = setup()
    const first = large()
    large()
    const refused = watch(opened(20).room())
    clock.advance(9_999)
    const later = watch(opened(20).room())
    expect(await refused()).toBe('waits')
    clock.advance(1)
    expect([await refused(), await later()]).toEqual(['overloaded', 'waits'])
    first.release()
    expect(await later()).toBe('goes on')
  })

  test.each(['before', 'while it waits'])('whose client leaves %s rejects with the reason', async (when) => {
    const { clock, large, opened } = setup()
    large()
    large()
    const leaves = new AbortController()
    if (when === 'before') leaves.abort({ code: 'abandoned' })
    const state = watch(opened(20).room(leaves.signal))
    leaves.abort({ code: 'abandoned' })
    expect([await state(), clock.timers]).toEqual(['abandoned', 0])
  })

  test('that yields waits for its room first', async () => {
    const { large, opened } = setup()
    const first = large()
    large()
    const yieldIfDue = createQueryYielder(opened(20))
    const state = watch(yieldIfDue())
    expect(await state()).toBe('waits')
    first.release()
    expect(await state()).toBe('goes on')
  })
})

describe('an answer that waits for its client', () => {
  test('takes the place of a large query beyond its half, and has no limit of its own', async () => {
    const { large, opened, sending } = setup()
    const { share } = sending(81)
    expect(share.room()).toBeUndefined()
    large()
    const state = watch(opened(20).room())
    share.add(80)
    expect([share.room(), await state()]).toEqual([undefined, 'waits'])
    share.add(-80)
    expect(await state()).toBe('waits')
    share.add(-1)
    expect(await state()).toBe('goes on')
  })

  test('delays further ones while all have more than their half', async () => {
    const { opened, sending } = setup()
    sending(80)
    expect([opened(0).roomToSend(), opened(0).hasRoomToSend()]).toEqual([undefined, true])
    const { share } = sending(1)
    const states = [0, 0].map((bytes) => watch(opened(bytes).roomToSend()))
    expect(opened(0).hasRoomToSend()).toBe(false)
    share.release()
    expect(await Promise.all(states.map((state) => state()))).toEqual(['goes on', 'goes on'])
  })

  test('has its next chunk at once unless all together are a quarter beyond the budget', async () => {
    const { sending } = setup()
    const [{ share: one }, { share: two }] = [sending(100), sending(100)]
    expect(one.roomForChunk()).toBeUndefined()
    two.add(1)
    const state = watch(one.roomForChunk())
    expect(await state()).toBe('waits')
    two.add(-1)
    expect(await state()).toBe('goes on')
  })

  test('is cut if its client is slow and others wait: the largest first, and no more than needed', async () => {
    const { clock, budget, opened, sending } = setup()
    const [small, largest, middle] = [sending(20), sending(50), sending(30)]
    const state = watch(opened(0).roomToSend())
    clock.advance(4_999)
    expect(largest.cuts.count).toBe(0)
    clock.advance(1_000)
    expect([small, largest, middle].map(({ cuts }) => cuts.count)).toEqual([0, 1, 0])
    expect([await state(), budget.usedBytes()]).toEqual(['goes on', 50])
  })

  test('is not cut while nobody waits', () => {
    const { clock, sending } = setup()
    const answers = [sending(90), sending(90)]
    clock.advance(60_000)
    expect(answers.map(({ cuts }) => cuts.count)).toEqual([0, 0])
  })

  test('is not cut while its client takes 64 KiB every 5 s: the query that waits is refused', async () => {
    const { clock, opened, sending } = setup()
    const { share, cuts } = sending(90)
    const state = watch(opened(0).roomToSend())
    for (let seconds = 0; seconds < 10; seconds++) {
      clock.advance(1_000)
      share.taken(PROGRESS / 4)
    }
    expect([await state(), cuts.count]).toEqual(['overloaded', 0])
  })

  test('is cut if its client takes a little less', async () => {
    const { clock, opened, sending } = setup()
    const { share, cuts } = sending(90)
    watch(opened(0).roomToSend())
    for (let seconds = 0; seconds < 10; seconds++) {
      clock.advance(1_000)
      share.taken(PROGRESS / 6)
    }
    expect(cuts.count).toBe(1)
  })

  test('counts nothing once it was released', () => {
    const { budget, sending } = setup()
    const { share } = sending(10)
    share.release()
    share.add(50)
    share.startSending(() => {})
    share.add(50)
    expect([budget.usedBytes(), share.bytes]).toEqual([0, 0])
  })
})

test('C3: in random use, large queries always have room to grow, and all bytes come back', async () => {
  const action = fc.constantFrom('open', 'grow', 'send', 'take', 'release', 'time') as fc.Arbitrary<string>
  const step = fc.record({ action, of: fc.nat(9), bytes: fc.integer({ min: 1, max: 15 }) })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
      const { clock, budget } = setup()
      // The oracle: the bytes and the state of each query.
      const queries: { share: MemoryShare; bytes: number; is: 'small' | 'large' | 'waits' | 'sends' | 'ended' }[] = []
      const sum = (...states: string[]) =>
        queries.filter(({ is }) => states.includes(is)).reduce((bytes, one) => bytes + one.bytes, 0)
      for (const { action, of, bytes } of steps) {
        const query = queries[of]
        if (action === 'open' && queries.length < 10) {
          queries.push({ share: budget.open(), bytes: 0, is: 'small' })
        } else if (action === 'time') clock.advance(500 * bytes)
        else if (query === undefined || query.is === 'ended') continue
        else if (action === 'release') {
          query.share.release()
          query.is = 'ended'
        } else if (action === 'send' && (query.is === 'small' || query.is === 'large')) {
          query.is = 'sends'
          query.share.startSending(() => void (query.is = 'ended'))
        } else if (action === 'take' && query.is === 'sends') {
          const taken = Math.min(query.bytes, bytes)
          query.bytes -= taken
          query.share.add(-taken)
        } else if (action === 'grow' && query.is !== 'sends' && query.is !== 'waits') {
          if (query.bytes + bytes > LIMITS.shareBytes) continue
          query.bytes += bytes
          query.share.add(bytes)
          const waiting = query.share.room()
          if (waiting !== undefined) {
            query.is = 'waits'
            waiting.then(
              () => void (query.is = query.is === 'waits' ? 'large' : query.is),
              () => {
                query.share.release()
                query.is = 'ended'
              },
            )
          } else if (query.bytes > LIMITS.smallBytes) query.is = 'large'
        }
        await new Promise((resolve) => setImmediate(resolve))
        expect(budget.usedBytes()).toBe(sum('small', 'large', 'waits', 'sends'))
        // Answers begin with the memory that running queries held. Only small queries add to the reserved memory.
        const large = queries.filter(({ is }) => is === 'large').length
        expect(large * LIMITS.shareBytes + sum('sends')).toBeLessThanOrEqual(LIMITS.bytes + 10 * LIMITS.smallBytes)
      }
      for (const { share } of queries) share.release()
      expect([budget.usedBytes(), clock.timers]).toEqual([0, 0])
    }),
  )
})

test('a meter counts the difference to what it counted before', () => {
  const { budget, opened } = setup()
  const share = opened(0)
  const [one, two] = [createMeter(share), createMeter(share)]
  const seen: number[] = []
  for (const [meter, bytes] of [
    [one, 5],
    [two, 7],
    [one, 2],
    [one, 2],
    [two, 0],
    [one, 0],
  ] as const) {
    meter(bytes)
    seen.push(budget.usedBytes())
  }
  expect(seen).toEqual([5, 12, 9, 9, 2, 0])
})

test.each([
  [16, 2, 1],
  [256, 48, 24],
  [512, 112, 56],
  [1024, 240, 120],
  [24 * 1024, 6128, 128],
])('with a limit of %i MiB, %i MiB are for queries, and %i MiB for each', (mib, all, each) => {
  const { bytes, shareBytes, smallBytes } = budgetLimits(mib * MIB)
  expect([bytes, shareBytes, smallBytes]).toEqual([all * MIB, each * MIB, (each * MIB) / 16])
})

test('without a memory limit, one query has 128 MiB', () => {
  expect(budgetLimits(Number.POSITIVE_INFINITY).shareBytes).toBe(GIB / 8)
})
