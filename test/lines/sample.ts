import { below, mulberry32, oneOf, type Random } from '../support/random.js'

/** A line of the sample, as JSON.parse reads the line. */
export interface SampleLine {
  timestamp?: string | boolean | null
  level?: string | null
  status?: number
  path: string
  ms: number
  user?: { id: number; name?: string | null; tags: string[] } | null
  items: { k: string; v?: number }[]
  msg: string
  ok?: boolean
  'a.b'?: number
  seq: number
}

/** How the lines of a sample differ. */
export interface SampleOptions {
  /** Whether some lines have no time, or a time that cannot be read. */
  hasOddTimes?: boolean
}

const START_MS = Date.UTC(2026, 10, 20, 10)
const MINUTE_MS = 60_000
const LEVELS = ['info', 'info', 'info', 'warn', 'error', null]
const MESSAGES = ['GET "it"', 'größe 😀', '', 'error: 12', '100%', 'a\\b', 'tab\tand\nline', 'a_b']
const ODD_TIMES = [null, 'yesterday', true, undefined]

function sampleLine(random: Random, seq: number, { hasOddTimes = false }: SampleOptions): SampleLine {
  const ms = START_MS + below(random, 200) * MINUTE_MS + below(random, 1000)
  const isOdd = hasOddTimes && random() < 0.1
  const tags = ['x', 'y', 'z'].filter(() => random() < 0.5)
  const user = { id: below(random, 50), ...(random() < 0.8 && { name: `user ${below(random, 7)}` }), tags }
  return {
    timestamp: isOdd ? oneOf(random, ODD_TIMES) : new Date(ms).toISOString(),
    ...(random() < 0.9 && { level: oneOf(random, LEVELS) }),
    ...(random() < 0.9 && { status: oneOf(random, [200, 200, 204, 301, 404, 500]) }),
    path: `/p/${below(random, 9)}`,
    // Quarters: sums are exact in any order.
    ms: below(random, 4000) / 4,
    user: random() < 0.1 ? null : user,
    items: Array.from({ length: below(random, 3) }, () => ({
      k: oneOf(random, ['a', 'b']),
      ...(random() < 0.8 && { v: below(random, 10) }),
    })),
    msg: oneOf(random, MESSAGES),
    ...(random() < 0.8 && { ok: random() < 0.5 }),
    ...(random() < 0.5 && { 'a.b': below(random, 3) }),
    seq,
  }
}

/** Returns the texts of random lines, in the order of the field `seq`. Equal seeds give equal lines. */
export function sampleLines(count: number, seed: number, options: SampleOptions = {}): string[] {
  const random = mulberry32(seed)
  return Array.from({ length: count }, (_, seq) => JSON.stringify(sampleLine(random, seq, options)))
}
