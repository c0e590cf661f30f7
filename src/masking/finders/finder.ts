/** A part of a text, [start, end) in UTF-16 units. */
export interface Part {
  start: number
  end: number
}

/** Finds the parts of texts to be masked. */
export interface Finder {
  /** ASCII characters of which each match has one. Undefined: a match may have none. */
  characters: string | undefined
  /** Texts of which each match has one, in any case of letters, as JSON writes them. Undefined: it may have none. */
  triggers: readonly string[] | undefined
  /** The fewest digits of a match. */
  digits: number
  /** Returns the parts in their order, without overlap. Takes time in proportion to the text. */
  find(text: string): readonly Part[]
  /** Returns a found text in the spelling in which equal values are equal. By default the text as it is. */
  normalize?(found: string): string
}

/** The parts of a text without a match. */
export const NO_PARTS: readonly Part[] = []
