/** How many columns of a terminal a text takes (Unicode Standard Annex 11, in the large). */

const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]/u
const WITHOUT_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u
const ASCII = /^[ -~]*$/

const ELLIPSIS = '…'

function widthOfCharacter(character: string): number {
  if (WITHOUT_WIDTH.test(character)) return 0
  return WIDE.test(character) ? 2 : 1
}

/** The columns that a text takes; it holds no control characters. */
export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length
  let width = 0
  for (const character of text) width += widthOfCharacter(character)
  return width
}

/** A text that takes at most `most` columns, with … where it was cut. */
export function cut(text: string, most: number): string {
  return widthOf(text) <= most ? text : text.slice(0, endWithin(text, most - 1)) + ELLIPSIS
}

/** Where the characters end that fit into `most` columns. */
function endWithin(text: string, most: number): number {
  let [width, end] = [0, 0]
  for (const character of text) {
    width += widthOfCharacter(character)
    if (width > most) break
    end += character.length
  }
  return end
}

/** A text as lines of at most `most` columns (at least 2), broken after `_` where that is possible. */
export function wrap(text: string, most: number): string[] {
  const lines = ['']
  for (const piece of text.split(/(?<=_)/).flatMap((part) => chunksOf(part, most))) {
    const longer = lines.at(-1) + piece
    if (widthOf(longer) <= most) lines[lines.length - 1] = longer
    else lines.push(piece)
  }
  return lines
}

function chunksOf(text: string, most: number): string[] {
  const end = endWithin(text, most)
  return end === 0 || end === text.length ? [text] : [text.slice(0, end), ...chunksOf(text.slice(end), most)]
}
