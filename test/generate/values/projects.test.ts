import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createProjects, projectFunctions, projectRef, projectShares } from '../../../src/generate/values/projects.js'
import { createRandom } from '../../../src/generate/values/random.js'

it('makes refs of 20 lowercase letters that do not repeat', () => {
  const refs = Array.from({ length: 4_000 }, (_, rank) => projectRef(1, rank))
  for (const ref of refs) expect(ref).toMatch(/^[a-z]{20}$/)
  expect(new Set(refs).size).toBe(refs.length)
})

it('makes the same projects for the same seed, others for another', () => {
  expect(projectRef(5, 3)).toBe(projectRef(5, 3))
  expect(projectRef(5, 3)).not.toBe(projectRef(6, 3))
  expect(projectFunctions(5, 3)).toEqual(projectFunctions(5, 3))
})

it('shares out all rows, whatever the number of projects', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3_000 }), (projects) => {
      const shares = projectShares(projects)
      expect(shares).toHaveLength(projects)
      expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9)
      expect(Math.min(...shares)).toBeGreaterThan(0)
    }),
  )
})

it('draws each project as often as its share says', () => {
  const draws = 400_000
  const draw = createProjects(9, 20)
  const random = createRandom(9)
  const counts = new Map<string, number>()
  for (let i = 0; i < draws; i++) {
    const { ref } = draw(random)
    counts.set(ref, (counts.get(ref) ?? 0) + 1)
  }
  projectShares(20).forEach((share, rank) => {
    const seen = (counts.get(projectRef(9, rank)) ?? 0) / draws
    // Six standard deviations of a binomial count: a wrong table deviates by far more, chance does not.
    expect(Math.abs(seen - share)).toBeLessThan(6 * Math.sqrt(share / draws))
  })
})
