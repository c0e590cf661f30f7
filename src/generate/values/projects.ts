import { createRandom, type Random } from './random.js'
import { letters, uuidText } from './text.js'

/** The rank of the project that has 10 % of the rows, and of the one that has 0.05 %. */
export const TOP_RANK = 0
export const SMALL_RANK = 1
const TOP_SHARE = 0.1
const SMALL_SHARE = 0.0005

const FUNCTION_NAMES = ['hello-world', 'send-email', 'stripe-webhook', 'resize-image', 'daily-digest', 'og-image']

export interface ProjectFunction {
  id: string
  name: string
  version: number
}

/** One customer of the platform: what its records have in common. */
export interface Project {
  /** 20 lowercase letters. */
  ref: string
  functions: readonly ProjectFunction[]
}

// Streams of one seed: 0 is the records', 1 and 2 lie below; a rank is mixed in so that each project stands alone.
const randomOf = (seed: number, rank: number, stream: number) => createRandom(seed + rank * 7919, stream)

/** The ref of the project with that rank: 20 lowercase letters, the same for the same seed. */
export function projectRef(seed: number, rank: number): string {
  return letters(randomOf(seed, rank, 1), 20)
}

/** The functions of the project with that rank: two to four of them. */
export function projectFunctions(seed: number, rank: number): ProjectFunction[] {
  const random = randomOf(seed, rank, 2)
  const first = random.below(FUNCTION_NAMES.length)
  return Array.from({ length: 2 + random.below(3) }, (_, i) => ({
    id: uuidText(random),
    name: FUNCTION_NAMES[(first + i) % FUNCTION_NAMES.length]!,
    version: 1 + random.below(40),
  }))
}

/** The share of the rows that each rank has; the ranks after the two named ones fall off like Zipf's. */
export function projectShares(projects: number): number[] {
  const tail = Array.from({ length: Math.max(0, projects - 2) }, (_, i) => 1 / (i + 10))
  const tailWeight = tail.reduce((sum, weight) => sum + weight, 0)
  const shares = [TOP_SHARE, SMALL_SHARE, ...tail.map((w) => (w / tailWeight) * (1 - TOP_SHARE - SMALL_SHARE))]
  const kept = shares.slice(0, projects)
  const total = kept.reduce((sum, share) => sum + share, 0)
  return kept.map((share) => share / total)
}

/** Returns a function that draws projects by their shares, each draw in constant time. */
export function createProjects(seed: number, count: number): (random: Random) => Project {
  const projects = Array.from({ length: count }, (_, rank) => ({
    ref: projectRef(seed, rank),
    functions: projectFunctions(seed, rank),
  }))
  const { keep, alias } = aliasTable(projectShares(count))
  return (random) => {
    const column = random.below(count)
    return projects[random.unit() < keep[column]! ? column : alias[column]!]!
  }
}

/** Walker's alias method, in Vose's form: column i gives i with chance keep[i], else alias[i]. */
function aliasTable(shares: readonly number[]) {
  const keep = Float64Array.from(shares, (share) => share * shares.length)
  const alias = new Uint32Array(shares.length)
  const poor = [...keep.keys()].filter((i) => keep[i]! < 1)
  const rich = [...keep.keys()].filter((i) => keep[i]! >= 1)
  while (poor.length > 0 && rich.length > 0) {
    const [taker, giver] = [poor.pop()!, rich.pop()!]
    alias[taker] = giver
    keep[giver]! -= 1 - keep[taker]!
    ;(keep[giver]! < 1 ? poor : rich).push(giver)
  }
  for (const i of [...poor, ...rich]) keep[i] = 1
  return { keep, alias }
}
