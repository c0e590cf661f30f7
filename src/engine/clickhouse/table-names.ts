import type { SourceName } from '../../sources.js'
import { COLD_COLUMNS, type HotColumn, planColumns } from '../columns.js'
import { quoteName } from './values.js'

/** The database, and the cluster, of the tables. */
export interface TableLocation {
  database: string
  /** If given, the table of a source is a Distributed table over the shards of this cluster. */
  cluster?: string | undefined
}

/** A column of a table, with its ClickHouse type. */
export interface TableColumn {
  name: string
  type: string
}

/** Returns the quoted name of the table that queries read and inserts write. */
export function quotedTable({ database }: TableLocation, source: SourceName): string {
  return `${quoteName(database)}.${source}`
}

/** Returns the name of the table with a shard's rows of a source, in a cluster. */
export const shardTableName = (source: SourceName) => `${source}_shard`

/** An absent category is stored as the empty text, which passes no equality test; an absent text as null. */
const HOT_TYPES = { category: 'String', text: 'Nullable(String)', number: 'Nullable(Float64)', areas: 'UInt8' } as const

/** Returns the name of a hot column in its table: that of a field has its keys, with underscores between them. */
export const columnNameOf = ({ name, path, isFieldOnly }: HotColumn): string => (isFieldOnly ? path.join('_') : name)

/** Returns the ClickHouse type of a hot column. */
export const typeOfHot = ({ kind }: HotColumn): string => HOT_TYPES[kind]

/**
 * Returns the columns of a source's table: those of its batches, and the id of each row. `batch` is a random
 * number of the group of batches that were sent together, `row` the number of the row in it: they identify
 * the rows that are already stored. `arrived` (µs since the epoch) orders rows of equal time.
 */
export function tableColumns(source: SourceName): TableColumn[] {
  return [
    { name: 'timestamp', type: 'Int64' },
    { name: 'project', type: 'String' },
    ...planColumns(source).map((column) => ({ name: column.name, type: typeOfHot(column) })),
    ...COLD_COLUMNS.map((name) => ({ name, type: 'String' })),
    { name: 'arrived', type: 'Int64' },
    { name: 'batch', type: 'UInt64' },
    { name: 'row', type: 'UInt32' },
  ]
}
