import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { mulberry32 } from '../../support/random.js'
import { serve, temporaryFolder } from '../program.js'
import { allNumbers, feed, highestShown, watchHighest } from './numbered.js'

const CYCLES = Number(process.env.LOGWEIR_TEST_KILLS ?? 3)
const ROWS_PER_SECOND = 20_000
const FEED_MS = [300, 2_500] as const

/** Feeds a service until a random moment, kills it, and gives the highest number that a query had shown. */
async function feedAndKill(args: readonly string[], from: number, startUs: number, random: () => number) {
  const service = await serve(args)
  const stopFeed = feed(service, from, startUs, ROWS_PER_SECOND)
  const stopWatch = watchHighest(service)
  await wait(FEED_MS[0] + random() * (FEED_MS[1] - FEED_MS[0]))
  service.child.kill('SIGKILL')
  await service.exit
  stopFeed()
  return stopWatch()
}

describe('a process that is killed while rows stream in', () => {
  it(`D1: keeps every row that a query has shown, none twice, in ${CYCLES} of ${CYCLES} kills`, async () => {
    const seed = Date.now() % 1e9
    console.log(`D1 seed ${seed}`)
    const random = mulberry32(seed)
    const args = ['--data-dir', temporaryFolder()]
    const startUs = Date.now() * 1000 - 3600e6
    let kept = 0
    for (let cycle = 0; cycle < CYCLES; cycle++) {
      const shown = await feedAndKill(args, kept, startUs, random)
      const service = await serve(args)
      const numbers = await allNumbers(service, startUs)
      kept = numbers.length
      expect(numbers.reverse()).toEqual([...Array(kept).keys()])
      expect(kept).toBeGreaterThan(shown)
      service.child.kill('SIGKILL')
      await service.exit
    }
    expect(kept).toBeGreaterThan(1000)
  })

  it('D1c: loses rows without a journal, so that the test above can fail', async () => {
    const random = mulberry32(1)
    const startUs = Date.now() * 1000 - 3600e6
    const shown = await feedAndKill(['--in-memory'], 0, startUs, random)
    expect(shown).toBeGreaterThan(0)
    expect(await highestShown(await serve(['--in-memory']))).toBe(-1)
  })
})
