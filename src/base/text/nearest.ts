/** Longer words are not compared: a longer word is not a typing error. */
const MAX_CHARACTERS = 64

/** The shortest word in which two errors are accepted: shorter words are near too many others. */
const CHARACTERS_FOR_TWO_ERRORS = 6

/**
 * Returns the candidate nearest to a typed word, for "Did you mean …?", or undefined if none is near. Case, `_` for `-`
 * and the prefix of variables are ignored.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > MAX_CHARACTERS) return undefined
  const typed = normalised(word)
  const maxDistance = typed.length < CHARACTERS_FOR_TWO_ERRORS ? 1 : 2
  const near = candidates
    .map((candidate) => ({ candidate, distance: editDistance(typed, normalised(candidate), maxDistance) }))
    .filter(({ distance }) => distance <= maxDistance)
  return near.sort((a, b) => a.distance - b.distance)[0]?.candidate
}

/** Returns the end of an error about an unknown name: the nearest candidate, or all candidates if none is near. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const meant = nearest(word, candidates)
  return meant === undefined ? `There are: ${candidates.join(', ')}.` : `Did you mean ${meant}?`
}

const normalised = (word: string) =>
  word
    .toLowerCase()
    .replaceAll('_', '-')
    .replace(/^logweir-/, '')

/**
 * Counts characters left out, added, exchanged or swapped with their neighbour (optimal string alignment distance).
 * Returns a number above `most` if the distance is above `most`. Compares only characters at places that differ by at
 * most `most`, since a text of SQL may have a thousand columns to compare a name with.
 */
function editDistance(one: string, other: string, most: number): number {
  const beyond = most + 1
  if (Math.abs(one.length - other.length) > most) return beyond
  let [before, last]: number[][] = [[], Array.from({ length: other.length + 1 }, (_, i) => i)]
  for (let i = 1; i <= one.length; i++) {
    const row = new Array<number>(other.length + 1).fill(beyond)
    if (i <= most) row[0] = i
    for (let j = Math.max(1, i - most); j <= Math.min(other.length, i + most); j++) {
      const isSame = one[i - 1] === other[j - 1]
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      const exchanged = last![j - 1] + (isSame ? 0 : 1)
      const swapped = isSwapped ? before![j - 2] + 1 : exchanged
      row[j] = Math.min(last![j] + 1, row[j - 1] + 1, exchanged, swapped, beyond)
    }
    before = last
    last = row
    if (Math.min(...row) >= beyond) return beyond
  }
  return last![other.length]
}
