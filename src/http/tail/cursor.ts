/**
 * The position of a tail's reader, as the `id` of an event states it: `<timestamp>.<rank>-<stream>`, followed by
 * `.<channel>.<number>` if the record arrived live. The first part is valid as long as the rows are stored, the second
 * as long as the channel is open. Ids of earlier versions and of rows of `logs.explore` have no `-<stream>`.
 */
export interface Cursor extends Position {
  /** The name of the rows among which the rank counts; undefined if it is not known. */
  stream?: string | undefined
  /** The next record of a channel, by its number from 0. */
  live?: { channel: string; number: number } | undefined
}

/** A position in the rows of a project, by time and then arrival: after the first `rank` rows of this time, in µs. */
export interface Position {
  timestampUs: number
  rank: number
}

/** Returns the text of a cursor, which {@link readCursor} parses. */
export function writeCursor({ timestampUs, rank, stream, live }: Cursor): string {
  const position = `${timestampUs}.${rank}${stream === undefined ? '' : `-${stream}`}`
  return live === undefined ? position : `${position}.${live.channel}.${live.number}`
}

const CURSOR = /^(-?\d{1,16})\.(\d{1,10})(?:-([0-9a-f]{12}))?(?:\.([0-9a-f]{12})\.(\d{1,15}))?$/

/** Parses the text of {@link writeCursor}; returns undefined for any other text. */
export function readCursor(text: string): Cursor | undefined {
  const match = CURSOR.exec(text)
  if (match === null) return undefined
  const [, timestampUs, rank, stream, channel, number] = match
  const live = channel === undefined ? undefined : { channel, number: Number(number) }
  return { timestampUs: Number(timestampUs), rank: Number(rank), ...(stream !== undefined && { stream }), live }
}

/**
 * Returns the position after a row that arrives at `position`. Only a row that is the newest advances it. A late row
 * does not, nor does one with a time in the future: every later row would be late then.
 */
export function advance(position: Position, timestampUs: number, nowUs: number): Position {
  if (timestampUs < position.timestampUs || timestampUs > nowUs) return position
  const rank = timestampUs === position.timestampUs ? position.rank + 1 : 1
  return { timestampUs, rank }
}
