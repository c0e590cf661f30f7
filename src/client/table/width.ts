// Widths of texts in columns of a terminal, approximately as in Unicode Standard Annex 11.

const WIDE_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
const WIDE_SYMBOL = /[\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]/u
const WITHOUT_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u
const ASCII = /^[ -~]*$/

const ELLIPSIS = '…'

function widthOfCharacter(character: string): number {
  if (WITHOUT_WIDTH.test(character)) return 0
  return WIDE_SCRIPT.test(character) || WIDE_SYMBOL.test(character) ? 2 : 1
}

/** Returns the width of a text in columns. The text must not contain control characters. */
export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length
  let width = 0
  for (const character of text) width += widthOfCharacter(character)
  return width
}

/** Shortens a text to at most `maxWidth` columns. A shortened text ends with `…`. */
export function cut(text: string, maxWidth: number): string {
  return widthOf(text) <= maxWidth ? text : text.slice(0, endWithin(text, maxWidth - 1)) + ELLIPSIS
}

/** Shortens a text to its last `maxWidth` columns, at most. A shortened text begins with `…`. */
export function cutStart(text: string, maxWidth: number): string {
  if (widthOf(text) <= maxWidth) return text
  const reversed = [...text].reverse().join('')
  return ELLIPSIS + [...reversed.slice(0, endWithin(reversed, maxWidth - 1))].reverse().join('')
}

/** Returns the length of the longest beginning that fits into `maxWidth` columns. */
function endWithin(text: string, maxWidth: number): number {
  let [width, end] = [0, 0]
  for (const character of text) {
    width += widthOfCharacter(character)
    if (width > maxWidth) break
    end += character.length
  }
  return end
}

/** Breaks a text into lines of at most `maxWidth` columns (2 or more), after `_` if possible. */
export function wrap(text: string, maxWidth: number): string[] {
  const lines = ['']
  for (const piece of text.split(/(?<=_)/).flatMap((part) => chunksOf(part, maxWidth))) {
    const longer = lines.at(-1) + piece
    if (widthOf(longer) <= maxWidth) lines[lines.length - 1] = longer
    else lines.push(piece)
  }
  return lines
}

function chunksOf(text: string, maxWidth: number): string[] {
  const end = endWithin(text, maxWidth)
  return end === 0 || end === text.length ? [text] : [text.slice(0, end), ...chunksOf(text.slice(end), maxWidth)]
}
