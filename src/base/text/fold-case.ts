import { createCharacterTable } from './character-table.js'
import { splitAtLongRuns } from './combining-marks.js'
import { textOfUnits } from './utf16.js'

/** A text without a character beyond ASCII, which needs no normal form. */
const ASCII = /^[\0-\x7f]*$/

/**
 * Letters with a simple folding that is not their lower case: the final sigma, forms of letters, old Cyrillic letters.
 */
const FOLDED: Readonly<Record<string, string>> = {
  '\u00b5': 'μ',
  '\u017f': 's',
  '\u0345': 'ι',
  '\u03c2': 'σ',
  '\u03d0': 'β',
  '\u03d1': 'θ',
  '\u03d5': 'φ',
  '\u03d6': 'π',
  '\u03f0': 'κ',
  '\u03f1': 'ρ',
  '\u03f5': 'ε',
  '\u1c80': 'в',
  '\u1c81': 'д',
  '\u1c82': 'о',
  '\u1c83': 'с',
  '\u1c84': 'т',
  '\u1c85': 'т',
  '\u1c86': 'ъ',
  '\u1c87': 'ѣ',
  '\u1c88': 'ꙋ',
  '\u1e9b': 'ṡ',
  '\u1fbe': 'ι',
}
/** A ligature of four words. Its normal form has 18 characters, so a text of 1 MiB would become a text of 6 MiB. */
const LONG_LIGATURE = '\ufdfa'
/** Takes the place of the ligature in a form. No text has this code point, which Unicode gives to no character. */
const PLACE_OF_LIGATURE = '\ufffe'

/** The last unit of a letter's folding. The folding of a letter of two units has the same first unit. */
const foldedUnit = createCharacterTable((letter) => {
  const lower = FOLDED[letter] ?? letter.toLowerCase()
  // The lower case of İ has two characters, and İ has no simple folding.
  return (lower.length === letter.length ? lower : letter).charCodeAt(letter.length - 1)
})

/**
 * Returns a text in lower case by Unicode's simple case folding, letter by letter: the same letter has the same form
 * everywhere, whatever is next to it.
 */
export function simpleFold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  let folded: Uint16Array | undefined
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    const pair = isLow(unit) ? (text.codePointAt(i - 1) ?? 0) : 0
    const own = foldedUnit(pair > 0xffff ? pair : unit)
    // A text in lower case is returned as it is: calls may be nested.
    if (own !== unit) folded ??= unitsOf(text)
    if (folded !== undefined) folded[i] = own
  }
  return folded === undefined ? text : textOfUnits(folded)
}

function unitsOf(text: string): Uint16Array {
  const { buffer, byteOffset } = Buffer.from(text, 'utf16le')
  return new Uint16Array(buffer, byteOffset, text.length)
}

/** Whether a unit is the second of a pair. */
const isLow = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff

/**
 * Returns the form of a text in which searches compare texts: the forms and cases of a letter are alike. Runs of more
 * than 30 combining marks, and the ligature U+FDFA, remain unchanged, so that the time is linear: a normal form sorts
 * the marks of a run, in the square of their number.
 */
export function foldCase(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  const pieces = splitAtLongRuns(text.split(LONG_LIGATURE).join(PLACE_OF_LIGATURE))
  return simpleFold(pieces.map((piece, i) => (i % 2 === 1 ? piece : piece.normalize('NFKC'))).join(''))
}
