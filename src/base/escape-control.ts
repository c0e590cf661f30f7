/**
 * Control characters (C0, DEL, C1), the marks that turn the direction of writing, line and paragraph separators: what a
 * text from outside could drive a terminal with, or show other than it is.
 */
const DRIVING = /[\p{Cc}\p{Bidi_Control}\u2028\u2029\ufeff]/gu

const SHORT: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

const escaped = (character: string) => SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** A text as one line that a terminal only shows: what could drive it is written as in JSON, `\n` or `\u001b`. */
export function harmless(text: string): string {
  return text.replace(DRIVING, escaped)
}

/**
 * The same for a piece of a document, whose line breaks and tabs stay. The carriage return of CRLF goes: it only matters
 * to files. JSON stays the same JSON, since such characters stand in its strings alone.
 */
export function harmlessDocument(text: string): string {
  return text.replace(DRIVING, (character) => {
    if (character === '\r') return ''
    return character === '\n' || character === '\t' ? character : escaped(character)
  })
}
