import { wrong } from './syntax.js'

/** A text without comments in which each literal text is replaced by its place in `texts`, in single quotes. */
export interface Prepared {
  sql: string
  texts: readonly string[]
}

/** A comment, a name in backticks, a raw text, a text. */
const PIECE = new RegExp(
  [
    '(--|#)[^\\n]*|/\\*[\\s\\S]*?\\*/',
    '`[^`]*`',
    `\\b[rR]'''(?<rawLongSingle>(?:\\\\[\\s\\S]|(?!''')[^\\\\])*)'''`,
    `\\b[rR]"""(?<rawLongDouble>(?:\\\\[\\s\\S]|(?!""")[^\\\\])*)"""`,
    `\\b[rR](?:'(?<rawSingle>(?:[^'\\\\]|\\\\[\\s\\S])*)'|"(?<rawDouble>(?:[^"\\\\]|\\\\[\\s\\S])*)")`,
    `'''(?!'(?!'))(?<longSingle>(?:\\\\[\\s\\S]|(?!''')[^\\\\])*)'''`,
    `"""(?!"(?!"))(?<longDouble>(?:\\\\[\\s\\S]|(?!""")[^\\\\])*)"""`,
    `'(?<single>(?:[^'\\\\]|\\\\[\\s\\S]|'')*)'|"(?<double>(?:[^"\\\\]|\\\\[\\s\\S]|"")*)"`,
    '[\'"`]|/\\*',
  ].join('|'),
  'g',
)

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}
const ESCAPE = /\\(?:([0-7]{3})|[xX]([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([\s\S]))/g

/** The characters of a text between its quotes. An unknown escape keeps its backslash. */
function withoutEscapes(text: string): string {
  return text.replace(ESCAPE, (found, octal?: string, byte?: string, unit?: string, point?: string, one = '') => {
    if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8))
    const hex = byte ?? unit ?? point
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16))
    return ESCAPES[one] ?? (/[\\'"`?]/.test(one) ? one : found)
  })
}

/** Replaces doubled quotes by a single quote. A quote of an escape does not count. */
const undouble = (text: string, quote: string) =>
  text.replace(new RegExp(`\\\\[\\s\\S]|${quote}${quote}`, 'g'), (found) => (found[0] === quote ? quote : found))

/**
 * Takes comments and literal texts out of a query: the parser drops the backslash of an unknown escape, which SQL here
 * keeps. Throws `invalid_sql` at a quote that is not closed.
 */
export function prepareText(text: string): Prepared {
  const texts: string[] = []
  const sql = text.replace(PIECE, (found, ...rest) => {
    const groups = rest.at(-1) as Record<string, string | undefined>
    const { single, double } = groups
    const raw = groups.rawLongSingle ?? groups.rawLongDouble ?? groups.rawSingle ?? groups.rawDouble
    const long = groups.longSingle ?? groups.longDouble
    if (raw !== undefined) return `'${texts.push(raw) - 1}'`
    if (long !== undefined) return `'${texts.push(withoutEscapes(long)) - 1}'`
    if (single !== undefined) return `'${texts.push(withoutEscapes(undouble(single, "'"))) - 1}'`
    if (double !== undefined) return `'${texts.push(withoutEscapes(undouble(double, '"'))) - 1}'`
    if (found.length > 1 && found.startsWith('`')) return found
    return found.length === 1 || found === '/*' ? wrong() : ' '
  })
  return { sql, texts }
}
