import type { Yielder } from '../../../base/scheduling/time-slices.js'
import type { SourceName } from '../../../common/sources.js'
import { conjunctsOf, type Expression } from '../../../plan/expression.js'
import type { Deletion } from '../../deletion.js'
import type { PartialCache } from '../../execute/caches/partial-cache.js'
import type { Batch } from '../../execute/columns/batch.js'
import { bytesOfSelection, type Selection } from '../../execute/columns/selection.js'
import { storedFrame } from '../../execute/expressions/stored-frame.js'
import type { FieldCache } from '../../execute/fields/field-cache.js'
import { createFieldReader } from '../../execute/fields/read-fields.js'
import { filterTime } from '../../execute/filtering/filter-rows.js'
import { keepPassing } from '../../execute/operators/filter.js'
import { columnsReadBy } from '../../execute/stages/read-columns.js'
import { kindsOf } from '../../execute/stages/source-kinds.js'

/** The caches of the engine that tests of rows use. */
export interface TestCaches {
  fieldCache: FieldCache
  partialCache: PartialCache
}

/** The rows of a source that a deletion concerns. */
export interface DeletedRows {
  /** The hot columns that {@link in} reads. */
  columns: ReadonlySet<string>
  /** Returns the deleted rows of a batch of a part. The rows of a sealed part are cached. */
  in(batch: Batch, part: { isSealed: boolean; owner: object }, yieldIfDue: Yielder): Promise<Selection>
}

const NO_COLUMNS = { op: 'group', keys: [], aggregates: [] } as const

/** Returns the rows of a source that a deletion concerns, whatever their head. */
export function deletedRows(
  { id, project, fromUs, throughUs }: Deletion,
  source: SourceName,
  where: Expression | undefined,
  { fieldCache, partialCache }: TestCaches,
): DeletedRows {
  const conditions = where === undefined ? [] : conjunctsOf(where)
  const steps = conditions.map((condition) => ({ op: 'filter' as const, where: condition }))
  const kinds = kindsOf(source)
  const key = `deletion ${id}`
  return {
    columns: columnsReadBy({ steps, sink: NO_COLUMNS }, source),
    async in(batch, { isSealed, owner }, yieldIfDue) {
      const known = isSealed ? partialCache.get<Selection>(owner, key) : undefined
      if (known !== undefined) return known
      const inTime = filterTime(batch, batch.projectRows(project), { fromUs, throughUs })
      const fields = createFieldReader(batch, owner, fieldCache)
      const { stored } = await keepPassing(storedFrame(batch, inTime, kinds, fields), conditions, yieldIfDue)
      const { selection } = stored!
      if (isSealed) partialCache.put(owner, key, selection, bytesOfSelection(selection))
      return selection
    },
  }
}
