import { escapeControl } from '../../base/text/escape-control.js'
import { didYouMean } from '../../base/text/nearest.js'
import { type FilePlace, placeError } from '../../front-matter/place-error.js'

/** The longest value in a text, and the longest text, in UTF-16 code units. */
export const MAX_TEXT_VALUE_CHARACTERS = 200
/** See {@link MAX_TEXT_VALUE_CHARACTERS}. */
export const MAX_TEXT_CHARACTERS = 1_000

/** A text with the names of columns between: one more text than names. */
interface Template {
  texts: readonly string[]
  columns: readonly string[]
}

/**
 * Compiles the template of `-- text:`, in which `{name}` is a column of the query. Returns a function from the texts of
 * the columns, null if there is no value, to the text. Each name is replaced once: braces in a value stay. Control and
 * direction characters are escaped. Throws `usage` with the place of a name that is no column.
 */
export function compileText(
  template: string,
  columns: readonly string[],
  place: FilePlace,
): (textOf: (column: string) => string | null) => string {
  const { texts, columns: used } = parse(template)
  let at = texts[0].length
  for (const [i, name] of used.entries()) {
    const where = { line: place.line, column: place.column + at }
    if (!columns.includes(name))
      throw placeError(
        `the text names {${name.slice(0, 64)}}, which is no column of the query. ${didYouMean(name, columns)}`,
        where,
      )
    at += name.length + 2 + texts[i + 1].length
  }
  const safe = texts.map(escapeControl)
  return (textOf) => cut(safe.map((text, i) => (i === 0 ? text : shown(textOf(used[i - 1])) + text)).join(''))
}

function parse(template: string): Template {
  const parts = template.split(/\{([^{}]*)\}/)
  return { texts: parts.filter((_, i) => i % 2 === 0), columns: parts.filter((_, i) => i % 2 === 1) }
}

function shown(value: string | null): string {
  if (value === null) return '–'
  // Only the start of a long value is escaped: no character is shorter once it is escaped.
  const escaped = escapeControl(value.slice(0, MAX_TEXT_VALUE_CHARACTERS + 1))
  return shortened(escaped, MAX_TEXT_VALUE_CHARACTERS)
}

const cut = (text: string) => shortened(text, MAX_TEXT_CHARACTERS)

/** Cuts to `most` characters, the last of which is then an ellipsis. */
const shortened = (text: string, most: number) =>
  (text.length > most ? `${text.slice(0, most - 1)}…` : text).toWellFormed()
