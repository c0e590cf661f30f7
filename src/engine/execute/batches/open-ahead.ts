import type { LazyBatch } from './lazy-batch.js'

/** Parts that are opened or read in advance: a disk answers some reads at a time. */
export const MOST_AHEAD = 3

/** Opens the parts of batches in advance, in the order in which the batches are read. */
export interface OpenAhead {
  /** Opens the parts behind a place of the order. */
  begin(place: number): void
  /** Ends the opening of the parts for the batch at a place, which has been read. */
  end(place: number): void
  endAll(): void
}

/** Opens nothing before `begin` is called. `endAll` must be called at last. */
export function createOpenAhead(batches: readonly LazyBatch[]): OpenAhead {
  const ends = new Map<number, () => void>()
  function end(place: number): void {
    ends.get(place)?.()
    ends.delete(place)
  }
  return {
    begin(place) {
      for (let next = place + 1; next <= place + MOST_AHEAD && next < batches.length; next++) {
        const { openAhead } = batches[next]
        if (openAhead !== undefined && !ends.has(next)) ends.set(next, openAhead())
      }
    },
    end,
    endAll() {
      for (const place of [...ends.keys()]) end(place)
    },
  }
}
