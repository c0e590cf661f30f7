import { describe, expect, it } from 'vitest'
import { createMemoryBudget } from '../../../src/base/memory/memory-budget.js'
import { compressed, countedAnswer, streamBody } from '../../../src/http/reply/stream.js'
import { createFakeClock } from '../../support/clock.js'

const LIMITS = { bytes: 1_000, shareBytes: 400, smallBytes: 100, waitMs: 10_000, slowMs: 5_000 }

/** An answer of a head and chunks of the given lengths. The head is counted. */
function answerOf(headBytes: number, ...chunks: number[]) {
  const budget = createMemoryBudget(LIMITS, createFakeClock())
  const memory = budget.open()
  memory.add(headBytes)
  memory.startSending(() => {})
  const read = { chunks: 0, isEnded: false }
  const rest = {
    next: async () => {
      const bytes = chunks[read.chunks++]
      return bytes === undefined
        ? { done: true as const, value: undefined }
        : { done: false as const, value: new Uint8Array(bytes) }
    },
    return: async () => void (read.isEnded = true),
  }
  const head = headBytes === 0 ? undefined : new Uint8Array(headBytes)
  return { budget, memory, read, answer: countedAnswer({ head, rest }, memory) }
}

describe('an answer that is streamed', () => {
  it('counts its head, then each chunk until the next one is there', async () => {
    const { budget, answer } = answerOf(50, 20, 300, 5)
    const seen = [budget.usedBytes()]
    for (let i = 0; i < 4; i++) {
      await answer.rest.next()
      seen.push(budget.usedBytes())
    }
    expect(seen).toEqual([50, 20, 300, 5, 0])
  })

  it('counts as a stream: a chunk is read when the client wants it', async () => {
    const { budget, answer, read } = answerOf(50, 20, 30)
    const reader = streamBody(answer, () => {}).getReader()
    await reader.read()
    expect([read.chunks, budget.usedBytes()]).toEqual([0, 50])
    await reader.read()
    expect([read.chunks, budget.usedBytes()]).toEqual([1, 20])
    await reader.cancel()
    expect(read.isEnded).toBe(true)
  })

  it('waits with its next chunk while all answers are far beyond the budget', async () => {
    const { budget, answer, read } = answerOf(0, 20)
    const other = budget.open()
    other.add(1_251)
    other.startSending(() => {})
    const next = answer.rest.next()
    await new Promise((resolve) => setImmediate(resolve))
    expect(read.chunks).toBe(0)
    other.release()
    expect((await next).value?.byteLength).toBe(20)
  })

  it('counts nothing of its own once its share was released', async () => {
    const { budget, memory, answer } = answerOf(50, 20, 300)
    memory.release()
    await answer.rest.next()
    await answer.rest.next()
    expect(budget.usedBytes()).toBe(0)
  })

  it.each(['gzip', 'br'] as const)('counts before it is compressed as %s, and is read to its end', async (coding) => {
    const { budget, answer, read } = answerOf(50, 20, 300)
    const { rest } = compressed(answer, coding)
    while (!(await rest.next()).done) expect(budget.usedBytes()).toBeLessThanOrEqual(300)
    expect([read.chunks, budget.usedBytes()]).toEqual([3, 0])
  })
})
