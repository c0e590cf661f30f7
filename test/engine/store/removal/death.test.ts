import { expect, it } from 'vitest'
import { createModelFiles } from '../../../support/model-files.js'
import { below, mulberry32 } from '../../../support/random.js'
import { costlyRuns } from '../../../support/runs.js'
import { testSeed } from '../../../support/seed.js'
import { append, deleteSome, eraseOne, expectErased, expectLeft, openWorld, startAgain, type World } from './world.js'

/** Erases all deletions, until that is done or the process has died. Returns whether the process has died. */
async function eraseUntilDeath(world: World, seed: number): Promise<boolean> {
  const random = mulberry32(seed)
  let isDone = false
  const done = () => {
    isDone = true
  }
  const eraseAll = async () => {
    while (world.asked.some(({ isErased }) => !isErased)) await eraseOne(random, world)
  }
  eraseAll().then(done, done)
  const isDead = () =>
    world.files!.list('').then(
      () => false,
      () => true,
    )
  while (!isDone) if (await isDead()) return true
  return isDead()
}

const seed = testSeed()
// The number of calls is not known before: each run dies some calls later than the one before.
const deaths = costlyRuns(200)

it(`a process that dies while it erases shows no deleted row, and erases on (seed ${seed})`, {
  timeout: 60_000 + 3_000 * deaths,
}, async () => {
  const step = 200 / deaths
  for (let run = 0; ; run++) {
    const random = mulberry32(seed + run)
    const world = await openWorld(createModelFiles())
    for (let i = 0; i < 6; i++) await append(random, world)
    await world.engine.seal()
    for (let i = 0; i < 3; i++) await deleteSome(random, world)
    const share = below(random, 3) / 2
    world.files!.fail({ code: 'DIED', after: Math.floor(run * step + random() * step), share })
    const hasDied = await eraseUntilDeath(world, seed)
    if (hasDied) {
      world.files = below(random, 2) === 0 ? world.files!.restart() : world.files!.cutPower(random)
      await startAgain(world)
      await expectLeft(world)
      expect(await eraseUntilDeath(world, seed)).toBe(false)
    }
    await expectErased(world)
    if (!hasDied) return
  }
})
