import type { Yielder } from '../../../base/scheduling/time-slices.js'
import type { SourceName } from '../../../common/sources.js'
import type { Column, InMetadata } from '../../execute/columns/batch.js'
import { widenNumbers } from '../../execute/columns/numbers.js'
import type { Texts } from '../../execute/open-batch/texts.js'
import { type ProjectIndex, projectCodes, type SealedRows } from '../segment/segment.js'
import { decompressCold, type StoredCold } from './compact.js'
import type { InternTexts } from './intern.js'
import { type OpenColumn, type OpenRows, sealDay } from './seal.js'
import { identity } from './sort.js'

/** A sealed segment of which some rows are to be kept. Plain data, which can be sent to another thread. */
export interface RowsToKeep {
  source: SourceName
  day: number
  timestampsUs: Float64Array
  projects: ProjectIndex
  columns: ReadonlyMap<string, Column>
  inMetadata: InMetadata
  cold: StoredCold
  /** The rows to keep, ascending, at least one. */
  kept: Uint32Array
}

/**
 * Seals rows of a segment again, without the others: as if the head had never had the others, so that no text of theirs
 * is left. The rows keep their order. `texts` is the workspace: texts in the workspace are overwritten.
 */
export async function keepRows(
  { source, day, timestampsUs, projects, columns, inMetadata, cold, kept }: RowsToKeep,
  texts: Texts,
  intern: InternTexts,
  yieldIfDue: Yielder,
): Promise<SealedRows> {
  decompressCold(cold, texts)
  const rows = timestampsUs.length
  const codes = projectCodes({ rows, projects })
  const head: OpenRows = {
    source,
    rows,
    minUs: timestampsUs[kept[0]],
    maxUs: timestampsUs[kept[0]],
    timestampsUs,
    columns: new Map<string, OpenColumn>([
      ['project', { kind: 'category', codes, interner: projects.dictionary }],
      ...[...columns].map(([name, column]) => [name, openColumn(column)] as const),
    ]),
    inMetadata,
    cold: texts,
  }
  // Projects of a segment ascend by their bytes.
  const codesByRank = identity(projects.dictionary.count)
  return sealDay(head, { day, order: kept, codesByRank, effort: undefined }, intern, yieldIfDue)
}

/** Returns a sealed column in the form of a head. Texts have codes already. */
function openColumn(column: Column): OpenColumn {
  if (column.kind === 'areas') return column
  if (column.kind === 'number') return { kind: 'number', values: widenNumbers(column) }
  return { kind: 'category', codes: Uint32Array.from(column.codes), interner: column.dictionary }
}
