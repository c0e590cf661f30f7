/** A part of a list that shows an item. */
export interface ListPart<Item> {
  readonly root: HTMLElement
  show(item: Item): void
}

/**
 * Returns a function that shows items in `place`, in order. The part of an item is kept as long as an item has its key,
 * so that the focus and opened details stay.
 */
export function createKeyedList<Item>(
  place: HTMLElement,
  keyOf: (item: Item) => string,
  create: () => ListPart<Item>,
): (items: readonly Item[]) => void {
  const parts = new Map<string, ListPart<Item>>()
  return (items) => {
    const keys = new Set(items.map(keyOf))
    for (const key of parts.keys()) if (!keys.has(key)) parts.delete(key)
    const roots = items.map((item) => {
      const part = parts.get(keyOf(item)) ?? create()
      parts.set(keyOf(item), part)
      part.show(item)
      return part.root
    })
    const isSame = place.children.length === roots.length && roots.every((root, i) => place.children[i] === root)
    // An element that is inserted again loses the focus.
    if (!isSame) place.replaceChildren(...roots)
  }
}
