import type { Row } from './studio-server.js'

const STEPS_MS = { second: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const
type Unit = keyof typeof STEPS_MS

/** Studio fills the gaps of a chart only if the chart has at most this many points. */
const MOST_POINTS_TO_FILL = 20

const isMicros = (timestamp: unknown) => /^\d{16}$/.test(String(timestamp))

/** The time of a row: 16 digits are microseconds, anything else is read as a UTC time. */
function millisOf(timestamp: unknown): number {
  if (isMicros(timestamp)) return Number(timestamp) / 1000
  const text = String(timestamp)
  return Date.parse(/Z|[+-]\d\d:\d\d$/.test(text) ? text : `${text}Z`)
}

/**
 * Returns the points of a chart as Studio's browser draws the chart: rows with ISO times, and rows of zeros where a
 * bucket between `start` and `end` has no row, in the order of time. The size of a bucket is guessed from the times.
 * Without rows there is no chart. Throws if a time cannot be read.
 */
export function chartPoints(rows: readonly Row[], values: readonly string[], start: string, end: string): Row[] {
  if (rows.length === 0) return []
  const points = rows.map((row) => ({ ...row, timestamp: new Date(millisOf(row.timestamp)).toISOString() })) as Row[]
  if (rows.length <= MOST_POINTS_TO_FILL) {
    const taken = new Set(points.map(({ timestamp }) => secondOf(Date.parse(timestamp))))
    const step = STEPS_MS[guessedUnit(points)]
    for (let atMs = Date.parse(start); atMs <= Date.parse(end); atMs += step) {
      if (taken.has(secondOf(atMs))) continue
      points.push({ timestamp: new Date(atMs).toISOString(), ...Object.fromEntries(values.map((name) => [name, 0])) })
    }
  }
  return points.sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1))
}

const secondOf = (ms: number) => Math.floor(ms / 1000)

/** The unit that most times are whole in. */
function guessedUnit(points: readonly Row[]): Unit {
  const units: Unit[] = ['second', 'minute', 'hour', 'day']
  const counts = new Map<Unit, number>()
  for (const { timestamp } of points) {
    const date = new Date(timestamp)
    const zeros = [date.getUTCSeconds(), date.getUTCMinutes(), date.getUTCHours()].filter((one) => one === 0).length
    const unit = units[zeros]!
    counts.set(unit, (counts.get(unit) ?? 0) + 1)
  }
  return units.reduce((best, unit) => ((counts.get(unit) ?? 0) >= (counts.get(best) ?? 0) ? unit : best))
}
