/** A place among the rows of a project and a source, in order of time and then arrival: the `rank`th of its time. */
export interface Position {
  /** Microseconds since the epoch. */
  timestampUs: number
  /** From 1 for a row. 0 is the place before all rows of this time. */
  rank: number
}

/** Returns the text of a position, `<timestamp>.<rank>`, which {@link readPosition} parses. */
export const writePosition = ({ timestampUs, rank }: Position): string => `${timestampUs}.${rank}`

const POSITION = /^(-?\d{1,16})\.(\d{1,10})$/

/** Parses the text of {@link writePosition}. Returns undefined for any other text. */
export function readPosition(text: string): Position | undefined {
  const match = POSITION.exec(text)
  return match === null ? undefined : { timestampUs: Number(match[1]), rank: Number(match[2]) }
}
