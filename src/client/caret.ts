import { escapeControl } from '../base/text/escape-control.js'
import { cut, cutStart, widthOf } from './table/width.js'

/** The width if the error is not printed on a terminal. */
const COLUMNS = 120
/** In fewer columns an excerpt would show nothing of use. */
const MIN_COLUMNS = 20

const PLACE = / \(line (\d+), column (\d+)\)$/

/**
 * Returns the line of `text` that an error message names, and below that line a caret under the column, each preceded
 * by a line break. `message` ends with ` (line 3, column 14)`, both counted from 1, the column in UTF-16 units. Returns
 * an empty text if the message has no such end, or if the text has no such line. Control characters are escaped, and a
 * tab becomes a space. A line wider than `columns` is cut around the place.
 */
export function excerptOf(message: string, text: string, columns = COLUMNS): string {
  const [, lineNumber, column] = PLACE.exec(message) ?? []
  const line = text.split('\n')[Number(lineNumber) - 1]?.replace(/\r$/, '')
  if (line === undefined) return ''
  const at = startOfCharacter(line, Math.min(Number(column) - 1, line.length))
  const [before, after] = [line.slice(0, at), line.slice(at)].map(printable) as [string, string]
  const shown = cutAround(before, after, Math.max(columns, MIN_COLUMNS))
  return `\n${shown.before}${shown.after}\n${' '.repeat(widthOf(shown.before))}^`
}

const printable = (text: string) => escapeControl(text.replaceAll('\t', ' '))

/** Moves an index from the middle of a surrogate pair to the pair's start. */
const startOfCharacter = (text: string, at: number) =>
  at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff ? at - 1 : at

/** Cuts both parts of a line to `columns` in total: half before the place, more if the rest is short. */
function cutAround(before: string, after: string, columns: number): { before: string; after: string } {
  const afterWidth = Math.max(widthOf(after), 1)
  const left = cutStart(before, Math.max(Math.floor(columns / 2), columns - afterWidth))
  return { before: left, after: cut(after, columns - widthOf(left)) }
}
