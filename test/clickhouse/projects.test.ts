import { expect, it } from 'vitest'
import { projectsCall } from '../../src/endpoints/projects.js'
import { projectsOracle, recordsOfProjects } from '../oracle/projects.js'
import { readAll } from '../support/engine.js'
import { mulberry32 } from '../support/random.js'
import { testSeed } from '../support/seed.js'
import { onEachTarget, withRecords } from './on-targets.js'

const NOW_US = Date.UTC(2026, 10, 20, 10) * 1000

onEachTarget('the list of projects on %s', (target) => {
  it('has the counts of each project and source, of a bound token those of its projects', async () => {
    const seed = testSeed()
    console.log(`projects seed ${seed}`)
    const records = recordsOfProjects(mulberry32(seed), 300, NOW_US)
    await withRecords(target(), records, 20, async (engine) => {
      const rows = async (...projects: string[]) =>
        readAll(
          await engine.run(
            projectsCall({ projects: projects.length === 0 ? undefined : new Set(projects) }).plan(NOW_US),
          ),
        )
      expect(await rows()).toEqual(projectsOracle(records))
      for (const projects of [['a'], ['__proto__', 'é', 'nobody'], ['']]) {
        expect(await rows(...projects)).toEqual(projectsOracle(records, projects))
      }
    })
  })
})
