/** Marks the places in texts that a search found, and values that were masked on arrival. */
import { element } from '../shared/dom.js'

/**
 * Returns a text with all places that contain any of the words, ignoring case, in `mark` elements, and with masked
 * values in elements of their own.
 */
export function marked(text: string, words: readonly string[]): (Node | string)[] {
  return places(text, words).flatMap(([part, isFound]) => (isFound ? element('mark', {}, part) : withMasked(part)))
}

/** A masked value: stars, with the end of a value that keeps the end, or a keyed hash (docs/masking.md). */
const MASKED = /(\*\*\*(?:[\p{L}\p{N}]{4}(?![\p{L}\p{N}]))?|hash:[0-9a-f]{16})/u

/** Splits a text into its masked values and the parts in between. No part is empty. */
export const maskedParts = (text: string): [part: string, isMasked: boolean][] =>
  text
    .split(MASKED)
    .map((part, i): [string, boolean] => [part, i % 2 === 1])
    .filter(([part]) => part !== '')

/** Returns a text with its masked values in elements. */
const withMasked = (text: string): (Node | string)[] =>
  maskedParts(text).map(([part, isMasked]) =>
    isMasked ? element('span', { class: 'masked', title: 'Masked on arrival' }, part) : part,
  )

/**
 * Splits a text into the parts that are any of the words, ignoring case, and the parts in between. No part is empty.
 */
export function places(text: string, words: readonly string[]): [part: string, isFound: boolean][] {
  const parts: [string, boolean][] = []
  let from = 0
  for (const [start, end] of matches(text, words)) {
    parts.push([text.slice(from, start), false], [text.slice(start, end), true])
    from = end
  }
  parts.push([text.slice(from), false])
  return parts.filter(([part]) => part !== '')
}

/** Returns the end of the first place in a text that contains any of the words, or 0 for no place. */
export function firstEnd(text: string, words: readonly string[]): number {
  for (const [, end] of matches(text, words)) return end
  return 0
}

/** Finds the words in a text, from left to right. If several words begin at a place, finds the longest word. */
function* matches(text: string, words: readonly string[]): Generator<[start: number, end: number]> {
  const wanted = words.map((word) => word.toLowerCase()).filter((word) => word !== '')
  const { lower, placeOf } = lowerCase(text)
  for (let from = 0; ; ) {
    const found = wanted
      .map((word) => ({ word, at: lower.indexOf(word, from) }))
      .filter(({ at }) => at >= 0)
      .sort((a, b) => a.at - b.at || b.word.length - a.word.length)[0]
    if (found === undefined) return
    from = found.at + found.word.length
    yield [placeOf(found.at), placeOf(from)]
  }
}

/** Returns a text in lower case, and a function from a place in lower case to the place in the text. */
function lowerCase(text: string): { lower: string; placeOf(at: number): number } {
  const lower = text.toLowerCase()
  if (lower.length === text.length) return { lower, placeOf: (at) => at }
  // Some characters get longer.
  const places: number[] = []
  let from = 0
  const parts = Array.from(text, (character) => {
    const part = character.toLowerCase()
    places.push(...Array(part.length).fill(from))
    from += character.length
    return part
  })
  return { lower: parts.join(''), placeOf: (at) => places[at] ?? text.length }
}
