import { afterEach, describe, expect, it } from 'vitest'
import { createMetrics } from '../../../src/base/metrics.js'
import { systemClock } from '../../../src/base/time/clock.js'
import type { IngestBatch } from '../../../src/engine/engine.js'
import type { createIngest as CreateIngest, Ingest } from '../../../src/ingest/stream/ingest.js'
import { below, mulberry32 } from '../../support/random.js'
import { testSeed } from '../../support/seed.js'
import { rowsOf } from '../parsing.js'
import { storeInto } from '../rejected.js'

// The parsing thread runs the built program: run `npm run build` before the tests.
const { createIngest }: { createIngest: typeof CreateIngest } = await import(
  new URL('../../../dist/ingest/stream/ingest.js', import.meta.url).href
)

const SOURCES = ['edge_logs', 'auth_logs', 'postgres_logs']
const FULL = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
const never = () => new Promise<void>(() => {})

/** Row n is line n of the stream, counted from 1. */
const line = (n: number, source = 'edge_logs') => `${JSON.stringify({ source, id: `${n}` })}\n`

let open: Ingest[] = []
afterEach(async () => {
  await Promise.all(open.map((ingest) => ingest.close()))
  open = []
})

/** Starts a stream into an engine that stores a batch if `answer` resolves for the number of the batch, from 0. */
function start(answer: (batch: number) => Promise<void>) {
  const stored: number[] = []
  let batches = 0
  const engine = {
    async append(batch: IngestBatch) {
      await answer(batches++)
      stored.push(...rowsOf(batch).map(({ id }) => Number(id)))
      batch.release?.()
    },
  }
  const ingest = createIngest({ engine, metrics: createMetrics(), rejects: storeInto([]), clock: systemClock })
  open.push(ingest)
  return { ingest, stored, batches: () => batches }
}

async function until(done: () => boolean): Promise<void> {
  while (!done()) await new Promise((resolve) => setTimeout(resolve, 5))
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)
const linesOf = (from: number, to: number) =>
  Buffer.from(
    range(from, to)
      .map((n) => line(n))
      .join(''),
  )

describe('X1: rows that the engine refuses while the service stops', () => {
  it('are counted, with the first reason and the line before which all is stored', async () => {
    const { ingest, stored } = start(async (batch) => {
      if (batch > 0) throw new Error(`refused ${batch}`)
    })
    await ingest.write(linesOf(1, 11))
    await until(() => stored.length === 10)
    ingest.countUnstored()
    for (let from = 11; from < 5011; from += 500) await ingest.write(linesOf(from, from + 500))
    const { taken, unstored } = await ingest.end()
    expect([taken, unstored]).toEqual([10, { rows: 5000, reason: new Error('refused 1'), fromLine: 11 }])
    expect(stored).toEqual(range(1, 11))
  })

  it('are none if the last attempt succeeds', async () => {
    const { ingest, stored } = start(async () => {})
    ingest.countUnstored()
    await ingest.write(linesOf(1, 100))
    expect(await ingest.end()).toEqual({ taken: 99, rejected: 0, byReason: {} })
    expect(stored).toEqual(range(1, 100))
  })

  it('are counted even if they were sent before the stop', async () => {
    let refuse = () => {}
    const { ingest, batches } = start(() => new Promise((_, reject) => void (refuse = () => reject(FULL))))
    await ingest.write(linesOf(1, 51))
    await until(() => batches() === 1)
    ingest.countUnstored()
    refuse()
    expect((await ingest.end()).unstored).toEqual({ rows: 50, reason: FULL, fromLine: 1 })
  })

  it('are a failure without a stop, and nothing more is read', async () => {
    const { ingest } = start(() => Promise.reject(FULL))
    await ingest.write(linesOf(1, 51))
    await expect(ingest.end()).rejects.toThrow('ENOSPC')
    expect(ingest.totals()).toEqual({ taken: 0, rejected: 0, byReason: {} })
  })

  it('do not wait for an engine that hangs: a writer that waits for room goes on', async () => {
    const { ingest, batches } = start(never)
    const written = (async () => {
      for (let from = 1; from < 160_001; from += 10_000) await ingest.write(linesOf(from, from + 10_000))
    })()
    await until(() => batches() === 1)
    ingest.countUnstored()
    const reason = new Error('it hangs')
    ingest.giveUp(reason)
    await written
    expect((await ingest.end()).unstored).toEqual({ rows: 160_000, reason, fromLine: 1 })
    expect(batches()).toBe(1)
  })

  it('are those after the hang only', async () => {
    const { ingest, stored, batches } = start((batch) => (batch === 0 ? Promise.resolve() : never()))
    await ingest.write(linesOf(1, 31))
    await until(() => stored.length === 30)
    await ingest.write(linesOf(31, 41))
    await until(() => batches() === 2)
    const ended = ingest.end()
    ingest.giveUp(FULL)
    const { taken, unstored } = await ended
    expect([taken, unstored]).toEqual([30, { rows: 10, reason: FULL, fromLine: 31 }])
  })

  it('are none if all is stored when the waiting ends', async () => {
    const { ingest } = start(async () => {})
    await ingest.write(linesOf(1, 31))
    await ingest.flush()
    ingest.giveUp(FULL)
    expect(await ingest.end()).toEqual({ taken: 30, rejected: 0, byReason: {} })
  })

  it('of any stream: each line is stored, rejected, blank or counted, and none before the line is lost', async () => {
    const seed = testSeed()
    console.log(`X1 seed ${seed}`)
    const random = mulberry32(seed)
    for (let run = 0; run < 10; run++) {
      const refused = new Set(range(0, 12).filter(() => below(random, 3) === 0))
      const { ingest, stored } = start(async (batch) => {
        if (refused.has(batch)) throw FULL
      })
      ingest.countUnstored()
      const accepted: number[] = []
      let rejected = 0
      let next = 1
      for (let chunk = 0; chunk < 4; chunk++) {
        let text = ''
        for (const end = next + below(random, 3000); next < end; next++) {
          const kind = below(random, 10)
          if (kind === 0) text += '\n'
          else if (kind === 1) text += 'no json\n'
          else text += line(next, SOURCES[below(random, SOURCES.length)])
          if (kind === 1) rejected++
          if (kind > 1) accepted.push(next)
        }
        await ingest.write(Buffer.from(text))
        if (below(random, 2) === 0) await ingest.flush()
      }
      const totals = await ingest.end()
      const { rows = 0, fromLine = next } = totals.unstored ?? {}
      expect([totals.taken, totals.rejected, totals.taken + rows]).toEqual([stored.length, rejected, accepted.length])
      const kept = new Set(stored)
      expect(accepted.filter((n) => n < fromLine && !kept.has(n))).toEqual([])
      expect(rows > 0).toBe(totals.unstored !== undefined)
    }
  })
})
