/** The first few of many items, in an order. */
export interface Ranking<Item> {
  offer(item: Item): void
  /** At most `limit` items, in order. */
  first(): Item[]
}

/** So many more than are wanted are held before they are sorted and cut. */
const SPARE = 1024

/** Memory grows with `limit`, and time little more than with the items. No two of them may be equal in the order. */
export function createRanking<Item>(limit: number, compare: (a: Item, b: Item) => number): Ranking<Item> {
  let held: Item[] = []
  const cut = () => {
    held = held.sort(compare).slice(0, limit)
    return held
  }
  return {
    offer(item) {
      held.push(item)
      if (held.length >= 2 * limit + SPARE) cut()
    },
    first: cut,
  }
}
