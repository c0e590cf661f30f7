import type { TextColumn } from '../columns/batch.js'
import { type IndexSelection, rowAt, type Selection, sizeOf } from '../columns/selection.js'

/** Returns the distinct codes of the selected rows, ascending. */
export function distinctCodes({ codes, dictionary }: TextColumn, selection: Selection): number[] {
  const size = sizeOf(selection)
  const occurs = new Uint8Array(dictionary.count)
  for (let position = 0; position < size; position++) occurs[codes[rowAt(selection, position)]!] = 1
  const distinct: number[] = []
  for (let code = 0; code < occurs.length; code++) if (occurs[code] === 1) distinct.push(code)
  return distinct
}

/**
 * Rows sorted by group: those of group i are at the positions [ends[i - 1], ends[i]) of the selection. Rows
 * ascend within a group, but not between groups.
 */
export interface SortedRows {
  ends: Uint32Array
  selection: IndexSelection
}

/** Sorts the selected rows by group, `groupOf[code]`: a counting sort in two passes. */
export function sortByGroup(
  { codes }: TextColumn,
  selection: Selection,
  groupOf: Uint32Array,
  groups: number,
): SortedRows {
  const size = sizeOf(selection)
  const ends = new Uint32Array(groups)
  for (let position = 0; position < size; position++) ends[groupOf[codes[rowAt(selection, position)]!]!]!++
  let start = 0
  for (let group = 0; group < groups; group++) {
    const count = ends[group]!
    ends[group] = start
    start += count
  }
  // Each group's entry in `ends` moves from its start to its end.
  const indices = new Uint32Array(size)
  for (let position = 0; position < size; position++) {
    const row = rowAt(selection, position)
    indices[ends[groupOf[codes[row]!]!]!++] = row
  }
  return { ends, selection: { kind: 'indices', indices, timeOrdered: false } }
}
