import { describe, expect, it } from 'vitest'
import type { Deletion } from '../../../../src/engine/deletion.js'
import { scan } from '../../../../src/plan/builder.js'
import { readAll } from '../../../support/engine.js'
import { createModelFiles } from '../../../support/model-files.js'
import { below, mulberry32 } from '../../../support/random.js'
import { runs } from '../../../support/runs.js'
import { testSeed } from '../../../support/seed.js'
import { ALL, append, deleteSome, eraseOne, expectErased, expectLeft, openWorld, restart } from './world.js'

const STEPS = 40

describe.each([
  ['on disk', createModelFiles],
  ['in memory', () => undefined],
])('deletions %s', (_, filesOf) => {
  const seed = testSeed()
  const worlds = runs(60)

  it(`hide exactly their rows, and remove them from the files (seed ${seed})`, {
    timeout: 60_000 + 10_000 * worlds,
  }, async () => {
    for (let i = 0; i < worlds; i++) {
      const random = mulberry32(seed + i)
      const world = await openWorld(filesOf())
      try {
        for (let step = 0; step < STEPS; step++) {
          const action = below(random, 10)
          if (action < 4) await append(random, world)
          else if (action < 6) await deleteSome(random, world)
          else if (action < 7) await eraseOne(random, world)
          else if (action < 8) await restart(random, world)
          else if (action < 9) await world.engine.seal()
          world.clock.advance(below(random, 4) * 60_000)
          if (below(random, 3) === 0) await expectLeft(world)
        }
        while (world.asked.some(({ isErased }) => !isErased)) {
          await eraseOne(random, world)
          await expectLeft(world)
        }
        await expectErased(world)
      } catch (error) {
        throw new Error(`seed ${seed + i}: ${(error as Error).message}`, { cause: error })
      }
    }
  })
})

it('rows of neighbours stay as they are, to the byte', async () => {
  const world = await openWorld(createModelFiles())
  const random = mulberry32(1)
  for (let i = 0; i < 10; i++) await append(random, world)
  await world.engine.seal()
  const plan = scan('edge_logs', ALL).select('id', 'timestamp', 'project', 'event_message', 'metadata').limit(1e9)
  const rowsOfOthers = async () =>
    (await readAll(await world.engine.run(plan))).filter(({ project }) => project !== 'b')
  const before = await rowsOfOthers()
  const lastHeads = await world.engine.deleting.closeHeads(['edge_logs'], 'b')
  const sources = new Map([...lastHeads].map(([source, lastHead]) => [source, { lastHead, where: undefined }]))
  const deletion: Deletion = { id: 'b', project: 'b', ...ALL, sources }
  world.engine.deleting.hide(deletion)
  const erased = await world.engine.deleting.erase(deletion, new AbortController().signal)
  expect(erased.rows).toBe(
    world.records.filter(({ project, source }) => project === 'b' && source === 'edge_logs').length,
  )
  expect(await rowsOfOthers()).toEqual(before)
  await world.engine.close()
})
