/** A piece is at most this many times as long as the piece before. */
const GROWTH = 8

/** How many items are worked on between two looks at the clock. */
export interface Pace {
  /** The items of the next piece, at least 1. */
  items(): number
  /** Notes how long the last piece took. */
  note(items: number, ms: number): void
}

/**
 * Finds out how many items fit into `pieceMs` milliseconds, at most `mostItems`: the first piece is a single item, and
 * the time of each piece determines the length of the next piece.
 */
export function createPace(pieceMs: number, mostItems: number): Pace {
  let next = 1
  return {
    items: () => next,
    note(items, ms) {
      next = Math.max(1, Math.min(mostItems, GROWTH * items, Math.floor((items * pieceMs) / ms)))
    },
  }
}
