/**
 * How far a reader of a tail has read, as the `id` of an event says it: `<timestamp>.<rank>`, and behind a record that came
 * live `.<channel>.<number>`. The first pair holds for as long as the rows do, the second for as long as the channel.
 */
export interface Cursor extends Place {
  /** The record of a channel that comes next, by its number from 0. */
  live?: { channel: string; number: number } | undefined
}

/** A place in the rows of a project, by time and then arrival: behind the first `rank` rows of this time, in µs. */
export interface Place {
  timestampUs: number
  rank: number
}

export function writeCursor({ timestampUs, rank, live }: Cursor): string {
  const place = `${timestampUs}.${rank}`
  return live === undefined ? place : `${place}.${live.channel}.${live.number}`
}

const CURSOR = /^(-?\d{1,16})\.(\d{1,10})(?:\.([0-9a-f]{12})\.(\d{1,15}))?$/

/** Reads what {@link writeCursor} wrote; undefined where it is none of that. */
export function readCursor(text: string): Cursor | undefined {
  const match = CURSOR.exec(text)
  if (match === null) return undefined
  const [, timestampUs, rank, channel, number] = match
  const live = channel === undefined ? undefined : { channel, number: Number(number) }
  return { timestampUs: Number(timestampUs), rank: Number(rank), live }
}

/**
 * The place behind a row that has arrived when all before it are behind `place`. Only a newest row moves it; a late one
 * does not, nor one that is stamped with a time to come: behind that every other row would be late.
 */
export function advance(place: Place, timestampUs: number, nowUs: number): Place {
  if (timestampUs < place.timestampUs || timestampUs > nowUs) return place
  const rank = timestampUs === place.timestampUs ? place.rank + 1 : 1
  return { timestampUs, rank }
}
