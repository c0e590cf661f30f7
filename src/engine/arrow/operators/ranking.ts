/** Finds the first few of many items, in an order. */
export interface Ranking<Item> {
  offer(item: Item): void
  /** Returns at most `limit` of the offered items, in order. */
  first(): Item[]
}

/** Items that are collected beyond twice the limit before they are sorted and cut. */
const SLACK = 1024

/**
 * Creates a ranking of the first `limit` items. Memory grows with `limit`, and time is about linear in the number of
 * items. No two items may be equal in the order.
 */
export function createRanking<Item>(limit: number, compare: (a: Item, b: Item) => number): Ranking<Item> {
  let items: Item[] = []
  const cut = () => {
    items = items.sort(compare).slice(0, limit)
    return items
  }
  return {
    offer(item) {
      items.push(item)
      if (items.length >= 2 * limit + SLACK) cut()
    },
    first: cut,
  }
}
