/** Integers with this many digits or more may not fit into a double. */
const LONG_DIGITS = 16
/** Fast check for long integers, in strings too. Most requests have none. */
const HAS_LONG_DIGITS = /[[:,]\s*-?\d{16}/
const [QUOTE, MINUS, ZERO, NINE] = [0x22, 0x2d, 0x30, 0x39]

/**
 * Returns the JSON with quotes around all integers of 16 digits and more, or around the long integers that `isQuoted`
 * chooses, so that `JSON.parse` keeps all their digits.
 */
export function quoteLongIntegers(json: string, isQuoted: (digits: string) => boolean = () => true): string {
  if (!HAS_LONG_DIGITS.test(json)) return json
  const parts: string[] = []
  let copied = 0
  for (let p = 0; p < json.length; ) {
    const code = json.charCodeAt(p)
    if (code === QUOTE) p = endOfString(json, p + 1)
    else if (isDigit(code) || code === MINUS) {
      const digits = code === MINUS ? p + 1 : p
      const end = endOfDigits(json, digits)
      if (end - digits >= LONG_DIGITS && isWhole(json, end) && isQuoted(json.slice(p, end))) {
        parts.push(json.slice(copied, p), '"', json.slice(p, end), '"')
        copied = end
      }
      p = isWhole(json, end) ? end : endOfNumber(json, end)
    } else p++
  }
  parts.push(json.slice(copied))
  return parts.join('')
}

const isDigit = (code: number) => code >= ZERO && code <= NINE

/** Returns the position after the closing quote of a string. The text begins at `start`. */
function endOfString(json: string, start: number): number {
  for (let from = start; ; ) {
    const quote = json.indexOf('"', from)
    if (quote < 0) return json.length
    let backslashes = 0
    while (quote - backslashes > start && json[quote - backslashes - 1] === '\\') backslashes++
    if (backslashes % 2 === 0) return quote + 1
    from = quote + 1
  }
}

function endOfDigits(json: string, start: number): number {
  let p = start
  while (isDigit(json.charCodeAt(p))) p++
  return p
}

/** Returns whether a number has neither a fraction nor an exponent. The digits end at `end`. */
const isWhole = (json: string, end: number) => !'.eE'.includes(json[end] ?? ' ')

const IN_NUMBER = /[\d.eE+-]*/y

function endOfNumber(json: string, start: number): number {
  IN_NUMBER.lastIndex = start
  IN_NUMBER.test(json)
  return IN_NUMBER.lastIndex
}
