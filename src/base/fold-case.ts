/** A text without a character beyond ASCII, which needs no normal form. */
const ASCII = /^[\0-\x7f]*$/
/**
 * Runs of more combining marks than any script writes. Normalizing sorts the marks of a run, in the square of their
 * number. Unicode's stream-safe format has runs of at most 30 marks (UAX #15, section 13).
 */
const LONG_RUN = /(\p{M}{65,})/u
/** A part of every long run. A search for the part is ten times as fast. */
const MAY_HAVE_LONG_RUN = /[\u0300-\uffff]{65}/

/**
 * Returns the form of a text in which searches compare texts: the forms of a letter, and its cases, are alike. Runs of
 * more than 64 combining marks remain unchanged, so that the time is linear.
 */
export function foldCase(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  if (!MAY_HAVE_LONG_RUN.test(text)) return text.normalize('NFKC').toLowerCase()
  const pieces = text.split(LONG_RUN)
  return pieces
    .map((piece, i) => (i % 2 === 1 ? piece : piece.normalize('NFKC')))
    .join('')
    .toLowerCase()
}
