import { decodeUtf8 } from '../../../base/text/utf8.js'
import { type Batch, hotColumnOf, type TextColumn } from '../../execute/columns/batch.js'
import { ABSENT, entryOf } from '../../execute/columns/dictionary.js'
import { narrow, rowAt, type Selection, sizeOf } from '../../execute/columns/selection.js'

/**
 * Returns the selected rows that are newer than the limit of their project. `throughUs` returns the time of the newest
 * row of a project, or of rows without a project, that is not.
 */
export function newerRows(
  batch: Batch,
  selection: Selection,
  throughUs: (project: string | undefined) => number,
): Selection {
  const { codes, dictionary } = hotColumnOf(batch, 'project') as TextColumn
  const ends = new Float64Array(dictionary.count)
  for (let code = 0; code < dictionary.count; code++) {
    ends[code] = throughUs(code === ABSENT ? undefined : decodeUtf8(entryOf(dictionary, code)))
  }
  const { baseUs, unitUs, offsets } = batch.times
  return narrow(selection, (out) => {
    let count = 0
    const size = sizeOf(selection)
    for (let position = 0; position < size; position++) {
      const row = rowAt(selection, position)
      if (baseUs + offsets[row] * unitUs > ends[codes[row]]) out[count++] = row
    }
    return count
  })
}
