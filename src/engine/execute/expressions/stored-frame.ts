import type { ColdColumn } from '../../../common/columns.js'
import { type Batch, type HotBatch, holdsField } from '../columns/batch.js'
import type { Keys } from '../columns/field-path.js'
import { range, rowAt, type Selection, sizeOf } from '../columns/selection.js'
import type { FieldReader } from '../fields/read-fields.js'
import { plainFrame } from './computed-frame.js'
import { type Frame, NO_ELEMENTS } from './frame.js'
import { createLoadedFields, type FieldUse } from './loaded-fields.js'
import { COLD, createLoadedRows } from './loaded-rows.js'
import { columnVector, hotVector } from './stored-columns.js'
import type { Vector } from './vector.js'

/**
 * The column `project` of every source, and the columns of the source's batches. Empty texts of categories but projects
 * are absent.
 */
export interface StoredKinds {
  hasEmptyTexts(column: string): boolean
  /** The column that holds a field of the record. Undefined if the field has no column. */
  fieldColumn(keys: Keys): DeclaredColumn | undefined
}

/** The column of a field, and the place of the column among the hot columns of the source. */
export interface DeclaredColumn {
  name: string
  place: number
  isNumber: boolean
}

/** Rows further apart than this on average are copied, so that a few rows do not keep all of a segment in memory. */
const SPARSE = 4

/**
 * The selected rows of a batch. Without `fields`, fields of the record are read row by row, like other cold columns.
 */
export function storedFrame(batch: Batch, selection: Selection, kinds: StoredKinds, fields?: FieldReader): Frame {
  const cold = createLoadedRows()
  const rowOf = (position: number) => rowAt(selection, position)
  const vectors = new Map<string, Vector>()
  const make = (name: string): Vector | undefined => {
    if (COLD.has(name)) return cold.vector(name as ColdColumn)
    return hotVector({ batch, selection }, name, kinds.hasEmptyTexts(name))
  }
  function column(name: string): Vector | undefined {
    const vector = vectors.get(name) ?? make(name)
    if (vector !== undefined) vectors.set(name, vector)
    return vector
  }
  /** The vector of a field that has a column, unless values of the batch are in the metadata alone. */
  function declared({ keys, isText }: FieldUse): Vector | undefined {
    const own = kinds.fieldColumn(keys)
    // The digits of a number as sent are in the metadata alone.
    if (own === undefined || (own.isNumber && isText) || !holdsField(batch, own.place)) return undefined
    return columnVector(batch.columns.get(own.name)!, selection, true)
  }
  const loaded =
    fields && createLoadedFields({ reader: fields, selection, metadata: () => column('metadata')!, declared })
  return {
    rows: sizeOf(selection),
    stored: { batch, selection },
    select(positions) {
      const { timeOrdered } = selection
      return storedFrame(batch, { kind: 'indices', indices: positions.map(rowOf), timeOrdered }, kinds, fields)
    },
    column,
    load(positions, yieldIfDue) {
      const rows = positions.length === 0 ? 0 : rowOf(positions.at(-1)!) - rowOf(positions[0])
      const read = cold.reader(0, batch.openCold)
      return cold.load(positions, (position) => read(rowOf(position)), {
        isCopied: rows > SPARSE * positions.length,
        yieldIfDue,
      })
    },
    rowOf,
    longestAt: undefined,
    openCold: batch.openCold,
    loadFields: loaded?.loadFields,
    field: (use) => loaded?.field(use),
    elements: NO_ELEMENTS,
  }
}

/** All rows of a batch that has only times, numbers and areas. */
export function hotFrame(batch: HotBatch, rows: number): Frame {
  const stored = { batch, selection: range(0, rows, false) }
  return plainFrame(rows, (name) => hotVector(stored, name, false), { stored })
}
