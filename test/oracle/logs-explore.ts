import { askedOf, matching } from './explore.js'
import type { Oracle } from './oracle.js'

type Place = readonly [timestampUs: number, rank: number]
const placeOf = (cursor: string) => cursor.split('.').map(Number) as unknown as Place
const compare = ([us, rank]: Place, [otherUs, otherRank]: Place) => us - otherUs || rank - otherRank

/** Numbers the matching rows of each time, sorts all matching rows, and cuts. */
export const logsExplore: Oracle = (records, params, nowUs) => {
  const { limit, before, after } = params
  const wanted = Number(limit || 100)
  const counts = new Map<number, number>()
  const rows = matching(records, askedOf(params, nowUs))
    .map(({ id, timestampUs: timestamp, event_message, metadata }) => {
      const rank = (counts.get(timestamp) ?? 0) + 1
      counts.set(timestamp, rank)
      return { id, timestamp, event_message, metadata: { json: metadata }, rank }
    })
    .sort((a, b) => compare([b.timestamp, b.rank], [a.timestamp, a.rank]))
  if (before) return rows.filter((row) => compare([row.timestamp, row.rank], placeOf(before)) < 0).slice(0, wanted)
  if (after) return rows.filter((row) => compare([row.timestamp, row.rank], placeOf(after)) > 0).slice(-wanted)
  return rows.slice(0, wanted)
}
