import { describe, expect, it } from 'vitest'
import { DAY_US, HOUR_US } from '../../src/base/units.js'
import { limitsOf } from '../../src/retention/row-limits.js'
import { below, mulberry32, oneOf } from '../support/random.js'
import { runs } from '../support/runs.js'
import { testSeed } from '../support/seed.js'
import {
  type FileModel,
  type Held,
  hiddenThrough,
  PROJECTS,
  randomHistory,
  rowsTime,
  SETTLING_US,
  SOURCES,
  viewsTime,
} from './random-retention.js'

const CASES = runs(3_000)

/** The time through which rows were hidden at the settled time, by the file that held then. */
function removableThrough(held: readonly Held[], settledUs: number, timeOf: (file: FileModel) => number): number {
  const loaded = held.slice(0, held.findIndex(({ untilUs }) => untilUs > settledUs) + 1)
  return hiddenThrough(loaded, settledUs, timeOf)
}

describe('limits of rows', () => {
  const seed = testSeed()

  it(`are those of the file and of former files (seed ${seed})`, () => {
    let former = 0
    for (let i = 0; i < CASES; i++) {
      const random = mulberry32(seed + i)
      const { kept, nowUs: lastUs, held } = randomHistory(random)
      const limits = limitsOf(kept)
      const nowUs = lastUs + below(random, oneOf(random, [1, HOUR_US, 20 * DAY_US]))
      const shown = `seed ${seed + i}`
      for (const source of SOURCES) {
        const newestUs = limits.newestHiddenUs(source, nowUs)
        expect(newestUs, shown).toBeLessThanOrEqual(limits.newestOfAllUs(nowUs))
        for (const project of PROJECTS) {
          const timeOf = (one: FileModel) => rowsTime(one, source, project)
          const hiddenUs = limits.hiddenThroughUs(source, project, nowUs)
          expect(hiddenUs, `${shown} ${source} ${project}`).toBe(hiddenThrough(held, nowUs, timeOf))
          expect(hiddenUs, shown).toBeLessThanOrEqual(newestUs)
          if (hiddenUs > nowUs - timeOf(held.at(-1)!.file)) former++
          const settledUs = oneOf(random, [nowUs, nowUs - HOUR_US, nowUs - SETTLING_US, Number.NEGATIVE_INFINITY])
          const removableUs = limits.removableThroughUs(source, project, settledUs)
          expect(removableUs, `${shown} ${source} ${project}`).toBe(removableThrough(held, settledUs, timeOf))
          expect(removableUs, shown).toBeLessThanOrEqual(hiddenUs)
        }
      }
    }
    expect(former).toBeGreaterThan(CASES / 10)
  })

  it(`of views are those of project, tier and file (seed ${seed})`, () => {
    for (let i = 0; i < CASES; i++) {
      const { kept, nowUs, held } = randomHistory(mulberry32(seed + i))
      // Longer times may be forgotten earlier.
      const limits = limitsOf({ ...kept, formerRules: [], formerProjects: new Map() })
      for (const project of PROJECTS) {
        expect(limits.viewsHiddenThroughUs(project, nowUs), `seed ${seed + i} ${project}`).toBe(
          nowUs - viewsTime(held.at(-1)!.file, project),
        )
      }
    }
  })
})
