import type { Part } from '../columns/batch.js'
import { anyOf, bytesOfSelection, type Selection, sizeOf } from '../columns/selection.js'
import type { Key, PartialCache } from './partial-cache.js'

/**
 * Returns a function that takes the pieces of a selection, one after the other, and the passing rows of each piece.
 * After the last piece, the function caches all passing rows.
 */
export function cachePieces(
  cache: PartialCache,
  part: Part,
  key: Key,
  selection: Selection,
): (piece: Selection, passing: Selection) => void {
  const found: Selection[] = []
  let left = sizeOf(selection)
  return (piece, passing) => {
    found.push(passing)
    left -= sizeOf(piece)
    if (left > 0) return
    const rows = anyOf(selection, found)
    cache.put(part.owner, key.hash, rows, bytesOfSelection(rows))
  }
}
