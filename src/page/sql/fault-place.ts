/** The place of an error in a query, which the service writes at the end of the message. */

/** A message without the place, and the place, or undefined for no place. */
export interface Fault {
  message: string
  place: Place | undefined
}

/** A place in a text: line and column from 1, the column in UTF-16 units. */
export interface Place {
  line: number
  column: number
}

const AT_THE_END = /^([\s\S]*?) *\(line (\d+), column (\d+)\)$/

/**
 * Reads the place of an error. `linesBefore`: the number of lines that were sent before the text of the user, to which
 * the place is relative.
 */
export function readFault(text: string, linesBefore = 0): Fault {
  const [, message, line, column] = AT_THE_END.exec(text) ?? []
  if (message === undefined) return { message: text, place: undefined }
  const place = { line: Number(line) - linesBefore, column: Number(column) }
  return { message, place: place.line < 1 ? undefined : place }
}

/** Returns the place in the service's words. */
export const placeText = ({ line, column }: Place): string => `line ${line}, column ${column}`

/** Returns the offset of a place in a text, or of the nearest place if the line or the text is too short. */
export function offsetOf(text: string, { line, column }: Place): number {
  let start = 0
  for (let i = 1; i < line; i++) {
    const next = text.indexOf('\n', start)
    if (next < 0) return text.length
    start = next + 1
  }
  const end = text.indexOf('\n', start)
  return Math.min(start + column - 1, end < 0 ? text.length : end)
}
