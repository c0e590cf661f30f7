import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import { mulberry32 } from '../../support/random.js'
import { testSeed } from '../../support/seed.js'
import { allNumbers, feed, watchHighest } from './numbered.js'
import { serve, temporaryFolder } from './program.js'

export const ROWS_PER_SECOND = 20_000
const FEED_MS = [300, 2_500] as const

/**
 * Writes rows to a process and kills the process at a random moment, `kills` times. After each restart, expects every
 * row that a query had shown, no row twice, no gap below the newest row, and a loss of at most one second of rows that
 * no query had shown.
 */
export async function expectAllKeptOver(kills: number): Promise<void> {
  const seed = testSeed()
  console.log(`D1 seed ${seed}`)
  const random = mulberry32(seed)
  const args = ['--data-dir', temporaryFolder()]
  const startUs = Date.now() * 1000 - 3600e6
  let kept = 0
  for (let kill = 0; kill < kills; kill++) {
    const { shown, written } = await feedAndKill(args, kept, startUs, random)
    const service = await serve(args)
    const isLast = kill === kills - 1
    const from = isLast ? 0 : kept
    const numbers = await allNumbers(service, startUs, { from })
    kept = from + numbers.length
    expect(numbers).toEqual(Array.from(numbers, (_, i) => from + i))
    expect(kept).toBeGreaterThan(shown)
    expect(written - kept).toBeLessThanOrEqual(ROWS_PER_SECOND)
    service.child.kill('SIGKILL')
    await service.exit
  }
  console.log(`D1 ${kills} of ${kills} kills, ${kept} rows`)
}

/**
 * Writes rows until a random moment, then kills the service. Returns the highest number that a query showed, and the
 * rows written.
 */
async function feedAndKill(args: readonly string[], from: number, startUs: number, random: () => number) {
  const service = await serve(args)
  const stopFeed = feed(service, from, startUs, ROWS_PER_SECOND)
  const stopWatch = watchHighest(service)
  await wait(FEED_MS[0] + random() * (FEED_MS[1] - FEED_MS[0]))
  const written = stopFeed()
  service.child.kill('SIGKILL')
  await service.exit
  return { written, shown: await stopWatch() }
}
