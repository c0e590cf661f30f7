import { afterEach, describe, expect, it, vi } from 'vitest'
import { createYielder, SLICE_MS } from '../../../src/base/scheduling/time-slices.js'

const LONG_MS = 1e9

/** Resolves in the next turn of the event loop. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('a pause', () => {
  afterEach(async () => {
    vi.restoreAllMocks()
    await nextTurn()
  })

  it('costs nothing while the slice lasts', () => {
    expect(createYielder(undefined, LONG_MS)()).toBeUndefined()
  })

  it('gives way to the event loop once the slice is used up, and begins a new one', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(1000)
    const yieldIfDue = createYielder()
    now.mockReturnValue(1000 + SLICE_MS - 1)
    expect(yieldIfDue()).toBeUndefined()
    now.mockReturnValue(1000 + SLICE_MS)
    let others = 0
    setImmediate(() => others++)
    const paused = yieldIfDue()
    expect(paused).toBeInstanceOf(Promise)
    await paused
    expect(others).toBe(1)
    expect(yieldIfDue()).toBeUndefined()
    now.mockReturnValue(1000 + 2 * SLICE_MS - 1)
    expect(yieldIfDue()).toBeUndefined()
    now.mockReturnValue(1000 + 2 * SLICE_MS)
    const again = yieldIfDue()
    expect(again).toBeInstanceOf(Promise)
    await again
  })

  it('is one for all parts of its work, however many wait: then they have a slice together', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(1000)
    const [yieldIfDue, other] = [createYielder(), createYielder()]
    now.mockReturnValue(1000 + SLICE_MS)
    const order: string[] = []
    const waiting = { first: yieldIfDue(), other: other(), second: yieldIfDue(), third: yieldIfDue() }
    const paused = Object.entries(waiting).map(([part, wait]) => wait!.then(() => order.push(part)))
    await waiting.third
    expect(order).toEqual(['first', 'second', 'third'])
    expect(yieldIfDue()).toBeUndefined()
    await Promise.all(paused)
    now.mockReturnValue(1000 + 2 * SLICE_MS)
    await expect(yieldIfDue()).resolves.toBeUndefined()
  })

  it('is shared by what begins in the same turn of the event loop', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(1000)
    const pauses = [createYielder()]
    now.mockReturnValue(1000 + SLICE_MS)
    pauses.push(createYielder())
    const paused = pauses.map((yieldIfDue) => yieldIfDue())
    for (const each of paused) expect(each).toBeInstanceOf(Promise)
    await Promise.all(paused)
    await nextTurn()
    expect(createYielder()()).toBeUndefined()
  })

  describe('between any two slices, whoever works, each in its turn', () => {
    /** Runs three tasks. Returns a letter for each slice and a dot for each turn of the event loop. */
    async function turnsAndSlices(): Promise<string> {
      const log: string[] = []
      const work = async (name: string) => {
        const yieldIfDue = createYielder(undefined, 0)
        for (let slice = 0; slice < 2; slice++) {
          await yieldIfDue()
          log.push(name)
        }
      }
      let isDone = false
      const turn = () => {
        log.push('.')
        if (!isDone) setImmediate(turn)
      }
      setImmediate(turn)
      await Promise.all(['a', 'b', 'c'].map(work))
      isDone = true
      return log.join('')
    }

    it('lets the event loop have some turns, since it accepts one connection in each', async () => {
      vi.spyOn(performance, 'now').mockReturnValue(1000)
      expect(await turnsAndSlices()).toMatch(/^\.{3,4}a\.{4}b\.{4}c\.{4}a\.{4}b\.{4}c$/)
    })

    it('lets it have one where turns take long, so that work does not wait for every batch of a flood', async () => {
      let nowMs = 1000
      vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 2))
      expect(await turnsAndSlices()).toMatch(/^\.?a\.b\.c\.a\.b\.c$/)
    })
  })

  it('throws the reason of an aborted signal, in a slice and between two', async () => {
    const reason = new Error('nobody waits')
    expect(createYielder(AbortSignal.abort(reason), LONG_MS)).toThrow(reason)
    const controller = new AbortController()
    const yieldIfDue = createYielder(controller.signal, 0)
    const paused = yieldIfDue()
    controller.abort(reason)
    await expect(paused).rejects.toBe(reason)
    expect(yieldIfDue).toThrow(reason)
  })

  it('throws nothing while the signal is not aborted', async () => {
    const { signal } = new AbortController()
    expect(createYielder(signal, LONG_MS)()).toBeUndefined()
    await expect(createYielder(signal, 0)()).resolves.toBeUndefined()
  })
})
