import { below, type Random } from './random.js'

/** A larger t counts as a real difference of means: the bound of TVLA and dudect. */
export const LEAK_T = 4.5

/** Welch's t between two groups of samples: the difference of their means in standard errors. */
function welchT(a: readonly number[], b: readonly number[]): number {
  const [left, right] = [momentsOf(a), momentsOf(b)]
  return Math.abs(left.mean - right.mean) / Math.sqrt(left.variance / a.length + right.variance / b.length)
}

function momentsOf(values: readonly number[]) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return { mean, variance: squares / (values.length - 1) }
}

/**
 * Returns the largest t between any two groups. Samples above the 95th percentile of all samples are left out: another
 * process interrupted the samples, which would hide the rest.
 */
export function worstT(groups: readonly (readonly number[])[]): number {
  const all = groups.flat().sort((a, b) => a - b)
  const limit = all[Math.floor(all.length * 0.95)]!
  const kept = groups.map((group) => group.filter((sample) => sample <= limit))
  return Math.max(...kept.flatMap((a, i) => kept.slice(i + 1).map((b) => welchT(a, b))))
}

/** Returns a new random order of the groups for each round, so that no group always follows the same group. */
export function shuffled(random: Random, groups: number): number[] {
  const order = [...Array(groups).keys()]
  for (let i = groups - 1; i > 0; i--) {
    const j = below(random, i + 1)
    ;[order[i], order[j]] = [order[j]!, order[i]!]
  }
  return order
}
