import { below, oneOf, type Random } from './random.js'

/** The first and the last moment of the years 1 to 9999, in microseconds since the epoch. */
export const FIRST_US = BigInt(Date.parse('0001-01-01T00:00:00Z')) * 1000n
export const LAST_US = BigInt(Date.parse('9999-12-31T23:59:59.999Z')) * 1000n + 999n

/** Places at which arithmetic goes wrong: the ends, and where doubles cease to hold every microsecond. */
const EDGES = [FIRST_US, LAST_US, 2n ** 53n, -(2n ** 53n), 2n ** 54n, 2n ** 55n, 0n]

const clamped = (us: bigint) => (us < FIRST_US ? FIRST_US : us > LAST_US ? LAST_US : us)

/** A moment of any year: anywhere, near an edge, or near a day's end. */
export function anyMoment(random: Random): bigint {
  const anywhere = FIRST_US + (BigInt(below(random, 2 ** 32)) * (LAST_US - FIRST_US)) / 2n ** 32n
  const near = BigInt(below(random, 9) - 4)
  if (random() < 0.4) return clamped(anywhere + near)
  if (random() < 0.5) return clamped(oneOf(random, EDGES) + near)
  return clamped((anywhere / 86_400_000_000n) * 86_400_000_000n + near)
}

/** A moment in the form of values. */
export const momentOf = (us: bigint): number | bigint => (us > -(2n ** 53n) && us < 2n ** 53n ? Number(us) : us)

/** `YYYY-MM-DD HH:MM:SS.ffffff`, by Date. */
export function spelled(us: bigint): string {
  const micros = ((us % 1000n) + 1000n) % 1000n
  const text = new Date(Number((us - micros) / 1000n)).toISOString().replace('T', ' ').slice(0, 23)
  return text + String(micros).padStart(3, '0')
}
