import { createRandom, type Random } from './random.js'
import { letters, uuidText } from './text.js'

/** Rank of the project with 10 % of the rows. */
export const TOP_RANK = 0
/** Rank of the project with 0.05 % of the rows. */
export const SMALL_RANK = 1
const TOP_SHARE = 0.1
const SMALL_SHARE = 0.0005

const FUNCTION_NAMES = ['hello-world', 'send-email', 'stripe-webhook', 'resize-image', 'daily-digest', 'og-image']

/** A function that a project has deployed. */
export interface ProjectFunction {
  id: string
  name: string
  version: number
}

/** A project of the platform: the values that the project's records share. */
export interface Project {
  /** 20 lowercase letters. */
  ref: string
  functions: readonly ProjectFunction[]
}

// Streams of a seed: 0 for records, 1 for refs, 2 for functions. The rank makes each project independent of the others.
const randomOf = (seed: number, rank: number, stream: number) => createRandom(seed + rank * 7919, stream)

/** Returns the ref of the project with this rank: 20 lowercase letters, the same for the same seed. */
export function projectRef(seed: number, rank: number): string {
  return letters(randomOf(seed, rank, 1), 20)
}

/** Returns the two to four functions of the project with this rank. */
export function projectFunctions(seed: number, rank: number): ProjectFunction[] {
  const random = randomOf(seed, rank, 2)
  const first = random.below(FUNCTION_NAMES.length)
  return Array.from({ length: 2 + random.below(3) }, (_, i) => ({
    id: uuidText(random),
    name: FUNCTION_NAMES[(first + i) % FUNCTION_NAMES.length],
    version: 1 + random.below(40),
  }))
}

/** Returns the share of rows per rank. The sum is 1. The shares after the two named ranks fall as in Zipf's law. */
export function projectShares(projects: number): number[] {
  const tail = Array.from({ length: Math.max(0, projects - 2) }, (_, i) => 1 / (i + 10))
  const tailWeight = tail.reduce((sum, weight) => sum + weight, 0)
  const shares = [TOP_SHARE, SMALL_SHARE, ...tail.map((w) => (w / tailWeight) * (1 - TOP_SHARE - SMALL_SHARE))]
  const used = shares.slice(0, projects)
  const total = used.reduce((sum, share) => sum + share, 0)
  return used.map((share) => share / total)
}

/** Returns a function that draws projects by their shares, each draw in constant time. */
export function createProjects(seed: number, count: number): (random: Random) => Project {
  const projects = Array.from({ length: count }, (_, rank) => ({
    ref: projectRef(seed, rank),
    functions: projectFunctions(seed, rank),
  }))
  const { probability, alias } = aliasTable(projectShares(count))
  return (random) => {
    const column = random.below(count)
    return projects[random.unit() < probability[column] ? column : alias[column]]
  }
}

/** Walker's alias method, in Vose's form: column i means i with probability `probability[i]`, else `alias[i]`. */
function aliasTable(shares: readonly number[]) {
  const probability = Float64Array.from(shares, (share) => share * shares.length)
  const alias = new Uint32Array(shares.length)
  const small = [...probability.keys()].filter((i) => probability[i] < 1)
  const large = [...probability.keys()].filter((i) => probability[i] >= 1)
  while (small.length > 0 && large.length > 0) {
    const [less, more] = [small.pop()!, large.pop()!]
    alias[less] = more
    probability[more] -= 1 - probability[less]
    ;(probability[more] < 1 ? small : large).push(more)
  }
  for (const i of [...small, ...large]) probability[i] = 1
  return { probability, alias }
}
