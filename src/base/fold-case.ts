import { splitAtLongRuns } from './combining-marks.js'

/** A text without a character beyond ASCII, which needs no normal form. */
const ASCII = /^[\0-\x7f]*$/

/** Letters whose simple folding is not their lower case: the final sigma, forms of letters, old Cyrillic letters. */
const LETTERS = /[\u0345\u00b5\u017f\u03c2\u03d0\u03d1\u03d5\u03d6\u03f0\u03f1\u03f5\u1c80-\u1c88\u1e9b\u1fbe]/g
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
/** A ligature of four words. Its normal form has 18 characters, so that a text of 1 MiB would become one of 6 MiB. */
const LONG_LIGATURE = '\ufdfa'
/** Stands for the ligature in a form. No text has this code point, which Unicode gives to no character. */
const PLACE_OF_LIGATURE = '\ufffe'
/** Its lower case has two characters, and it has no simple folding. */
const DOTTED_I = 'İ'

/**
 * Returns a text in lower case by Unicode's simple case folding, letter by letter: the same letter has the same form
 * everywhere, whatever is next to it.
 */
export function simpleFold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  const pieces = text.split(DOTTED_I).map((piece) => piece.toLowerCase())
  return pieces.join(DOTTED_I).replace(LETTERS, (letter) => FOLDED[letter]!)
}

/**
 * Returns the form of a text in which searches compare texts: the forms of a letter, and its cases, are alike. Runs of
 * more than 30 combining marks, and the ligature U+FDFA, remain as they are, so that the time is linear: a normal form
 * sorts the marks of a run, in the square of their number.
 */
export function foldCase(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  const pieces = splitAtLongRuns(text.split(LONG_LIGATURE).join(PLACE_OF_LIGATURE))
  return simpleFold(pieces.map((piece, i) => (i % 2 === 1 ? piece : piece.normalize('NFKC'))).join(''))
}
