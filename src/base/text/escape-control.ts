/**
 * Control characters (C0, DEL, C1), bidirectional controls, line and paragraph separators, with which foreign
 * text could control a terminal or disguise itself.
 */
const CONTROL = /[\p{Cc}\p{Bidi_Control}\u2028\u2029\ufeff]/gu

const SHORT: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

const escaped = (character: string) => SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/**
 * Returns the text as a line that is safe on a terminal: control characters are escaped as in JSON, `\n` or `\u001b`.
 */
export function escapeControl(text: string): string {
  return text.replace(CONTROL, escaped)
}

/**
 * Escapes the same characters in a part of a document, but keeps line breaks and tabs, and removes carriage returns.
 * The meaning of JSON does not change, since JSON contains the escaped characters only in strings.
 */
export function escapeControlInDocument(text: string): string {
  return text.replace(CONTROL, (character) => {
    if (character === '\r') return ''
    return character === '\n' || character === '\t' ? character : escaped(character)
  })
}
