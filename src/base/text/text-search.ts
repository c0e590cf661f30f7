/** A text as UTF-16 units, or as bytes of UTF-8. */
type Units = Uint8Array | Uint16Array

/**
 * The longest part that the runtime's own search looks for. The time of that search grows with the product of the
 * lengths of text and part, if the part almost occurs at many places.
 */
export const SHORT_LENGTH = 64

/** Returns the first place of `part` in a text from `from` on, or -1. */
export type Search<Text> = (text: Text, from: number) => number

/** Returns a search for a part, in linear time. */
export function searchFor(part: string): Search<string> {
  if (part.length <= SHORT_LENGTH) return (text, from) => text.indexOf(part, from)
  const search = longSearch(unitsOf(part))
  const last = lastUnits()
  return (text, from) => search(last(text), from)
}

/** The same search for bytes. */
export function searchForBytes(part: Buffer): Search<Buffer> {
  return part.length <= SHORT_LENGTH ? (bytes, from) => bytes.indexOf(part, from) : longSearch(part)
}

/** Cuts a text at each place of a part, from the left. The part is not empty. */
export function splitAt(part: string, text: string): string[] {
  if (part.length <= SHORT_LENGTH) return text.split(part)
  const search = searchFor(part)
  const pieces: string[] = []
  let from = 0
  for (let at = search(text, 0); at >= 0; at = search(text, from)) {
    pieces.push(text.slice(from, at))
    from = at + part.length
  }
  pieces.push(text.slice(from))
  return pieces
}

/** Keeps the units of the last text: a search for all places needs the units each time. */
function lastUnits(): (text: string) => Uint16Array {
  let known: string | undefined
  let units: Uint16Array = new Uint16Array(0)
  return (text) => {
    if (text === known) return units
    known = text
    units = unitsOf(text)
    return units
  }
}

function unitsOf(text: string): Uint16Array {
  const bytes = Buffer.allocUnsafeSlow(2 * text.length)
  bytes.write(text, 'utf16le')
  return new Uint16Array(bytes.buffer, 0, text.length)
}

/**
 * Knuth, Morris and Pratt's search: no unit of the text is compared more than twice (SIAM Journal on Computing 6,
 * 1977).
 */
function longSearch(part: Units): (text: Units, from: number) => number {
  const borders = bordersOf(part)
  return (text, from) => {
    let matched = 0
    for (let at = from; at < text.length; at++) {
      const unit = text[at]
      while (matched > 0 && part[matched] !== unit) matched = borders[matched - 1]
      if (part[matched] === unit) matched++
      if (matched === part.length) return at + 1 - matched
    }
    return -1
  }
}

/** Returns the length of the longest border of each beginning of a part. A border is also the end of the beginning. */
function bordersOf(part: Units): Uint32Array {
  const borders = new Uint32Array(part.length)
  for (let end = 1, length = 0; end < part.length; end++) {
    while (length > 0 && part[end] !== part[length]) length = borders[length - 1]
    if (part[end] === part[length]) length++
    borders[end] = length
  }
  return borders
}
