import type { SourceName } from '../../sources.js'
import { COLD_COLUMNS, type HotColumn, hotColumns } from '../columns.js'
import { quoteName } from './values.js'

/** Where the tables are. */
export interface TableLocation {
  database: string
  /** A table of a source is then one that stands for those of all shards of this cluster. */
  cluster?: string | undefined
}

export interface TableColumn {
  name: string
  type: string
}

/** The table that is asked and written to. */
export function tableOf({ database }: TableLocation, source: SourceName): string {
  return `${quoteName(database)}.${source}`
}

/** A shard's own rows of a source, where there is a cluster. */
export const shardTableName = (source: SourceName) => `${source}_shard`

/** Absent text is null where a query tests it by anything but equality, which nothing absent or empty ever passes. */
const HOT_TYPES = { category: 'String', text: 'Nullable(String)', number: 'Nullable(Float64)', areas: 'UInt8' } as const

export const typeOfHot = ({ kind }: HotColumn): string => HOT_TYPES[kind]

/**
 * The columns of a source's table: those of its batches, and where each row came from. `batch` is an accident-free name of
 * the batches that were sent together, `row` the place in them, so that what is there of them can be told from what is not;
 * `arrived` (µs since the epoch) orders rows of equal time.
 */
export function tableColumns(source: SourceName): TableColumn[] {
  return [
    { name: 'timestamp', type: 'Int64' },
    { name: 'project', type: 'String' },
    ...hotColumns(source).map((column) => ({ name: column.name, type: typeOfHot(column) })),
    ...COLD_COLUMNS.map((name) => ({ name, type: 'String' })),
    { name: 'arrived', type: 'Int64' },
    { name: 'batch', type: 'UInt64' },
    { name: 'row', type: 'UInt32' },
  ]
}
