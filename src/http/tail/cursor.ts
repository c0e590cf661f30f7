import { type Position, readPosition, writePosition } from '../../plan/position.js'

/**
 * The position of a tail's reader, as stated in the `id` of an event: `<timestamp>.<rank>-<stream>`, followed by
 * `.<channel>.<number>` if the record arrived live. The first part is valid as long as the rows are stored, the second
 * as long as the channel is open. Ids of earlier versions and of rows of `logs.explore` have no `-<stream>`.
 */
export interface Cursor extends Position {
  /** The name of the rows among which the rank counts. Undefined if the name is not known. */
  stream?: string | undefined
  /** The next record of a channel, numbered from 0. */
  live?: { channel: string; number: number } | undefined
}

/** Returns the text of a cursor, which {@link readCursor} parses. */
export function writeCursor({ stream, live, ...place }: Cursor): string {
  const position = `${writePosition(place)}${stream === undefined ? '' : `-${stream}`}`
  return live === undefined ? position : `${position}.${live.channel}.${live.number}`
}

const CURSOR = /^(-?\d+\.\d+)(?:-([0-9a-f]{12}))?(?:\.([0-9a-f]{12})\.(\d{1,15}))?$/

/** Parses the text of {@link writeCursor}. Returns undefined for any other text. */
export function readCursor(text: string): Cursor | undefined {
  const match = CURSOR.exec(text)
  if (match === null) return undefined
  const [, place, stream, channel, number] = match
  const position = readPosition(place!)
  const live = channel === undefined ? undefined : { channel, number: Number(number) }
  return position && { ...position, ...(stream !== undefined && { stream }), live }
}

/**
 * Returns the position after a row that arrives at `position`. Only the newest row advances the position. A late row
 * does not. A row with a time in the future does not either: every later row would be late then.
 */
export function advance(position: Position, timestampUs: number, nowUs: number): Position {
  if (timestampUs < position.timestampUs || timestampUs > nowUs) return position
  const rank = timestampUs === position.timestampUs ? position.rank + 1 : 1
  return { timestampUs, rank }
}
