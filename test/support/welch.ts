import { below, type Random } from './random.js'

/** From here on a difference of means is taken for real: the bound of TVLA and dudect. */
export const LEAK_T = 4.5

/** Welch's t between two groups of samples: how far their means differ, in standard errors. */
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
 * The largest t between any two groups. What lies above the 95th percentile of all samples together is left out of all
 * groups alike: those were cut short by another process, and drown the rest.
 */
export function worstT(groups: readonly (readonly number[])[]): number {
  const all = groups.flat().sort((a, b) => a - b)
  const limit = all[Math.floor(all.length * 0.95)]!
  const kept = groups.map((group) => group.filter((sample) => sample <= limit))
  return Math.max(...kept.flatMap((a, i) => kept.slice(i + 1).map((b) => welchT(a, b))))
}

/** The order in which `groups` groups are asked in a round, a new one each: none is always behind the same other. */
export function shuffled(random: Random, groups: number): number[] {
  const order = [...Array(groups).keys()]
  for (let i = groups - 1; i > 0; i--) {
    const j = below(random, i + 1)
    ;[order[i], order[j]] = [order[j]!, order[i]!]
  }
  return order
}
