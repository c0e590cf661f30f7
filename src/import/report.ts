import type { SourceName } from '../common/sources.js'

/** The numbers of rows of a table, by outcome. */
export interface TableCount {
  /** All rows of the table when the import began. */
  rows: number
  imported: number
  /** Rows that the data directory had before. */
  alreadyThere: number
  /** Rows older than the retention, which are left out. */
  pastRetention: number
  /** Rows at `--until` or later, which are left out. */
  notBeforeUntil: number
  /** Rows with a time that is NULL or not before 9999-12-31, such as infinity. */
  untimed: number
  /** Rows that are no valid records: they are in the rejects file. */
  rejected: number
}

/** The count of a table of Logflare. */
export interface ImportedTable {
  /** The name of the source in Logflare. */
  name: string
  /** The source here. */
  source: SourceName
  count: TableCount
}

/** Returns the count of a table of which nothing has been read. */
export const noRows = (): TableCount => ({
  rows: 0,
  imported: 0,
  alreadyThere: 0,
  pastRetention: 0,
  notBeforeUntil: 0,
  untimed: 0,
  rejected: 0,
})

const number = (value: number) => value.toLocaleString('en-US')

/** Returns the progress line of a table: `read` rows are done, at `rowsPerSecond` since the table's import began. */
export function describeProgress({ name, count }: ImportedTable, read: number, rowsPerSecond: number): string {
  const percent = Math.floor((100 * read) / Math.max(count.rows, 1))
  const rate = number(Math.round(rowsPerSecond))
  return `${name}: ${number(read)} of ${number(count.rows)} rows (${percent} %), ${rate} rows/s`
}

/** Returns the lines that end an import: a line for each table, and a line with the sum if there are several tables. */
export function describeTables(tables: readonly ImportedTable[]): string {
  const lines = tables.map(({ name, source, count }) => `${name} as ${source}: ${describeCount(count)}\n`)
  const sum = noRows()
  for (const { count } of tables) {
    for (const key of Object.keys(sum) as (keyof TableCount)[]) sum[key] += count[key]
  }
  return tables.length === 1 ? lines.join('') : `${lines.join('')}in total: ${describeCount(sum)}\n`
}

function describeCount(count: TableCount): string {
  const parts = [
    `${count.imported} rows imported`,
    `${count.alreadyThere} already there`,
    `${count.pastRetention} past retention`,
    `${count.rejected} rejected`,
  ]
  if (count.notBeforeUntil > 0) parts.push(`${count.notBeforeUntil} not before --until`)
  if (count.untimed > 0) parts.push(`${count.untimed} without a time left out`)
  return parts.join(', ')
}
