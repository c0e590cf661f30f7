import type { ColumnView } from '../../../arrow-ipc/read-batch.js'
import { COLD_COLUMNS, type ColdColumn, hotColumns, IN_METADATA } from '../../../common/columns.js'
import type { SourceName } from '../../../common/sources.js'
import type { Direction } from '../../../plan/plan.js'
import { appendColumns } from '../../execute/open-batch/append-batch.js'
import { createOpenBatch, type OpenBatch } from '../../execute/open-batch/open-batch.js'
import { createTexts } from '../../execute/open-batch/texts.js'
import { columnNameOf, quotedTable, type TableLocation } from '../schema/table-names.js'
import type { SelectOptions, Server } from '../server/clickhouse-server.js'
import { textValue } from '../server/values.js'
import { readNative, reversedBlock } from './native-reader.js'

/** The columns that are read of the rows of a source. */
export interface WantedColumns {
  /** The names of hot columns. */
  hot: ReadonlySet<string>
  project: boolean
  cold: ReadonlySet<ColdColumn>
  /**
   * The bits of `in_metadata` of the `hot` columns that are read as fields. Rows with any of the bits need their
   * metadata.
   */
  mask: number
}

/** Newest first. Rows of equal time by arrival, latest first. */
export const NEWEST_FIRST = 'timestamp DESC, arrived DESC, batch DESC, row DESC'
const OLDEST_FIRST = 'timestamp, arrived, batch, row'

/** Returns the columns of the SELECT for {@link readRows}. */
function selected(source: SourceName, { hot, project, cold, mask }: WantedColumns): string[] {
  const stored = hotColumns(source)
  const read = stored.filter(({ name }) => hot.has(name))
  return [
    'timestamp',
    ...(project ? [`nullIf(project, ${textValue('')}) AS project_or_null`] : []),
    ...read.map((column) => {
      const [name, alias] = [columnNameOf(column), aliasOf(stored.indexOf(column))]
      if (column.kind !== 'category') return `${name} AS ${alias}`
      // Without the cast the server may send the codes of a LowCardinality column.
      const text = column.isFieldOnly ? name : `nullIf(${name}, ${textValue('')})`
      return `CAST(${text} AS Nullable(String)) AS ${alias}`
    }),
    ...(mask === 0 ? [] : [IN_METADATA]),
    ...COLD_COLUMNS.flatMap((name) => (cold.has(name) ? [name] : [])),
  ]
}

const aliasOf = (place: number) => `hot_${place}`

/** The rows of a table to read: a condition, and perhaps the newest rows alone. */
export interface RowRange {
  where: string
  /** The most rows. The rows that come first in the order of time are read. */
  first?: { rows: number; direction: Direction }
}

/**
 * Returns the condition that a row has any of the first times, so that the long columns are read for little more than
 * the first rows. `from` has the table and the other conditions.
 */
export function amongFirst(from: string, direction: Direction, rows: number): string {
  const [extreme, comparison] = direction === 'desc' ? ['min', '>='] : ['max', '<=']
  const times = `SELECT timestamp ${from} ORDER BY timestamp ${direction.toUpperCase()} LIMIT ${rows}`
  return `timestamp ${comparison} (SELECT ${extreme}(timestamp) FROM (${times}))`
}

/** Reads rows of a source into an open batch, in order of time and arrival. Rejects with a ServerError. */
export async function readRows(
  source: SourceName,
  wanted: WantedColumns,
  { where, first }: RowRange,
  { server, location, ...options }: { server: Server; location: TableLocation } & Pick<SelectOptions, 'signal'>,
): Promise<OpenBatch> {
  const columns = selected(source, wanted).join(', ')
  const from = `FROM ${quotedTable(location, source)} WHERE ${where}`
  const isNewestFirst = first?.direction === 'desc'
  const order = isNewestFirst ? NEWEST_FIRST : OLDEST_FIRST
  const end = first === undefined ? order : `${order} LIMIT ${first.rows}`
  const bytes = await server.selectNative(`SELECT ${columns} ${from} ORDER BY ${end}`, options)
  const blocks = [...readNative(bytes)].filter(({ rows }) => rows > 0)
  const oldestFirst = isNewestFirst ? blocks.reverse().map(reversedBlock) : blocks
  // Memory that grows in place would have to be freed, and is expensive to reserve for the rows of a single answer.
  const openBatch = createOpenBatch(source, createTexts({ columns: COLD_COLUMNS.length, growsInPlace: false }))
  for (const { rows, columns: read } of oldestFirst) appendColumns(openBatch, viewsOf(source, wanted, read, rows), rows)
  return openBatch
}

function viewsOf(
  source: SourceName,
  { hot, project, cold, mask }: WantedColumns,
  read: ReadonlyMap<string, ColumnView>,
  rows: number,
): Map<string, ColumnView> {
  const views = new Map<string, ColumnView>([
    ['timestamp', read.get('timestamp')!],
    ['project', project ? asDictionary(read.get('project_or_null')!, rows) : absentTexts(rows)],
    [IN_METADATA, mask === 0 ? noBits(rows) : read.get(IN_METADATA)!],
  ])
  for (const [place, { name, kind }] of hotColumns(source).entries()) {
    const view = hot.has(name) ? read.get(aliasOf(place))! : undefined
    if (kind === 'areas') views.set(name, view ?? noFlags(rows))
    else if (view !== undefined) views.set(name, kind === 'category' ? asDictionary(view, rows) : view)
  }
  for (const name of COLD_COLUMNS) {
    views.set(name, cold.has(name) ? read.get(name)! : emptyTexts(rows))
  }
  return views
}

const NO_BYTES = new Uint8Array(0)
const NO_OFFSETS = new Int32Array(0)
const NOT_NULL = { nullCount: 0, nullBitmap: NO_BYTES }

const noBits = (rows: number): ColumnView => ({ ...NOT_NULL, values: new Uint32Array(rows), valueOffsets: NO_OFFSETS })
const noFlags = (rows: number): ColumnView => ({ ...NOT_NULL, values: new Uint8Array(rows), valueOffsets: NO_OFFSETS })
const emptyTexts = (rows: number): ColumnView => ({
  ...NOT_NULL,
  values: NO_BYTES,
  valueOffsets: new Int32Array(rows + 1),
})

/** Dictionary codes of rows without a text. */
const absentTexts = (rows: number): ColumnView => ({
  nullCount: rows,
  nullBitmap: new Uint8Array((rows + 7) >> 3),
  values: new Int32Array(rows),
  valueOffsets: NO_OFFSETS,
  dictionary: { ...emptyTexts(0), rows: 0 },
})

/** Texts as dictionary codes, with a separate entry for each row. */
function asDictionary(view: ColumnView, rows: number): ColumnView {
  const { nullCount, nullBitmap, values, valueOffsets } = view
  const codes = Int32Array.from({ length: rows }, (_, row) => row)
  return {
    nullCount,
    nullBitmap,
    values: codes,
    valueOffsets: NO_OFFSETS,
    dictionary: { ...NOT_NULL, values, valueOffsets, rows },
  }
}
