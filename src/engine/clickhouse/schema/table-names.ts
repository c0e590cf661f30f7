import { ALL_IN_METADATA, COLD_COLUMNS, type HotColumn, hotColumns, IN_METADATA } from '../../../common/columns.js'
import type { SourceName } from '../../../common/sources.js'
import { SHARD_SUFFIX } from '../../../common/table-names.js'
import { quoteName } from '../server/values.js'

/** The database, and the cluster, of the tables. */
export interface TableLocation {
  database: string
  /** If given, the table of a source is a Distributed table over the shards of this cluster. */
  cluster?: string | undefined
}

/** A column of a table, with the ClickHouse type. */
export interface TableColumn {
  name: string
  type: string
  /** The value of rows that were inserted without the column, as SQL. The default of the type if undefined. */
  default?: string
  /** Whether tables of earlier versions lack the column. */
  isLater?: true
}

/**
 * Returns the quoted name of a table with its database. Queries read and inserts write the table with the name of the
 * source.
 */
export const quotedTable = ({ database }: Pick<TableLocation, 'database'>, table: string): string =>
  `${quoteName(database)}.${quoteName(table)}`

/** Returns the name of the table with a shard's rows of a source, in a cluster. */
export const shardTableName = (source: SourceName) => `${source}${SHARD_SUFFIX}`

/** Returns the name of the table with the rows of a source on a server: a shard's in a cluster. */
export const tableWithRows = ({ cluster }: Pick<TableLocation, 'cluster'>, source: SourceName): string =>
  cluster === undefined ? source : shardTableName(source)

/** An absent category is stored as the empty text, which passes no equality test. An absent text is stored as null. */
const PLAN_TYPES = {
  category: 'String',
  text: 'Nullable(String)',
  number: 'Nullable(Float64)',
  areas: 'UInt8',
} as const

/**
 * Returns the name of a hot column in the table. The name of a field has the keys, with underscores between the keys.
 */
export const columnNameOf = ({ name, path, isFieldOnly }: HotColumn): string => (isFieldOnly ? path.join('_') : name)

/** Returns the ClickHouse type of a hot column. The empty text of a field is an empty text, so absent is null. */
export const typeOfHot = ({ kind, isFieldOnly }: HotColumn): string =>
  isFieldOnly && kind === 'category' ? 'Nullable(String)' : PLAN_TYPES[kind]

/**
 * Returns the columns of a source's table: the columns of batches, and the id of each row. `batch` is a random number
 * of the group of batches that were sent together, `row` the number of the row in the group. `batch` and `row` identify
 * the rows that are already stored. `arrived` (µs since the epoch) orders rows of equal time.
 */
export function tableColumns(source: SourceName): TableColumn[] {
  const hot = hotColumns(source)
  return [
    { name: 'timestamp', type: 'Int64' },
    { name: 'project', type: 'String' },
    ...hot.map((column) => ({
      name: columnNameOf(column),
      type: typeOfHot(column),
      ...((column.isFieldOnly || column.isLater) && LATER),
    })),
    ...(hot.length === 0 ? [] : [BIT_SETS]),
    ...COLD_COLUMNS.map((name) => ({ name, type: 'String' })),
    { name: 'arrived', type: 'Int64' },
    { name: 'batch', type: 'UInt64' },
    { name: 'row', type: 'UInt32' },
  ]
}

const LATER = { isLater: true } as const

/** The metadata decides in rows that were inserted without bit sets. */
const BIT_SETS: TableColumn = { name: IN_METADATA, type: 'UInt32', default: `${ALL_IN_METADATA}`, ...LATER }
