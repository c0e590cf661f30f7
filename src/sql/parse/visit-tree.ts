import type { Node, Query } from './tree.js'

/** Calls `visit` with each object of a syntax tree. An object comes before the objects in it. */
export function visitTree(tree: Query | Node, visit: (part: object) => void): void {
  const visitAll = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visitAll)
    else if (typeof value === 'object' && value !== null) {
      visit(value)
      Object.values(value).forEach(visitAll)
    }
  }
  visitAll(tree)
}
