/** Longer words are no slips of a finger, and comparing them would cost. */
const MOST_CHARACTERS = 64

/** Short words are near too many others. */
const CHARACTERS_FOR_TWO_SLIPS = 6

/**
 * The candidate that somebody who typed `word` meant, for "Did you mean …?"; undefined where none is near. Capitals, `_`
 * for `-` and the prefix of variables are no difference.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > MOST_CHARACTERS) return undefined
  const typed = folded(word)
  const most = typed.length < CHARACTERS_FOR_TWO_SLIPS ? 1 : 2
  const near = candidates
    .map((candidate) => ({ candidate, slips: slipsBetween(typed, folded(candidate)) }))
    .filter(({ slips }) => slips <= most)
  return near.sort((a, b) => a.slips - b.slips)[0]?.candidate
}

/** The end of an error about a name that is none: the one that was meant, or else all that there are. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const meant = nearest(word, candidates)
  return meant === undefined ? `There are: ${candidates.join(', ')}.` : `Did you mean ${meant}?`
}

const folded = (word: string) =>
  word
    .toLowerCase()
    .replaceAll('_', '-')
    .replace(/^logweir-/, '')

/** Characters left out, added, exchanged or swapped with their neighbour (optimal string alignment distance). */
function slipsBetween(one: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, i) => i)]
  for (let i = 1; i <= one.length; i++) {
    const row = [i]
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1]
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      const exchanged = rows[i - 1]![j - 1]! + (isSame ? 0 : 1)
      const swapped = isSwapped ? rows[i - 2]![j - 2]! + 1 : exchanged
      row.push(Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, exchanged, swapped))
    }
    rows.push(row)
  }
  return rows[one.length]![other.length]!
}
